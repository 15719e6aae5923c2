// Random steps for alarms and their model: few names and few values, so that alarms, operations and the disk meet.
import { type Alarm, type AlarmOperation, alarmOperations, type Datatype, quality, type Value } from '@telltale/schema';
import fc from 'fast-check';

export type AlarmStep =
  | { readonly kind: 'put'; readonly alarm: Alarm }
  | { readonly kind: 'remove'; readonly name: string }
  | { readonly kind: 'set'; readonly name: string; readonly at: number; readonly quality: number }
  | { readonly kind: 'rebuild'; readonly measurements: readonly (readonly [string, Datatype])[] }
  | { readonly kind: 'operate'; readonly name: string; readonly operation: AlarmOperation }
  | { readonly kind: 'advance'; readonly ms: number }
  | { readonly kind: 'disk'; readonly answers: number; readonly isTaken: boolean }
  | { readonly kind: 'crash' };

export const measurementNames = ['m', '__proto__', 'toString'] as const;

/** Of each datatype some values around the references of the alarms. */
export const valuesOf: Readonly<Partial<Record<Datatype, readonly Value[]>>> = {
  b: [false, true],
  i: [0, 1, 2, 3, 4],
  l: [0n, 1n, 2n, 3n, 9007199254740992n, 9007199254740993n, 9007199254740994n],
  d: [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5],
  s: ['', '1', '2', 'x', 'y'],
};

const name = fc.constantFrom('a', 'b', '__proto__', 'constructor');
const measurement = fc.constantFrom<string>(...measurementNames);
const datatype = fc.constantFrom<Datatype>('b', 'i', 'l', 'd', 'd', 's');
const delay = fc.constantFrom('0', '0', '0', '10', '25');
const reference = fc.constantFrom('0', '1', '1', '2', '2', '2.5', 'x', '9007199254740993');
const anyQuality = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<number>(quality.good, quality.good, quality.uncertain.nonSpecific) },
  { weight: 1, arbitrary: fc.nat(0xffff) },
);

const triggered = fc.record(
  {
    name,
    severity: fc.nat(3),
    trgMeasurement: measurement,
    trgOperator: fc.constantFrom('lt', 'le', 'gt', 'ge', 'eq', 'ne'),
    trgRefValue: reference,
    properties: fc.record({ onDelay: delay, offDelay: delay }, { requiredKeys: [] }),
    ackMode: fc.constantFrom('manual', 'manual', 'auto'),
    description: fc.constantFrom('', 'hot'),
    trgHysteresis: fc.constantFrom('0', '1', '1', '0.5'),
  },
  { requiredKeys: ['name', 'severity', 'trgMeasurement', 'trgOperator', 'trgRefValue', 'properties'] },
);
const alarm: fc.Arbitrary<Alarm> = fc.oneof(
  { weight: 8, arbitrary: triggered },
  { weight: 1, arbitrary: fc.record({ name, severity: fc.nat(3) }) },
);

const rebuilt = fc
  .tuple(fc.shuffledSubarray([...measurementNames], { minLength: 2 }), datatype, datatype, datatype)
  .map(([names, ...datatypes]) => names.map((each, at) => [each, datatypes[at] as Datatype] as const));

export const anyAlarmStep: fc.Arbitrary<AlarmStep> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('put'), alarm }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove'), name }) },
  {
    weight: 16,
    arbitrary: fc.record({ kind: fc.constant('set'), name: measurement, at: fc.nat(20), quality: anyQuality }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rebuild'), measurements: rebuilt }) },
  {
    weight: 10,
    arbitrary: fc.record({ kind: fc.constant('operate'), name, operation: fc.constantFrom(...alarmOperations) }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('advance'), ms: fc.constantFrom(1, 5, 10, 25, 1000, 60000) }) },
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('disk'),
      answers: fc.integer({ min: 1, max: 4 }),
      isTaken: fc.constantFrom(true, true, true, false),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'crash' }) },
) as fc.Arbitrary<AlarmStep>;
