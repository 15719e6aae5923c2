// Operations on the live measurements, commands and alarms.
import Type from 'typebox';
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
import { Explanation } from '../diagnostics.ts';
import { maxTextBytes } from '../value-text.ts';
import { Quality } from '../wire-schemas.ts';
import { fields, name, names, someOf } from './inputs.ts';
import { declare, done, json, ofNamedWrites, versionedJson } from './operation.ts';

/** Its form is checked with the datatype of the object, which says more than a pattern. */
const value = {
  value: Type.String({
    maxLength: maxTextBytes + 1,
    description: 'The letter of its datatype, then the value, such as d21.5.',
  }),
};

const ofCommandWrites = [
  ...ofNamedWrites,
  'reserved-name',
  'invalid-value',
  'out-of-range',
  'command-changed',
  'write-refused',
  'connector-down',
  'write-timeout',
] as const;

export const measurementOperations = {
  listMeasurements: declare({
    tag: 'Measurements',
    summary: 'All measurements, or those that are named; unknown names are left out',
    effect: { action: 'read', resource: 'measurements' },
    audited: false,
    input: { ...names, ...fields(measurementFields) },
    problems: ['too-many-names'],
    http: {
      method: 'GET',
      path: '/data/measurements',
      answer: versionedJson('From name to object.', someOf(LiveMeasurement)),
    },
  }),
  getMeasurement: declare({
    tag: 'Measurements',
    summary: 'One measurement',
    effect: { action: 'read', resource: 'measurements' },
    audited: false,
    input: name,
    problems: ['unknown-object'],
    http: {
      method: 'GET',
      path: '/data/measurements/:name',
      names: 'the measurement',
      answer: json('The measurement.', LiveMeasurement),
    },
  }),
  simulateMeasurement: declare({
    tag: 'Measurements',
    summary: 'Force a value: the measurement shows it in the place of what its device says',
    effect: { action: 'simulate', resource: 'measurements' },
    audited: true,
    input: { ...name, ...value, quality: Type.Optional(Quality), 'valid-for': Type.Optional(ValidFor) },
    problems: [...ofNamedWrites, 'reserved-name', 'invalid-value'],
    http: {
      method: 'PUT',
      path: '/data/measurements/:name',
      names: 'the measurement',
      answer: done('It is forced, and stays so across a restart.'),
    },
  }),
  stopSimulation: declare({
    tag: 'Measurements',
    summary: 'Show again what the device says; nothing happens where nothing is forced',
    effect: { action: 'simulate', resource: 'measurements' },
    audited: true,
    input: name,
    problems: ofNamedWrites,
    http: {
      method: 'DELETE',
      path: '/data/measurements/:name',
      names: 'the measurement',
      answer: done('Nothing is forced.'),
    },
  }),
  listSimulations: declare({
    tag: 'Measurements',
    summary: 'Everything that is forced now: to what, since when, until when, by whom',
    effect: { action: 'read', resource: 'measurements' },
    audited: false,
    input: {},
    problems: [],
    http: {
      method: 'GET',
      path: '/data/simulations',
      answer: json('From name to simulation.', Collection(Simulation)),
    },
  }),
};

export const commandOperations = {
  listCommands: declare({
    tag: 'Commands',
    summary: 'All commands, or those that are named; unknown names are left out',
    effect: { action: 'read', resource: 'commands' },
    audited: false,
    input: { ...names, ...fields(commandFields) },
    problems: ['too-many-names'],
    http: { method: 'GET', path: '/data/commands', answer: versionedJson('From name to object.', someOf(LiveCommand)) },
  }),
  getCommand: declare({
    tag: 'Commands',
    summary: 'One command',
    effect: { action: 'read', resource: 'commands' },
    audited: false,
    input: name,
    problems: ['unknown-object'],
    http: {
      method: 'GET',
      path: '/data/commands/:name',
      names: 'the command',
      answer: json('The command.', LiveCommand),
    },
  }),
  getCommandByAlias: declare({
    tag: 'Commands',
    summary: 'One command',
    effect: { action: 'read', resource: 'commands' },
    audited: false,
    input: name,
    problems: ['unknown-object'],
    http: {
      method: 'GET',
      path: '/data/command/:name',
      names: 'the command',
      answer: json('The command.', LiveCommand),
    },
  }),
  writeCommand: declare({
    tag: 'Commands',
    summary: 'Write a value to the device, once',
    effect: { action: 'write', resource: 'commands' },
    audited: true,
    input: { ...name, ...value },
    problems: ofCommandWrites,
    http: {
      method: 'PUT',
      path: '/data/commands/:name',
      names: 'the command',
      answer: done('The device has accepted it, and it is on disk.'),
    },
  }),
};

const authority = { authority: Type.Optional(Authority) };

export const alarmOperationsOfService = {
  listAlarms: declare({
    tag: 'Alarms',
    summary: 'All alarms, or those that are named; unknown names are left out',
    effect: { action: 'read', resource: 'alarms' },
    audited: false,
    input: { ...names, ...fields(alarmFields) },
    problems: ['too-many-names'],
    http: { method: 'GET', path: '/data/alarms', answer: versionedJson('From name to object.', someOf(LiveAlarm)) },
  }),
  getAlarm: declare({
    tag: 'Alarms',
    summary: 'One alarm',
    effect: { action: 'read', resource: 'alarms' },
    audited: false,
    input: name,
    problems: ['unknown-object'],
    http: { method: 'GET', path: '/data/alarms/:name', names: 'the alarm', answer: json('The alarm.', LiveAlarm) },
  }),
  activateAlarm: declare({
    tag: 'Alarms',
    summary: 'Activate an alarm; nothing happens where it is so already',
    effect: { action: 'operate', resource: 'alarms' },
    audited: true,
    input: { ...name, ...authority },
    problems: ofNamedWrites,
    http: {
      method: 'POST',
      path: '/data/alarms/:name/activate',
      names: 'the alarm',
      answer: done('It is so, and on disk.'),
    },
  }),
  deactivateAlarm: declare({
    tag: 'Alarms',
    summary: 'Deactivate an alarm; nothing happens where it is so already',
    effect: { action: 'operate', resource: 'alarms' },
    audited: true,
    input: { ...name, ...authority },
    problems: ofNamedWrites,
    http: {
      method: 'POST',
      path: '/data/alarms/:name/deactivate',
      names: 'the alarm',
      answer: done('It is so, and on disk.'),
    },
  }),
  acknowledgeAlarm: declare({
    tag: 'Alarms',
    summary: 'Acknowledge an alarm; nothing happens where it is so already',
    effect: { action: 'operate', resource: 'alarms' },
    audited: true,
    input: { ...name, ...authority },
    problems: ofNamedWrites,
    http: {
      method: 'POST',
      path: '/data/alarms/:name/acknowledge',
      names: 'the alarm',
      answer: done('It is so, and on disk.'),
    },
  }),
};

export const explainOperations = {
  explainMeasurement: declare({
    tag: 'Measurements',
    summary: 'Why it is what it is: what was read last, what each stage made of it, how its connector is',
    effect: { action: 'read', resource: 'measurements' },
    audited: false,
    input: name,
    problems: ['unknown-object'],
    http: {
      method: 'GET',
      path: '/data/measurements/:name/explain',
      names: 'the measurement',
      answer: json('Why.', Explanation),
    },
  }),
};
