// Operations on the live measurements, commands and alarms.
import Type from 'typebox';
import { AlarmTrigger } from '../alarm-triggers.ts';
import { type AlarmOperation, alarmOperations } from '../alarm-words.ts';
import { AreaTree } from '../areas.ts';
import { closed } from '../closed.ts';
import { Collection } from '../configuration.ts';
import {
  Authority,
  alarmFields,
  commandFields,
  LiveAlarm,
  LiveCommand,
  LiveMeasurement,
  measurementFields,
  Simulation,
  ValidFor,
} from '../data-access.ts';
import { CommandExplanation, Explanation } from '../diagnostics.ts';
import { Comment } from '../revision.ts';
import { selectorInputs } from '../selector-inputs.ts';
import { maxTextBytes } from '../value-text.ts';
import { Quality } from '../wire-schemas.ts';
import { batchOf, Name, NameList } from './channel-fields.ts';
import { get, listMany, name, names } from './inputs.ts';
import { alarms, commands, measurements } from './live-kinds.ts';
import { type ChannelForm, changes, declare, done, json, ofNamedWrites, reads } from './operation.ts';

/** Its form is checked with the datatype of the object, which says more than a pattern. */
const value = {
  value: Type.String({
    maxLength: maxTextBytes + 1,
    description: 'The letter of its datatype, then the value, such as d21.5.',
  }),
};

/** Kept in the audit trail; some actions want one. */
const reason = { reason: Type.Optional(Comment) };
const ofConfirmed = ['reason-needed', 'signature-needed'] as const;

const ofCommandWrites = [
  ...ofNamedWrites,
  ...ofConfirmed,
  'reserved-name',
  'invalid-value',
  'out-of-range',
  'command-changed',
  'write-refused',
  'connector-down',
  'write-timeout',
] as const;

export const measurementOperations = {
  listMeasurements: listMany(
    measurements,
    '/data/measurements',
    'ReadMeasurements',
    LiveMeasurement,
    measurementFields,
    selectorInputs.measurements,
  ),
  getMeasurement: get(measurements, '/data/measurements/:name', LiveMeasurement),
  simulateMeasurement: declare({
    ...changes(measurements, 'simulate', 'simulate'),
    summary: 'Simulate a measurement: it has this value instead of the one that its device reports',
    input: { ...name, ...value, quality: Type.Optional(Quality), 'valid-for': Type.Optional(ValidFor), ...reason },
    problems: [...ofNamedWrites, ...ofConfirmed, 'reserved-name', 'invalid-value'],
    http: {
      method: 'PUT',
      path: '/data/measurements/:name',
      names: 'the measurement',
      answer: done('It is simulated, and remains so after a restart.'),
    },
    channel: [
      {
        request: 'SimulateMeasurements',
        summary: 'Simulates measurements, as PUT /measurements/:name does.',
        fields: {
          simulations: batchOf(
            Type.Object(
              {
                name: Name,
                ...value,
                quality: Type.Optional(Quality),
                'valid-for': Type.Optional(ValidFor),
                ...reason,
              },
              closed,
            ),
          ),
        },
        batch: 'simulations',
      },
    ],
  }),
  stopSimulation: declare({
    ...changes(measurements, 'simulate', 'simulate'),
    summary: 'Stop the simulation of a measurement; without one, nothing happens',
    input: name,
    problems: ofNamedWrites,
    http: {
      method: 'DELETE',
      path: '/data/measurements/:name',
      names: 'the measurement',
      answer: done('It is not simulated.'),
    },
    channel: [
      {
        request: 'StopSimulation',
        summary: 'Stops simulations, as DELETE /measurements/:name does.',
        fields: { measurements: batchOf(Name) },
        batch: 'measurements',
      },
    ],
  }),
  listSimulations: declare({
    ...reads(measurements, 'view'),
    summary: 'List all simulations: value, start, end and author of each',
    input: {},
    problems: [],
    http: {
      method: 'GET',
      path: '/data/simulations',
      answer: json('From name to simulation.', Collection(Simulation)),
    },
    channel: [
      {
        request: 'ReadSimulations',
        summary: 'Lists all simulations, as GET /simulations does.',
        fields: {},
        answer: { simulations: Collection(Simulation) },
        isInOrder: true,
      },
    ],
  }),
};

export const commandOperations = {
  listCommands: listMany(
    commands,
    '/data/commands',
    'ReadCommands',
    LiveCommand,
    commandFields,
    selectorInputs.commands,
  ),
  getCommand: get(commands, '/data/commands/:name', LiveCommand),
  getCommandByAlias: get(commands, '/data/command/:name', LiveCommand),
  writeCommand: declare({
    ...changes(commands, 'write', 'write'),
    summary: 'Write a command: its value is sent to the device once',
    input: { ...name, ...value, ...reason },
    problems: ofCommandWrites,
    http: {
      method: 'PUT',
      path: '/data/commands/:name',
      names: 'the command',
      answer: done('The device has accepted it, and it is on disk.'),
    },
    channel: [
      {
        request: 'WriteCommands',
        summary: 'Writes commands; each is answered as PUT /commands/:name answers.',
        fields: { writes: batchOf(Type.Object({ name: Name, ...value, ...reason }, closed)) },
        batch: 'writes',
      },
    ],
  }),
};

const operateAlarms = {
  request: 'OperateAlarms',
  summary: 'Activates, deactivates and acknowledges alarms.',
  fields: {
    operations: batchOf(
      Type.Object({ name: Name, opcode: Type.Enum([...alarmOperations], { type: 'string' }) }, closed),
    ),
    authority: Type.Optional(Authority),
  },
  batch: 'operations',
} as const;

const ackAlarms = {
  request: 'AckAlarms',
  summary: 'Acknowledges alarms.',
  fields: { alarms: batchOf(Name), authority: Type.Optional(Authority) },
  batch: 'alarms',
} as const;

/** Where a device raises the alarm. */
const ofDeviceAlarms = {
  activate: ['device-alarm'],
  deactivate: ['device-alarm'],
  acknowledge: ['acknowledge-refused', 'connector-down', 'acknowledge-timeout'],
} as const;

const operate = <const Forms extends readonly ChannelForm[]>(
  path: string,
  verb: string,
  opcode: AlarmOperation,
  ...others: Forms
) =>
  declare({
    ...changes(alarms, 'operate', opcode === 'acknowledge' ? 'acknowledge' : 'operate-alarm'),
    summary: `${verb} an alarm; without a change of its state, nothing happens`,
    input: { ...name, authority: Type.Optional(Authority) },
    problems: [...ofNamedWrites, ...ofDeviceAlarms[opcode]],
    http: { method: 'POST', path, names: 'the alarm', answer: done('The alarm has that state, on disk.') },
    channel: [{ ...operateAlarms, when: { opcode } }, ...others],
  });

export const alarmOperationsOfService = {
  listAlarms: listMany(alarms, '/data/alarms', 'ReadAlarms', LiveAlarm, alarmFields, selectorInputs.alarms),
  getAlarm: get(alarms, '/data/alarms/:name', LiveAlarm),
  listAlarmTriggers: declare({
    ...reads(alarms, 'view'),
    summary: 'List what raises alarms, measurement and limit: of the named alarms, or of all that measurements trigger',
    input: {
      ...names,
      measurements: Type.Optional(
        Type.Array(Type.String(), { description: 'Only those that these trigger, comma-separated.' }),
      ),
    },
    problems: [],
    http: {
      method: 'GET',
      path: '/data/alarm-triggers',
      answer: json('From name of alarm to trigger.', Collection(AlarmTrigger)),
    },
  }),
  activateAlarm: operate('/data/alarms/:name/activate', 'Activate', 'activate'),
  deactivateAlarm: operate('/data/alarms/:name/deactivate', 'Deactivate', 'deactivate'),
  acknowledgeAlarm: operate('/data/alarms/:name/acknowledge', 'Acknowledge', 'acknowledge', ackAlarms),
};

export const explainOperations = {
  explainMeasurement: declare({
    ...reads(measurements, 'diagnose'),
    summary:
      'Explain the value of a measurement: the last reading, what each stage made of it, the state of its connector',
    input: name,
    problems: ['unknown-object'],
    http: {
      method: 'GET',
      path: '/data/measurements/:name/explain',
      names: 'the measurement',
      answer: json('The explanation.', Explanation),
    },
    channel: [
      {
        request: 'ExplainMeasurement',
        summary: 'Explains the value of a measurement, as GET /measurements/:name/explain does.',
        fields: { name: Name },
        answer: { explanation: Explanation },
      },
    ],
  }),
  explainCommand: declare({
    ...reads(commands, 'diagnose'),
    summary: 'Explain a command: the last write, by whom, what the device said, the state of its connector',
    input: name,
    problems: ['unknown-object'],
    http: {
      method: 'GET',
      path: '/data/commands/:name/explain',
      names: 'the command',
      answer: json('The explanation.', CommandExplanation),
    },
    channel: [
      {
        request: 'ExplainCommand',
        summary: 'Explains a command, as GET /commands/:name/explain does.',
        fields: { name: Name },
        answer: { explanation: CommandExplanation },
      },
    ],
  }),
};

export const areaOperations = {
  listAreas: declare({
    ...reads(measurements, 'view'),
    summary: 'List the areas: what is in each and below it, by quality and by alarm state',
    input: {},
    problems: [],
    http: { method: 'GET', path: '/data/areas', answer: json('The tree.', AreaTree) },
    channel: [
      {
        request: 'ReadAreas',
        summary: 'Lists the areas, as GET /areas does.',
        fields: {},
        answer: { areas: AreaTree },
        isInOrder: true,
      },
    ],
  }),
};

const Choice = Type.Union([Type.Literal('all'), NameList]);
const select = {
  select: Type.Object(
    {
      measurements: Type.Optional(Choice),
      commands: Type.Optional(Choice),
      alarms: Type.Optional(Choice),
    },
    closed,
  ),
};

export const liveObjectsOperations = {
  readLiveObjects: declare({
    ...reads(measurements, 'view'),
    summary: 'Read measurements, commands and alarms in one answer, as arrays',
    input: select,
    problems: [],
    channel: [
      {
        request: 'ReadDatabase',
        fields: select,
        answer: {
          database: Type.Object({
            measurements: Type.Optional(Type.Array(LiveMeasurement)),
            commands: Type.Optional(Type.Array(LiveCommand)),
            alarms: Type.Optional(Type.Array(LiveAlarm)),
          }),
        },
        isInOrder: true,
      },
    ],
  }),
};
