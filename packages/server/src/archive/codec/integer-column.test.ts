import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import { encodeIntegers } from './integer-column.ts';
import { integerForm } from './integer-forms.ts';
import { decodeIntegers } from './read-integer-column.ts';

function encoded(numbers: readonly number[], slanted = false): Uint8Array {
  const out = new ByteWriter(16);
  // Neither what stands before nor around the numbers may matter.
  encodeIntegers(out, Float64Array.of(5, ...numbers, 5), 1, numbers.length + 1, slanted);
  return out.written().slice();
}

function decoded(bytes: Uint8Array, count: number): number[] {
  const into = new Float64Array(count + 1);
  const reader = new ByteReader(bytes);
  decodeIntegers(reader, count, into, 1);
  assert.equal(reader.left, 0);
  return [...into.subarray(1)];
}

/** Whole numbers from 0 on, always the same. */
function pseudoRandom(below: number, count = 1024): number[] {
  let seed = 1;
  return Array.from({ length: count }, () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  });
}

function summed(steps: readonly number[]): number[] {
  let sum = 0;
  return steps.map((step) => {
    sum += step;
    return sum;
  });
}

const small = fc.integer({ min: -20, max: 20 });
const large = fc.integer({ min: -(2 ** 52) + 1, max: 2 ** 52 - 1 });
const extreme = fc.constantFrom(0, 2 ** 52 - 1, 1 - 2 ** 52, 2 ** 32, -(2 ** 31), 2 ** 31 - 1);
const pieces = fc.oneof(
  fc.array(small, { maxLength: 300 }),
  fc.array(fc.oneof({ weight: 20, arbitrary: small }, large, extreme), { maxLength: 300 }),
  fc.tuple(large, fc.nat(300)).map(([number, length]) => Array.from({ length }, () => number)),
  fc
    .tuple(fc.nat(2 ** 50), fc.nat(2 ** 30), fc.array(fc.nat(50), { maxLength: 300 }))
    .map(([first, step, jitters]) => jitters.map((jitter, index) => first + index * step + jitter)),
  fc
    .tuple(fc.nat(10_000), fc.array(fc.nat(2 ** 20), { maxLength: 300 }))
    .map(([unit, list]) => list.map((each) => unit * each)),
);
const columns = fc.array(pieces, { minLength: 1, maxLength: 3 }).map((lists) => lists.flat());

describe('an integer column', () => {
  test('comes back as it was', () => {
    fc.assert(
      fc.property(columns, fc.boolean(), (numbers, slanted) => {
        assert.deepEqual(decoded(encoded(numbers, slanted), numbers.length), numbers);
      }),
      { numRuns: 500 },
    );
  });

  test('comes back at the ends of its range, where not every difference is exact', () => {
    const end = fc.tuple(fc.constantFrom(-1, 0, 1), fc.nat(4)).map(([side, off]) => side * (2 ** 52 - 5) + off);
    const few = fc.array(end, { minLength: 1, maxLength: 6 });
    const many = fc
      .tuple(few, fc.constantFrom(1, 2, 127, 128, 129))
      .map(([list, times]) => list.flatMap((number) => Array.from({ length: times }, () => number)));
    fc.assert(
      fc.property(fc.oneof(few, many), fc.boolean(), (numbers, slanted) => {
        assert.deepEqual(decoded(encoded(numbers, slanted), numbers.length), numbers);
      }),
      { numRuns: 1000 },
    );
  });

  test('whose runs go beyond it, or whose numbers are too wide, is refused', () => {
    for (const bytes of [
      [integerForm.runs, 4, 1],
      [integerForm.runs, 2, 1, 2, 1],
      [integerForm.runsOfSteps, 0, 3, 1],
      [integerForm.plain, 54, 0],
    ]) {
      const padded = Uint8Array.from({ length: 100 }, (_, index) => bytes[index] ?? 0);
      assert.throws(() => decodeIntegers(new ByteReader(padded), 3, new Float64Array(3), 0), RangeError, String(bytes));
    }
  });

  test('is never much longer than its numbers packed plainly', () => {
    fc.assert(
      fc.property(columns, fc.boolean(), (numbers, slanted) => {
        assert.ok(encoded(numbers, slanted).length <= 32 + Math.ceil((numbers.length * 54) / 8) + numbers.length / 8);
      }),
    );
  });

  const line = Array.from({ length: 1024 }, (_, index) => 1_700_000_000_000_000 + index * 1_000_000);
  const noise = pseudoRandom(1000);
  const forms: [string, readonly number[], keyof typeof integerForm, number][] = [
    ['one number is itself', [42], 'steps', 2],
    ['a constant is a run', Array.from({ length: 1024 }, () => 192), 'runs', 4],
    ['a state that rarely changes is runs', line.map((_, index) => (index % 300 < 150 ? 0 : 1)), 'runs', 25],
    ['an even scan is a run of steps', line, 'runsOfSteps', 14],
    ['an even scan with a gap is runs of steps', line.map((t, i) => (i < 500 ? t : t + 5e9)), 'runsOfSteps', 30],
    ['noise is packed plainly', noise, 'plain', 1.29 * 1024],
    ['a random walk is packed as steps', summed(pseudoRandom(16)), 'steps', 0.54 * 1024],
    ['a walk of the slope is packed as bends', summed(summed(pseudoRandom(16))), 'bends', 0.56 * 1024],
    ['times that jitter lie around a line', line.map((t, i) => t + (noise[i] as number)), 'line', 1.29 * 1024],
    ['few numbers far apart are a dictionary', pseudoRandom(4).map((n) => n ** 15), 'dictionary', 0.3 * 1024],
    ['multiples of a scan are divided', summed(pseudoRandom(16).map((n) => n * 100_000)), 'divided', 0.56 * 1024],
  ];
  for (const [title, numbers, form, mostBytes] of forms) {
    test(`${title}, in at most ${Math.round(mostBytes)} bytes`, () => {
      const bytes = encoded(numbers, form === 'line');
      assert.equal(bytes[0], integerForm[form]);
      assert.ok(bytes.length <= mostBytes, String(bytes.length));
      assert.deepEqual(decoded(bytes, numbers.length), numbers);
    });
  }

  test('a divisor may lie around a dictionary, and neither lies in itself', () => {
    const numbers = pseudoRandom(4).map((n) => n ** 15 * 6);
    const bytes = encoded(numbers);
    assert.equal(bytes[0], integerForm.divided);
    assert.deepEqual(decoded(bytes, numbers.length), numbers);
    for (const form of [integerForm.divided, integerForm.dictionary]) {
      const nested = new Uint8Array(1000).fill(form);
      assert.throws(() => decodeIntegers(new ByteReader(nested), 100, new Float64Array(100), 0), RangeError);
    }
  });

  test('cannot be read into too little room', () => {
    const reader = new ByteReader(encoded([1, 2, 3]));
    assert.throws(() => decodeIntegers(reader, 3, new Float64Array(3), 1), RangeError);
  });
});
