// Promises of the conditions of triggers: truth tables of every operator and datatype at the boundaries.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Alarm, type Datatype, parseText, type Value } from '@telltale/schema';
import fc from 'fast-check';
import { holdsOf, readCondition } from './trigger-condition.ts';

type Operator = NonNullable<Alarm['trgOperator']>;

interface Texts {
  readonly operator: Operator;
  readonly reference: string;
  readonly hysteresis?: string | undefined;
}

function holds(datatype: Datatype, { operator, reference, hysteresis }: Texts, value: Value, isActive: boolean) {
  const alarm: Alarm = { name: 'a', severity: 1, trgOperator: operator, trgRefValue: reference };
  const condition = readCondition({ ...alarm, ...(hysteresis && { trgHysteresis: hysteresis }) }, datatype);
  assert.ok(condition);
  return holdsOf(condition, typeof value === 'boolean' ? Number(value) : value, isActive);
}

/** Values below, at and above the reference; which operators hold of them. */
const table: { datatype: Datatype; reference: string; below: string[]; at: string[]; above: string[] }[] = [
  { datatype: 'b', reference: '1', below: ['0'], at: ['1'], above: [] },
  { datatype: 'b', reference: '0', below: [], at: ['0'], above: ['1'] },
  { datatype: 'q', reference: '2', below: ['0', '1'], at: ['2'], above: ['3'] },
  { datatype: 'i', reference: '-2147483648', below: [], at: ['-2147483648'], above: ['-2147483647', '2147483647'] },
  { datatype: 'i', reference: '2147483647', below: ['2147483646', '-1'], at: ['2147483647'], above: [] },
  {
    datatype: 'l',
    reference: '9007199254740993',
    below: ['9007199254740992', '-9223372036854775808'],
    at: ['9007199254740993'],
    above: ['9007199254740994', '9223372036854775807'],
  },
  { datatype: 'f', reference: '0.1', below: ['0.09999999', '-0.1'], at: ['0.1'], above: ['0.10000001'] },
  { datatype: 'd', reference: '0.3', below: ['0.29999999999999993'], at: ['0.3'], above: ['0.30000000000000004'] },
  { datatype: 'd', reference: '0', below: ['-0.0000001'], at: ['0', '-0'], above: ['0.0000001'] },
  { datatype: 's', reference: 'b', below: ['', 'B', 'a', 'azz'], at: ['b'], above: ['ba', 'c', 'é'] },
  // By code units the first half of a pair, U+D83D, stands before U+FFFD; by code points it would be behind it.
  { datatype: 's', reference: '\uFFFD', below: ['😀'], at: ['\uFFFD'], above: ['\uFFFE'] },
];

const truth: Record<'below' | 'at' | 'above', Record<Operator, boolean>> = {
  below: { lt: true, le: true, gt: false, ge: false, eq: false, ne: true },
  at: { lt: false, le: true, gt: false, ge: true, eq: true, ne: false },
  above: { lt: false, le: false, gt: true, ge: true, eq: false, ne: true },
};
const operators = Object.keys(truth.at) as Operator[];

describe('AL-6, AL-7: a condition', () => {
  for (const { datatype, reference, ...values } of table) {
    test(`over ${datatype} at ${JSON.stringify(reference)} is true where mathematics says so`, () => {
      for (const place of ['below', 'at', 'above'] as const) {
        for (const operator of operators) {
          for (const text of values[place]) {
            const value = parseText(datatype, text);
            for (const isActive of [false, true]) {
              const found = holds(datatype, { operator, reference }, value, isActive);
              assert.equal(found, truth[place][operator], `${text} ${operator} ${reference}`);
            }
          }
        }
      }
    });
  }

  /** Reference 10, hysteresis 2: of each operator the values that hold, while inactive and while active. */
  const hysteresisTable: Record<Operator, { inactive: string; active: string }> = {
    lt: { inactive: '7 8 9', active: '7 8 9 10 11' },
    le: { inactive: '7 8 9 10', active: '7 8 9 10 11 12' },
    gt: { inactive: '11 12 13', active: '9 10 11 12 13' },
    ge: { inactive: '10 11 12 13', active: '8 9 10 11 12 13' },
    eq: { inactive: '8 9 10 11 12', active: '8 9 10 11 12' },
    ne: { inactive: '7 13', active: '7 13' },
  };

  for (const operator of operators) {
    test(`${operator} with a hysteresis clears when the value has come back by it`, () => {
      for (const datatype of ['i', 'l', 'f', 'd'] as const) {
        const holding = (isActive: boolean) =>
          [7, 8, 9, 10, 11, 12, 13]
            .filter((value) => {
              const texts = { operator, reference: '10', hysteresis: '2' };
              return holds(datatype, texts, parseText(datatype, String(value)), isActive);
            })
            .join(' ');
        assert.deepEqual({ inactive: holding(false), active: holding(true) }, hysteresisTable[operator], datatype);
      }
    });
  }

  test('over 64-bit integers is exact to the last digit, beyond their range too', () => {
    const [least, greatest] = [-(2n ** 63n), 2n ** 63n - 1n];
    const gt = { operator: 'gt', reference: String(least), hysteresis: String(greatest) } as const;
    assert.equal(holds('l', gt, least, true), true);
    assert.equal(holds('l', gt, least, false), false);
    const eq = { operator: 'eq', reference: String(greatest), hysteresis: '1' } as const;
    assert.deepEqual(
      [greatest, greatest - 1n, greatest - 2n, least].map((value) => holds('l', eq, value, false)),
      [true, true, false, false],
    );
  });

  test('over any 64-bit integers is that of the integers', () => {
    const long = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    const near = fc.tuple(long, fc.bigInt(-3n, 3n)).map(([at, by]) => [at, BigInt.asIntN(64, at + by)] as const);
    fc.assert(
      fc.property(near, fc.bigInt(0n, 2n), fc.boolean(), ([reference, value], by, isActive) => {
        const side = isActive ? by : 0n;
        const expected: Record<Operator, boolean> = {
          lt: value < reference + side,
          le: value <= reference + side,
          gt: value > reference - side,
          ge: value >= reference - side,
          eq: value >= reference - by && value <= reference + by,
          ne: value < reference - by || value > reference + by,
        };
        for (const operator of operators) {
          const texts = { operator, reference: String(reference), hysteresis: String(by) };
          assert.equal(holds('l', texts, value, isActive), expected[operator], operator);
        }
      }),
    );
  });

  test('that has no meaning in a datatype is none, and throws nothing', () => {
    const alarm: Alarm = { name: 'a', severity: 1, trgOperator: 'gt', trgRefValue: '0.5' };
    assert.equal(readCondition(alarm, 'i'), undefined);
    assert.equal(readCondition({ ...alarm, trgRefValue: '5', trgHysteresis: 'x' }, 'i'), undefined);
    assert.equal(readCondition({ ...alarm, trgOperator: 'constructor' as 'gt' }, 'd'), undefined);
    assert.equal(readCondition({ name: 'a', severity: 1 }, 'd'), undefined);
    assert.ok(readCondition(alarm, 'd'));
  });
});
