// The resources of the data-access interface, version 1.
import Type, { type Static, type TSchema } from 'typebox';
import { alarmStates } from './alarm-words.ts';
import { Area, type Command, type Measurement, Severity } from './configuration.ts';
import { maxPrecision, precisionOf } from './shown-value.ts';
import { formatPrefixed, parseText } from './value.ts';
import { Datatype, Identifier, PrefixedValue, Quality, Timestamp } from './wire-schemas.ts';

const RangeEnd = Type.Union([PrefixedValue, Type.Null()]);
export const Range = Type.Tuple([RangeEnd, RangeEnd], { description: 'Low and high end; null where not set.' });
type Range = Static<typeof Range>;

export const Vt = Type.Tuple([PrefixedValue, Timestamp], { description: 'Value and timestamp.' });
export type Vt = Static<typeof Vt>;

export const Vtq = Type.Tuple([PrefixedValue, Timestamp, Quality], { description: 'Value, timestamp and quality.' });
export type Vtq = Static<typeof Vtq>;

/** A field of a live point that comes from its definition, and does not change with readings. */
export interface DefinitionField<Point> {
  readonly schema: TSchema;
  /** Its value as JSON has it; undefined: an object that is shown whole is without it. */
  readonly of: (point: Point) => unknown;
  /** Its value where it was requested by name, and `of` gives nothing. */
  readonly requested: ((point: Point) => unknown) | undefined;
}

const given = <S extends TSchema, Point = Measurement | Command>(
  schema: S,
  of: (point: Point) => Static<S> | undefined,
  requested?: (point: Point) => Static<S>,
) => ({ schema, of, requested }) satisfies DefinitionField<Point>;

/** What measurements and commands have in common, in the order in which it is shown. */
const pointDefinition = {
  address: given(Type.String({ description: 'The address on the connector.' }), ({ address = '' }) => address),
  datatype: given(Datatype, ({ datatype }) => datatype),
  'raw-datatype': given(Datatype, ({ datatype, rawDatatype = datatype }) => rawDatatype),
  'eu-range': given(Range, ({ datatype, euRangeLo, euRangeHi }) => rangeOf(datatype, euRangeLo, euRangeHi)),
  'raw-range': given(Range, ({ datatype, rawDatatype = datatype, rawRangeLo, rawRangeHi }) =>
    rangeOf(rawDatatype, rawRangeLo, rawRangeHi),
  ),
  description: given(
    Type.Optional(Type.String()),
    ({ description }) => description,
    () => '',
  ),
  eu: given(
    Type.Optional(Type.String({ description: 'The engineering unit; shown where it is set.' })),
    ({ eu }) => eu,
    () => '',
  ),
  area: given(
    Type.Optional(Area),
    ({ area }) => area || undefined,
    () => '',
  ),
  connector: given(
    Type.Optional(
      Type.String({ description: 'The connector it belongs to; empty where there is none. On request only.' }),
    ),
    () => undefined,
    ({ connectorName = '' }) => connectorName,
  ),
  precision: given(
    Type.Optional(
      Type.Union([Type.Integer({ minimum: 0, maximum: maxPrecision }), Type.Null()], {
        description: 'How many decimals people are best shown; null where nothing says it. On request only.',
      }),
    ),
    () => undefined,
    (point) => precisionOf(point) ?? null,
  ),
};

function rangeOf(datatype: Measurement['datatype'], low: string | undefined, high: string | undefined): Range {
  return [endOf(datatype, low), endOf(datatype, high)];
}

/** As every value that the service emits: in its shortest form, whatever form it was configured in. */
function endOf(datatype: Measurement['datatype'], text: string | undefined): string | null {
  return text === undefined ? null : formatPrefixed(datatype, parseText(datatype, text));
}

const measurementDefinition = { ...pointDefinition };
const commandDefinition = { ...pointDefinition };

type Schemas<Fields extends Record<string, { readonly schema: TSchema }>> = {
  [Name in keyof Fields]: Fields[Name]['schema'];
};

const schemasOf = <Fields extends Record<string, { readonly schema: TSchema }>>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema])) as Schemas<Fields>;

export const LiveMeasurement = Type.Object(
  { name: Identifier, ...schemasOf(measurementDefinition), vtq: Vtq },
  { title: 'LiveMeasurement', additionalProperties: false },
);
export type LiveMeasurement = Static<typeof LiveMeasurement>;

export const LiveCommand = Type.Object(
  { name: Identifier, ...schemasOf(commandDefinition), vt: Vt },
  { title: 'LiveCommand', additionalProperties: false },
);
export type LiveCommand = Static<typeof LiveCommand>;

export const AlarmState = Type.Enum([...alarmStates], { type: 'string' });
export type AlarmState = (typeof alarmStates)[number];

export const LiveAlarm = Type.Object(
  {
    name: Identifier,
    severity: Severity,
    t: Timestamp,
    authority: Type.String({
      description:
        'Who caused the last transition; of a trigger: trigger, or trigger, simulated where its measurement was simulated.',
    }),
    state: AlarmState,
    description: Type.String(),
    area: Type.Optional(Area),
  },
  { title: 'LiveAlarm', additionalProperties: false },
);
export type LiveAlarm = Static<typeof LiveAlarm>;

/** The fields of a live point as it is shown: its name, the one that changes, and those that its definition gives. */
export interface PointFields<Point> {
  readonly live: 'vtq' | 'vt';
  readonly definition: Readonly<Record<string, DefinitionField<Point>>>;
}
export const liveMeasurement: PointFields<Measurement> = { live: 'vtq', definition: measurementDefinition };
export const liveCommand: PointFields<Command> = { live: 'vt', definition: commandDefinition };

/** In the order in which they are shown. */
const keysOf = <Field extends string>(fields: Record<Field, unknown>) => Object.keys(fields) as Field[];

export type MeasurementField = keyof LiveMeasurement;
export const measurementFields: readonly MeasurementField[] = ['name', 'vtq', ...keysOf(measurementDefinition)];

export type CommandField = keyof LiveCommand;
export const commandFields: readonly CommandField[] = ['name', 'vt', ...keysOf(commandDefinition)];

export type AlarmField = keyof LiveAlarm;
export const alarmFields: readonly AlarmField[] = keysOf(LiveAlarm.properties);

export const Simulation = Type.Object(
  {
    name: Identifier,
    value: PrefixedValue,
    quality: Quality,
    since: Timestamp,
    until: Type.Union([Timestamp, Type.Null()], { description: 'When it ends by itself; null: when it is stopped.' }),
    by: Type.String({ description: 'Who forced it.' }),
    reason: Type.Union([Type.String(), Type.Null()], { description: 'Why; null where that was not said.' }),
  },
  { title: 'Simulation', additionalProperties: false },
);
export type Simulation = Static<typeof Simulation>;

/** Seconds, fractions allowed. */
export const ValidFor = Type.Number({
  exclusiveMinimum: 0,
  description: 'Seconds after which the simulation ends by itself; without it, it lasts until it is stopped.',
});

/** Shown on terminals and stored permanently: no control characters, and none that change the direction of text. */
const shownText = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069]*$';

export const Authority = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: shownText,
  description: 'Who does it: at most 128 characters, and no control characters. Without it: operator.',
});

export const Reason = Type.String({
  minLength: 1,
  maxLength: 256,
  pattern: shownText,
  description: 'Why: at most 256 characters, and no control characters.',
});
