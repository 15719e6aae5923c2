// The HTTP interface of version 1: measurements, simulations, commands, alarms.
import {
  Authority,
  alarmFields,
  alarmOperations,
  Collection,
  commandFields,
  LiveAlarm,
  LiveCommand,
  LiveMeasurement,
  maxTextBytes,
  measurementFields,
  Quality,
  Simulation,
  ValidFor,
} from '@telltale/schema';
import Type from 'typebox';
import { jsonType, type Route } from '../route.ts';
import type { DataAccess } from './data-access.ts';
import { collectionRoutes, type LiveCollection, ofNamedWrites, oneRoute } from './live-collections.ts';

export interface DataRoutesOptions {
  readonly base: string;
  readonly data: DataAccess;
  /** Differs from start to start: versions count from 0 each time. */
  readonly boot: string;
}

/** Its form is checked with the datatype of the object, which says more than a pattern. */
const Value = {
  value: Type.String({
    maxLength: maxTextBytes + 1,
    description: 'The letter of its datatype, then the value, such as d21.5.',
  }),
};

export function dataRoutes(options: DataRoutesOptions): Route[] {
  return [...measurementRoutes(options), ...commandRoutes(options), ...alarmRoutes(options)];
}

function measurementRoutes({ base, data, boot }: DataRoutesOptions): Route[] {
  const tag = 'Measurements';
  const path = `${base}/measurements`;
  return [
    ...collectionRoutes({
      path,
      tag,
      one: 'measurement',
      schema: LiveMeasurement,
      fields: measurementFields,
      version: () => `${boot}-${data.measurements.wire.version}`,
      read: (selection, isWanted) => data.readMeasurements(selection, isWanted),
      readOne: (name) => data.readMeasurement(name),
    }),
    {
      method: 'PUT',
      path: `${path}/:name`,
      id: 'simulateMeasurement',
      tag,
      access: 'named-write',
      summary: 'Force a value: the measurement shows it in the place of what its device says',
      names: 'the measurement',
      query: Type.Object(
        { ...Value, quality: Type.Optional(Quality), 'valid-for': Type.Optional(ValidFor) },
        { additionalProperties: false },
      ),
      answer: { status: 204, description: 'It is forced, and stays so across a restart.' },
      problems: [...ofNamedWrites, 'reserved-name', 'invalid-value'],
      handle: ({ name, query, caller }) =>
        data.simulate(name, {
          value: readValue(query.value as string),
          quality: query.quality as number | undefined,
          validForS: query['valid-for'] as number | undefined,
          by: caller.author,
        }),
    },
    {
      method: 'DELETE',
      path: `${path}/:name`,
      id: 'stopSimulation',
      tag,
      access: 'named-write',
      summary: 'Show again what the device says; nothing happens where nothing is forced',
      names: 'the measurement',
      answer: { status: 204, description: 'Nothing is forced.' },
      problems: ofNamedWrites,
      handle: ({ name }) => data.stopSimulation(name),
    },
    {
      method: 'GET',
      path: `${base}/simulations`,
      id: 'listSimulations',
      tag,
      summary: 'Everything that is forced now: to what, since when, until when, by whom',
      answer: { status: 200, description: 'From name to simulation.', type: jsonType, schema: Collection(Simulation) },
      problems: [],
      handle: async () => data.readSimulations(),
    },
  ];
}

function commandRoutes({ base, data, boot }: DataRoutesOptions): Route[] {
  const tag = 'Commands';
  const path = `${base}/commands`;
  const collection: LiveCollection<(typeof commandFields)[number]> = {
    path,
    tag,
    one: 'command',
    schema: LiveCommand,
    fields: commandFields,
    version: () => `${boot}-${data.commands.wire.version}`,
    read: (selection, isWanted) => data.readCommands(selection, isWanted),
    readOne: (name) => data.readCommand(name),
  };
  return [
    ...collectionRoutes(collection),
    oneRoute(collection, `${base}/command`, 'getCommandByAlias'),
    {
      method: 'PUT',
      path: `${path}/:name`,
      id: 'writeCommand',
      tag,
      access: 'named-write',
      summary: 'Write a value to the device, once',
      names: 'the command',
      query: Type.Object(Value, { additionalProperties: false }),
      answer: { status: 204, description: 'The device has accepted it, and it is on disk.' },
      problems: [
        ...ofNamedWrites,
        'reserved-name',
        'invalid-value',
        'out-of-range',
        'command-changed',
        'write-refused',
        'connector-down',
        'write-timeout',
      ],
      handle: ({ name, query }) => data.writeCommand(name, readValue(query.value as string)),
    },
  ];
}

function alarmRoutes({ base, data, boot }: DataRoutesOptions): Route[] {
  const tag = 'Alarms';
  const path = `${base}/alarms`;
  return [
    ...collectionRoutes({
      path,
      tag,
      one: 'alarm',
      schema: LiveAlarm,
      fields: alarmFields,
      version: () => `${boot}-${data.alarms.version}`,
      read: (selection, isWanted) => data.readAlarms(selection, isWanted),
      readOne: (name) => data.readAlarm(name),
    }),
    ...alarmOperations.map(
      (operation): Route => ({
        method: 'POST',
        path: `${path}/:name/${operation}`,
        id: `${operation}Alarm`,
        tag,
        access: 'named-write',
        summary: `${operation.charAt(0).toUpperCase()}${operation.slice(1)} an alarm; nothing happens where it is so already`,
        names: 'the alarm',
        query: Type.Object({ authority: Type.Optional(Authority) }, { additionalProperties: false }),
        answer: { status: 204, description: 'It is so, and on disk.' },
        problems: ofNamedWrites,
        handle: ({ name, query, caller }) =>
          data.operateAlarm(name, operation, caller.authorityOr(query.authority as string | undefined)),
      }),
    ),
  ];
}

/** In a query a plus sign is a space to most readers; before a number only the sign can be meant. */
function readValue(value: string): string {
  return /^[ilfd] /.test(value) ? `${value.charAt(0)}+${value.slice(2)}` : value;
}
