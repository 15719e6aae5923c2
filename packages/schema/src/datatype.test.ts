// What the traits of a datatype promise to all who ask them, as properties: they hold for a datatype that is yet to come.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Batch } from './batch.ts';
import { type Datatype, datatypes, form, isDatatype, traitsOf } from './datatype.ts';
import { fits, fitValue, type StoredValue, stored, unstored } from './stored-value.ts';
import { parsePrefixed, prefixedValuePattern } from './value.ts';
import { maxTextBytes, type Value, ValueError } from './value-text.ts';

/** Any value of a datatype, by its traits alone. */
function anyValue(datatype: Datatype): fc.Arbitrary<Value> {
  const { form: held, precision, lowest, highest } = traitsOf(datatype);
  if (held === form.text) return fc.string({ unit: 'binary' });
  if (held === form.long) return fc.bigInt({ min: lowest as bigint, max: highest as bigint });
  const [min, max] = [lowest as number, highest as number];
  if (precision === 'whole') return fc.integer({ min, max }).map((value) => unstored(datatype, value));
  return precision === 'single' ? fc.float({ min, max, noNaN: true }) : fc.double({ min, max, noNaN: true });
}

const anything = fc.oneof(...datatypes.map((datatype) => anyValue(datatype)), fc.double(), fc.bigInt());

function isRefused(attempt: () => unknown): boolean {
  try {
    attempt();
    return false;
  } catch (error) {
    assert.ok(error instanceof ValueError, String(error));
    return true;
  }
}

/** One beyond the end of a range: the next whole number, or the next power of two. */
function beyond(datatype: Datatype, end: number | bigint, sign: 1 | -1): number | bigint {
  if (typeof end === 'bigint') return end + BigInt(sign);
  const { precision } = traitsOf(datatype);
  if (precision === 'whole') return end + sign;
  return precision === 'single' ? sign * 2 ** 128 : sign * Number.POSITIVE_INFINITY;
}

/** All its digits; of infinity those of the next power of ten above all doubles. */
function digitsOf(number: number | bigint): string {
  if (Number.isFinite(Number(number))) return String(BigInt(number));
  return `${number < 0 ? '-' : ''}1${'0'.repeat(309)}`;
}

for (const datatype of datatypes) {
  const of = traitsOf(datatype);

  describe(`datatype ${datatype}, ${of.title}`, () => {
    test('reads what it writes as the same value, and writes the pattern', () => {
      const pattern = new RegExp(`^(?:${of.pattern})$`, 'u');
      fc.assert(
        fc.property(anyValue(datatype), (value) => {
          const text = of.format(value);
          assert.ok(Object.is(of.parse(text), value));
          assert.match(text, pattern);
        }),
      );
    });

    test('has a zero and an example that are values of it', () => {
      assert.equal(of.parse(of.format(of.zero)), of.zero);
      assert.ok(of.form === form.text ? of.zero === '' : Number(of.zero) === 0);
      assert.equal(of.format(of.parse(of.example)), of.example);
      assert.deepEqual(parsePrefixed(datatype + of.example), { datatype, value: of.parse(of.example) });
      assert.match(datatype + of.example, new RegExp(prefixedValuePattern, 'u'));
    });

    test('takes the ends of its range and refuses one beyond', () => {
      if (of.form === form.text) {
        assert.deepEqual([of.lowest, of.highest], [undefined, undefined]);
        assert.ok(
          fits(traitsOf(datatype), 'x'.repeat(maxTextBytes)) && !fits(traitsOf(datatype), 'x'.repeat(maxTextBytes + 1)),
        );
        return;
      }
      const [lowest, highest] = [of.lowest, of.highest] as [number | bigint, number | bigint];
      for (const end of [lowest, highest]) {
        assert.ok(fits(traitsOf(datatype), end));
        const value = unstored(datatype, end);
        assert.equal(of.parse(of.format(value)), value);
        assert.equal(fitValue(datatype, value), value);
      }
      for (const outside of [beyond(datatype, lowest, -1), beyond(datatype, highest, 1)]) {
        assert.ok(!fits(traitsOf(datatype), outside));
        assert.equal(fitValue(datatype, outside), undefined);
        assert.ok(isRefused(() => of.format(outside)));
        assert.ok(isRefused(() => of.parse(digitsOf(outside))));
      }
    });

    test('compares as its values do, in one order', () => {
      fc.assert(
        fc.property(anyValue(datatype), anyValue(datatype), anyValue(datatype), (a, b, c) => {
          const order = of.compare(a, b);
          assert.equal(order < 0, a < b);
          assert.equal(order > 0, a > b);
          assert.equal(Math.sign(of.compare(b, a)), 0 - Math.sign(order));
          if (order <= 0 && of.compare(b, c) <= 0) assert.ok(of.compare(a, c) <= 0);
        }),
      );
    });

    test('stores a value in its form, and gives it back', () => {
      const names = { [form.number]: 'number', [form.long]: 'bigint', [form.text]: 'string' };
      fc.assert(
        fc.property(anyValue(datatype), (value) => {
          const back = stored(value);
          assert.equal(typeof back, names[of.form]);
          assert.ok(fits(traitsOf(datatype), back));
          assert.ok(Object.is(unstored(datatype, back), value));
          assert.equal(of.isBoolean, typeof value === 'boolean');
          const batch = new Batch();
          batch.value(1, value, 0, 0);
          assert.equal(batch.forms[0], of.form);
          assert.ok(Object.is(batch.valueAt(0), back));
        }),
      );
    });

    test('is exact in a double where it says so', () => {
      fc.assert(
        fc.property(anyValue(datatype), (value) => {
          if (of.isExactInDouble) assert.ok(Object.is(unstored(datatype, Number(value)), value));
        }),
      );
      const isBeyond = typeof of.highest === 'bigint' && BigInt(Number(of.highest)) !== of.highest;
      assert.equal(of.isExactInDouble, of.form !== form.text && !isBeyond);
    });

    test('takes of other datatypes what is the same number, or the nearest single, and nothing else', () => {
      fc.assert(
        fc.property(anything, (value) => {
          const fitted = fitValue(datatype, value);
          if (fitted === undefined) {
            const isOwn = !isRefused(() => of.format(value));
            assert.ok(!isOwn, 'a value of the datatype fits');
            return;
          }
          assert.ok(!isRefused(() => of.format(fitted)));
          if (typeof value === 'string') assert.equal(fitted, value);
          else if (of.precision === 'single') assert.equal(fitted, Math.fround(Number(value)));
          else if (typeof value === 'bigint') assert.equal(BigInt(fitted), value);
          else assert.ok(Number(fitted) === Number(value));
        }),
        { numRuns: 500 },
      );
    });
  });
}

const fitted: readonly [Value, Datatype, Value | undefined][] = [
  [2.5, 'i', undefined],
  [2 ** 31, 'i', undefined],
  [2 ** 31, 'l', 2n ** 31n],
  [2 ** 53, 'l', undefined],
  [2n ** 53n + 1n, 'd', undefined],
  [2n ** 53n + 1n, 'f', undefined],
  [2n ** 24n + 1n, 'f', 2 ** 24],
  [1e39, 'f', undefined],
  [true, 'd', 1],
  [2, 'b', undefined],
  [1n, 'b', true],
  [-0, 'i', 0],
  [4, 'q', undefined],
  [1e300, 'l', undefined],
  ['1', 'd', undefined],
  [1, 's', undefined],
  ['1', 's', '1'],
];
for (const [value, datatype, expected] of fitted) {
  test(`${typeof value} ${value} as ${datatype}: ${expected ?? 'does not fit'}`, () => {
    assert.equal(fitValue(datatype, value), expected);
  });
}

test('what is no number, and half of a pair of surrogates, fits nothing', () => {
  const strange: StoredValue[] = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, '\ud800'];
  for (const datatype of datatypes) {
    for (const value of strange) {
      assert.ok(!fits(traitsOf(datatype), value));
      assert.equal(fitValue(datatype, value), undefined);
    }
  }
});

test('a datatype is one letter that is nothing else', () => {
  for (const datatype of datatypes) assert.ok(/^[a-z]$/.test(datatype) && isDatatype(datatype));
  for (const other of ['', 'x', 'bb', '__proto__', 'constructor', 'toString']) assert.ok(!isDatatype(other));
});
