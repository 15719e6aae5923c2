// The functions that an address of the simulator may call: their arguments, the raw datatypes that they serve, and the
// rules between arguments. The parser, the checks and the documentation derive from this table.
import { type Datatype, datatypes, form, traitsOf } from '@telltale/schema';
import {
  defineVariables,
  type PointKind,
  type Static,
  type TObject,
  Type,
  type VariableSet,
} from '@telltale/stack-kit';

export interface AddressFunction<Values> {
  readonly summary: Readonly<Record<PointKind, string>>;
  readonly parameters: VariableSet<Values>['parameters'];
  /** The argument that comes first and without its name. */
  readonly positional: string | undefined;
  /** The raw datatypes that it serves, by kind of point; a kind that is not there is not served. */
  readonly datatypes: Readonly<Partial<Record<PointKind, readonly Datatype[]>>>;
  /** Arguments that have a meaning for one kind of point alone. */
  readonly only: Readonly<Record<string, PointKind>>;
  read(texts: Record<string, string>): { values: Values } | { fault: string };
}

interface Declaration<V extends TObject> {
  summary: string | Record<PointKind, string>;
  arguments: V;
  positional?: keyof Static<V> & string;
  measurement?: readonly Datatype[];
  command?: readonly Datatype[];
  only?: { [A in keyof Static<V>]?: PointKind };
  rule?(values: Static<V>): string | undefined;
}

function declare<const V extends TObject>(declaration: Declaration<V>): AddressFunction<Static<V>> {
  const { summary, positional, measurement, command, only = {}, rule } = declaration;
  const { parameters, read } = defineVariables(declaration.arguments);
  return {
    summary: typeof summary === 'string' ? { measurement: summary, command: summary } : summary,
    parameters,
    positional,
    datatypes: { ...(measurement && { measurement }), ...(command && { command }) },
    only: only as Record<string, PointKind>,
    read(texts) {
      const { values, faults } = read(texts);
      if (values === undefined) return { fault: faults.map(({ field, message }) => `${field} ${message}`).join('; ') };
      const fault = rule?.(values);
      return fault === undefined ? { values } : { fault };
    },
  };
}

const numbers = datatypes.filter((datatype) => traitsOf(datatype).isQuantity);
const numbersAndStates = datatypes.filter((datatype) => traitsOf(datatype).form !== form.text);
const texts = datatypes.filter((datatype) => traitsOf(datatype).form === form.text);
const booleans = datatypes.filter((datatype) => traitsOf(datatype).isBoolean);
const faultSwitch = [...booleans, ...numbers];

/** Tags of echoes and buses: dots let an engineer group them. */
export const tagPattern = '^[_a-zA-Z0-9.]{1,64}$';

const number = (title: string, value: number) => Type.Number({ title, default: value });
const seconds = (title: string, value: number) =>
  Type.Number({ title: `Seconds ${title}`, default: value, minimum: 0.001, maximum: 1_000_000_000, unit: 's' });
const phase = Type.Number({ title: 'Seconds by which it is shifted ahead; negative: behind', default: 0 });
const tag = Type.String({
  title: 'Letters, digits, _ and dots, at most 64',
  pattern: tagPattern,
  form: '1 to 64 characters of 0-9, a-z, A-Z, _ and dots',
});
const of = (kind: PointKind) =>
  Type.Optional(
    Type.String({
      title: `Name of the affected ${kind} of this connector; default: all`,
      pattern: '^[_a-zA-Z0-9]{1,64}$',
      form: '1 to 64 characters of 0-9, a-z, A-Z and _',
    }),
  );

function rising({ low, high }: { low: number; high?: number }): string | undefined {
  return high !== undefined && low > high ? `low must not be above high: ${low} is above ${high}` : undefined;
}

export const functions = {
  sine: declare({
    summary: 'a sine wave between low and high',
    arguments: Type.Object({
      low: number('Lowest value', 0),
      high: number('Highest value', 100),
      period: seconds('of one wave', 60),
      phase,
    }),
    measurement: numbers,
    rule: rising,
  }),
  ramp: declare({
    summary: 'rises linearly from low to high, then falls back',
    arguments: Type.Object({
      low: number('Lowest value', 0),
      high: number('Highest value', 100),
      period: seconds('of rise and fall together', 60),
      fall: Type.Number({ title: 'Seconds of the period in which it falls; 0: at once', default: 0, minimum: 0 }),
      phase,
    }),
    measurement: numbers,
    rule: (values) =>
      rising(values) ??
      (values.fall > values.period
        ? `fall must not be longer than period: ${values.fall} is longer than ${values.period}`
        : undefined),
  }),
  square: declare({
    summary: 'high for a part of the period, low for the rest',
    arguments: Type.Object({
      low: number('Value during the rest', 0),
      high: number('Value during the first part', 1),
      period: seconds('of both parts together', 10),
      duty: Type.Number({ title: 'Fraction of the period that is high', default: 0.5, minimum: 0, maximum: 1 }),
      phase,
    }),
    measurement: numbersAndStates,
    rule: rising,
  }),
  walk: declare({
    summary: 'a random walk between low and high',
    arguments: Type.Object({
      low: number('Lowest value', 0),
      high: number('Highest value', 100),
      start: Type.Optional(Type.Number({ title: 'First value; default: midway' })),
      step: Type.Number({ title: 'Largest move', default: 1, minimum: 0 }),
      period: seconds('between moves', 1),
    }),
    measurement: numbers,
    rule: (values) =>
      rising(values) ??
      (values.start !== undefined && (values.start < values.low || values.start > values.high)
        ? `start must be between low and high: ${values.start} is not between ${values.low} and ${values.high}`
        : undefined),
  }),
  counter: declare({
    summary: 'counts from low to high and wraps to low; with a negative step, from high down to low',
    arguments: Type.Object({
      low: number('First value', 0),
      high: Type.Optional(Type.Number({ title: 'Last value; default: the largest exact value of the datatype' })),
      step: number('Increment', 1),
      period: seconds('between steps', 1),
    }),
    measurement: numbersAndStates,
    rule: (values) => rising(values) ?? (values.step === 0 ? 'step must not be 0' : undefined),
  }),
  text: declare({
    summary: 'shows one text after the other',
    arguments: Type.Object({
      words: Type.String({
        title: 'The texts, in quotes, separated by |',
        pattern: '^[^|]+(?:\\|[^|]+)*$',
        form: 'texts separated by |, none of them empty',
      }),
      period: seconds('that each is shown', 5),
    }),
    measurement: texts,
  }),
  echo: declare({
    summary: {
      measurement: 'the value last written to the command echo(…) of the same tag; before that, zero or an empty text',
      command: 'shown by the measurements echo(…) of the same tag',
    },
    arguments: Type.Object({
      tag,
      delay: Type.Number({ title: 'Seconds until a write is seen', default: 0, minimum: 0, maximum: 3600 }),
    }),
    positional: 'tag',
    only: { delay: 'measurement' },
    measurement: datatypes,
    command: datatypes,
  }),
  model: declare({
    summary: 'a tag of the model, listed below; each connector runs a model of its own',
    arguments: Type.Object({ tag }),
    positional: 'tag',
    measurement: datatypes,
    command: datatypes,
  }),
  bus: declare({
    summary: {
      measurement:
        'the measurement or command that a simulator provider on the bus of this connector serves at this tag',
      command: 'the command that a simulator provider on the bus of this connector serves at this tag',
    },
    arguments: Type.Object({ tag }),
    positional: 'tag',
    measurement: datatypes,
    command: datatypes,
  }),
  drop_link: declare({
    summary: 'a fault: the link to the simulated device is lost',
    arguments: Type.Object({}),
    command: numbers,
  }),
  bad_quality: declare({
    summary: 'a fault: the quality of measurements is bad or uncertain, their values do not change',
    arguments: Type.Object({
      of: of('measurement'),
      quality: Type.Integer({
        title: 'The quality, below 192: 16 is bad, sensor failure; 80 uncertain, sensor not accurate',
        default: 16,
        minimum: 0,
        maximum: 191,
      }),
    }),
    only: { quality: 'command' },
    measurement: booleans,
    command: faultSwitch,
  }),
  freeze: declare({
    summary: 'a fault: measurements do not change, with good quality, like a stuck sensor',
    arguments: Type.Object({ of: of('measurement') }),
    measurement: booleans,
    command: faultSwitch,
  }),
  slow_write: declare({
    summary: 'a fault: the device answers writes late',
    arguments: Type.Object({
      of: of('command'),
      delay: Type.Number({ title: 'Seconds until the answer', default: 5, minimum: 0.001, maximum: 3600 }),
    }),
    only: { delay: 'command' },
    measurement: booleans,
    command: faultSwitch,
  }),
  refuse_write: declare({
    summary: 'a fault: the device refuses writes',
    arguments: Type.Object({
      of: of('command'),
      reason: Type.String({ title: 'The reason, in quotes', default: 'refused by the simulator' }),
    }),
    only: { reason: 'command' },
    measurement: booleans,
    command: faultSwitch,
  }),
};

export type FunctionName = keyof typeof functions;

/** Those of a connector; `model` is there where its stack has one. */
export function functionNames(hasModel: boolean): FunctionName[] {
  return (Object.keys(functions) as FunctionName[]).filter((name) => name !== 'model' || hasModel);
}
