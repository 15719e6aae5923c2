// The resources of the data-access interface, version 1.
import Type, { type Static } from 'typebox';
import { Severity } from './configuration.ts';
import { Identifier } from './identifier.ts';
import { Datatype, PrefixedValue, Quality, Timestamp } from './wire-schemas.ts';

const RangeEnd = Type.Union([PrefixedValue, Type.Null()]);
export const Range = Type.Tuple([RangeEnd, RangeEnd], { description: 'Low and high end; null where not set.' });

export const Vt = Type.Tuple([PrefixedValue, Timestamp], { description: 'Value and timestamp.' });
export type Vt = Static<typeof Vt>;

export const Vtq = Type.Tuple([PrefixedValue, Timestamp, Quality], { description: 'Value, timestamp and quality.' });
export type Vtq = Static<typeof Vtq>;

const pointFields = {
  name: Identifier,
  address: Type.String({ description: 'The address on the connector.' }),
  datatype: Datatype,
  'raw-datatype': Datatype,
  'eu-range': Range,
  'raw-range': Range,
  description: Type.Optional(Type.String()),
};

export const LiveMeasurement = Type.Object(
  { ...pointFields, vtq: Vtq },
  { title: 'LiveMeasurement', additionalProperties: false },
);
export type LiveMeasurement = Static<typeof LiveMeasurement>;

export const LiveCommand = Type.Object(
  { ...pointFields, vt: Vt },
  { title: 'LiveCommand', additionalProperties: false },
);
export type LiveCommand = Static<typeof LiveCommand>;

export const AlarmState = Type.Enum(['INACT_ACK', 'ACT_UNACK', 'ACT_ACK', 'INACT_UNACK'], { type: 'string' });
export type AlarmState = Static<typeof AlarmState>;

export const LiveAlarm = Type.Object(
  {
    name: Identifier,
    severity: Severity,
    t: Timestamp,
    authority: Type.String({ description: 'Who caused the last transition.' }),
    state: AlarmState,
    description: Type.String(),
  },
  { title: 'LiveAlarm', additionalProperties: false },
);
export type LiveAlarm = Static<typeof LiveAlarm>;

/** The fields behind the value, in the order in which they are shown. */
const definitionFields = ['address', 'datatype', 'raw-datatype', 'eu-range', 'raw-range', 'description'] as const;

export const measurementFields = ['name', 'vtq', ...definitionFields] as const;
export type MeasurementField = (typeof measurementFields)[number];

export const commandFields = ['name', 'vt', ...definitionFields] as const;
export type CommandField = (typeof commandFields)[number];

export const alarmFields = ['name', 'severity', 't', 'authority', 'state', 'description'] as const;
export type AlarmField = (typeof alarmFields)[number];

/** A measurement whose value is forced. */
export const Simulation = Type.Object(
  {
    name: Identifier,
    value: PrefixedValue,
    quality: Quality,
    since: Timestamp,
    until: Type.Union([Timestamp, Type.Null()], { description: 'When it ends by itself; null: when it is stopped.' }),
    by: Type.String({ description: 'Who forced it.' }),
  },
  { title: 'Simulation', additionalProperties: false },
);
export type Simulation = Static<typeof Simulation>;

/** Seconds, fractions allowed. */
export const ValidFor = Type.Number({
  exclusiveMinimum: 0,
  maximum: 1_000_000_000,
  description: 'Seconds after which the simulation ends by itself; without it, it lasts until it is stopped.',
});

export const alarmOperations = ['activate', 'deactivate', 'acknowledge'] as const;
export type AlarmOperation = (typeof alarmOperations)[number];

/** Shown on terminals and kept for ever: neither control characters nor those that turn the direction of what follows. */
export const Authority = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069]*$',
  description: 'Who does it: at most 128 characters, and no control characters. Without it: operator.',
});
