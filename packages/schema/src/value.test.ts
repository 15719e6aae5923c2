// Promises of the value codec, checked by forms written here a second time from the data-access document.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { type Datatype, datatypes } from './datatype.ts';
import {
  formatPrefixed,
  formatText,
  parsePrefixed,
  parsePrefixedAs,
  parseText,
  prefixedValuePattern,
  zeroOf,
} from './value.ts';
import { maxNumberLength, maxTextBytes, type Value, ValueError } from './value-text.ts';
import { PrefixedValue } from './wire-schemas.ts';

const forms: Record<Datatype, RegExp> = {
  b: /^(0|1)$/,
  q: /^(0|1|2|3)$/,
  i: /^(\+|-)?\d+$/,
  l: /^(\+|-)?\d+$/,
  f: /^(\+|-)?\d*\.?\d+$/,
  d: /^(\+|-)?\d*\.?\d+$/,
  s: /^[\s\S]*$/,
};

const finite = { noNaN: true, noDefaultInfinity: true };
const anyBits = fc.integer({ min: 0, max: 2 ** 32 - 1 }).map((bits) => {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, bits);
  return view.getFloat32(0);
});
const decimalOfFewDigits = fc.tuple(fc.integer(), fc.integer({ min: 0, max: 12 })).map(([n, k]) => n / 10 ** k);
const single = fc.oneof(fc.float(finite), anyBits.filter(Number.isFinite), decimalOfFewDigits.map(Math.fround));
const double = fc.oneof(fc.double(finite), decimalOfFewDigits);
const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' })).filter((chars) => chars.isWellFormed());

const values: Record<Datatype, fc.Arbitrary<Value>> = {
  b: fc.boolean(),
  q: fc.integer({ min: 0, max: 3 }),
  i: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  l: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  f: single,
  d: double,
  s: text,
};

const anyValue = fc
  .constantFrom(...datatypes)
  .chain((datatype) => values[datatype].map((value) => ({ datatype, value })));

const many = { numRuns: 2000 };
const fits = Compile(PrefixedValue);

function refused(read: () => unknown, message?: RegExp): void {
  assert.throws(read, (error) => {
    assert.ok(error instanceof ValueError, String(error));
    assert.match(error.message, message ?? / expected| out of range/);
    assert.ok(error.message.length < 300, 'a message stays short');
    return true;
  });
}

/** Significant digits of a decimal text. */
function digitsOf(decimal: string): number {
  const digits = decimal.replace(/e.*/, '').replace(/[-.]/g, '').replace(/^0+/, '').replace(/0+$/, '');
  return digits.length;
}

test('every value of every datatype reads back as exactly the same value', () => {
  fc.assert(
    fc.property(anyValue, ({ datatype, value }) => {
      assert.ok(Object.is(parseText(datatype, formatText(datatype, value)), value));
      const prefixed = formatPrefixed(datatype, value);
      assert.equal(prefixed, datatype + formatText(datatype, value));
      assert.deepEqual(parsePrefixed(prefixed), { datatype, value });
      assert.ok(Object.is(parsePrefixedAs(datatype, prefixed), value));
    }),
    many,
  );
});

test('everything emitted has the form of the document and no exponent', () => {
  fc.assert(
    fc.property(anyValue, ({ datatype, value }) => {
      const emitted = formatText(datatype, value);
      assert.match(emitted, forms[datatype]);
      if (datatype !== 's') assert.doesNotMatch(emitted, /[^-0-9.]/);
      assert.ok(fits.Check(datatype + emitted));
    }),
    many,
  );
  for (const extreme of [Number.MAX_VALUE, Number.MIN_VALUE, 1e21, 1e-7, 999999999999999900000, 123e-20]) {
    for (const value of [extreme, -extreme]) {
      const emitted = formatText('d', value);
      assert.match(emitted, /^-?\d+(\.\d+)?$/);
      assert.equal(parseText('d', emitted), value);
      assert.ok(emitted.length <= maxNumberLength);
    }
  }
});

test('numbers are emitted the way people write them', () => {
  const expected: [Datatype, Value, string][] = [
    ['d', 1e-7, 'd0.0000001'],
    ['d', -1.5e-9, 'd-0.0000000015'],
    ['d', 1e21, 'd1000000000000000000000'],
    ['d', -1.25e22, 'd-12500000000000000000000'],
    ['d', 0.1, 'd0.1'],
    ['d', 100, 'd100'],
    ['f', Math.fround(0.1), 'f0.1'],
    ['f', Math.fround(1e-10), 'f0.0000000001'],
    ['f', Math.fround(3e38), `f3${'0'.repeat(38)}`],
    ['f', 2 ** 24, 'f16777216'],
    ['f', 2 ** -149, `f0.${'0'.repeat(44)}1`],
    ['i', -0, 'i0'],
    ['l', -(2n ** 63n), 'l-9223372036854775808'],
    ['b', true, 'b1'],
    ['q', 3, 'q3'],
    ['s', 'sos', 'ssos'],
  ];
  for (const [datatype, value, prefixed] of expected) assert.equal(formatPrefixed(datatype, value), prefixed);
});

test('a negative zero stays negative in f and d, and i has none', () => {
  for (const datatype of ['f', 'd'] as const) {
    assert.equal(formatPrefixed(datatype, -0), `${datatype}-0`);
    assert.ok(Object.is(parseText(datatype, '-0'), -0));
    assert.ok(Object.is(parseText(datatype, '-.000'), -0));
    assert.ok(Object.is(parseText(datatype, '0'), 0));
  }
  assert.ok(Object.is(parseText('i', '-0'), 0));
});

test('a double is emitted with no more digits than it needs', () => {
  fc.assert(
    fc.property(double, (value) => {
      const digits = digitsOf(formatText('d', value));
      assert.equal(digits, digitsOf(value.toExponential()));
      if (digits > 1) assert.notEqual(Number(value.toPrecision(digits - 1)), value);
    }),
    many,
  );
});

test('a single is emitted with no more digits than it needs', () => {
  fc.assert(
    fc.property(single, (value) => {
      let digits = value === 0 ? 0 : 1;
      while (digits > 0 && Math.fround(Number(value.toPrecision(digits))) !== value) digits++;
      assert.ok(digits <= 9);
      assert.ok(digitsOf(formatText('f', value)) <= digits);
    }),
    { numRuns: 10_000 },
  );
});

test('a decimal of up to six digits that was read as a single is emitted as it was written', () => {
  for (const point of [0, 1, 3, 5, 6]) {
    for (let whole = 1; whole < 1_000_000; whole += 17) {
      const written = String(whole / 10 ** point);
      if (!written.includes('e')) assert.equal(formatText('f', parseText('f', written)), written);
    }
  }
});

test('a power of two, where singles are denser below than above, is emitted with the fewest digits too', () => {
  for (let power = -149; power < 128; power++) {
    const value = 2 ** power;
    const neighbours = (digits: number) => {
      const [mantissa = '', exponent] = value.toExponential(digits - 1).split('e');
      const whole = Number(mantissa.replace('.', ''));
      return [whole - 1, whole, whole + 1].map((n) => Number(`${n}e${Number(exponent) - digits + 1}`));
    };
    let digits = 1;
    while (!neighbours(digits).some((near) => Math.fround(near) === value)) digits++;
    for (const signed of [value, -value]) {
      const emitted = formatText('f', signed);
      assert.equal(parseText('f', emitted), signed);
      assert.equal(digitsOf(emitted), digits, emitted);
    }
  }
});

test('a decimal is read as the nearest single, also where rounding through a double would miss it', () => {
  assert.equal(parseText('f', '16777217'), 16777216);
  assert.equal(parseText('f', '16777217.0000000001'), 16777218);
  assert.equal(parseText('f', '16777219'), 16777220);
  assert.equal(parseText('f', '+16777218.9999999999'), 16777218);
  assert.equal(parseText('f', '-16777217.0000000001'), -16777218);
  assert.equal(parseText('f', '-16777218.9999999999'), -16777218);
  fc.assert(
    fc.property(fc.integer({ min: 2 ** 23, max: 2 ** 24 - 1 }), fc.integer({ min: 0, max: 40 }), (whole, shift) => {
      const scale = 2 ** -shift;
      const midway = ((whole + 0.5) * scale).toFixed(60);
      assert.equal(parseText('f', midway), (whole + (whole % 2)) * scale);
      assert.equal(parseText('f', `${midway}1`), (whole + 1) * scale);
      assert.equal(parseText('f', `-${midway}1`), -(whole + 1) * scale);
    }),
  );
});

test('a 64-bit integer is exact over its whole range, and nothing outside of it is accepted', () => {
  const low = -(2n ** 63n);
  const high = 2n ** 63n - 1n;
  for (const value of [low, low + 1n, -(2n ** 53n) - 1n, -1n, 0n, 1n, 2n ** 53n + 1n, high - 1n, high]) {
    assert.equal(parseText('l', value.toString()), value);
    assert.equal(formatText('l', value), value.toString());
  }
  assert.equal(parseText('l', '+9223372036854775807'), high);
  assert.equal(parseText('l', `-${'0'.repeat(500)}9223372036854775808`), low);
  for (const value of [low - 1n, high + 1n, 10n ** 19n, -(10n ** 900n)]) {
    refused(() => parseText('l', value.toString()), /out of range: -9223372036854775808 to 9223372036854775807/);
    refused(() => formatText('l', value));
  }
  const near = fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n });
  fc.assert(
    fc.property(near, (value) => {
      if (value >= low && value <= high) assert.equal(parseText('l', value.toString()), value);
      else refused(() => parseText('l', value.toString()));
    }),
  );
});

test('a 32-bit integer is accepted over its whole range, and nothing outside of it', () => {
  const low = -(2 ** 31);
  const high = 2 ** 31 - 1;
  for (const value of [low, -1, 0, 1, high]) assert.equal(parseText('i', String(value)), value);
  assert.equal(parseText('i', '+007'), 7);
  assert.equal(parseText('i', `-${'0'.repeat(500)}2147483648`), low);
  for (const value of ['2147483648', '-2147483649', '-21474836480', '4294967296', '9'.repeat(400)]) {
    refused(() => parseText('i', value), /out of range: -2147483648 to 2147483647/);
  }
  fc.assert(
    fc.property(fc.integer({ min: -(2 ** 33), max: 2 ** 33 }), (value) => {
      if (value >= low && value <= high) assert.equal(parseText('i', String(value)), value);
      else refused(() => parseText('i', String(value)));
    }),
  );
});

test('exactly the forms of the document are accepted', () => {
  const almost = fc.string({ unit: fc.constantFrom('+', '-', '.', 'e', '0', '1', '3', '9', '/', ':'), maxLength: 8 });
  const strange = fc.string({
    unit: fc.constantFrom('0', '5', ' ', '\n', '\0', '_', 'x', 'n', '٣', '５'),
    maxLength: 4,
  });
  const good = fc.stringMatching(/^[+-]?[0-9]{0,4}\.?[0-9]{1,5}$/);
  fc.assert(
    fc.property(fc.constantFrom(...datatypes), fc.oneof(almost, good, strange), (datatype, tried) => {
      if (forms[datatype].test(tried)) {
        const value = parseText(datatype, tried);
        if (datatype === 'd') assert.ok(Object.is(value, Number(tried)));
        if (datatype === 'i' || datatype === 'l') assert.equal(BigInt(value), BigInt(tried));
        assert.ok(fits.Check(datatype + tried));
      } else {
        refused(() => parseText(datatype, tried));
        refused(() => parsePrefixed(datatype + tried));
        assert.ok(!fits.Check(datatype + tried));
      }
    }),
    { numRuns: 10_000 },
  );
});

test('the forms named in the decisions are good or refused as they say', () => {
  assert.equal(parsePrefixedAs('d', 'd.5'), 0.5);
  assert.equal(parsePrefixedAs('d', 'd+5'), 5);
  assert.equal(parsePrefixedAs('d', 'd-0.5'), -0.5);
  const expectation = /^"[^"]*" is not a decimal number: a form such as 12, -0\.5 or \.5 is expected, no exponent$/;
  for (const bad of ['5.', '1e3', '', '+', '.', '-.', '1.2.3', 'NaN', 'Infinity', '0x1', ' 1', '1 ', '1_0', '1,5']) {
    refused(() => parsePrefixedAs('d', `d${bad}`), expectation);
    refused(() => parsePrefixedAs('f', `f${bad}`), expectation);
  }
  for (const bad of ['', '2', 'true', '00', '+1']) refused(() => parseText('b', bad), /0 or 1 is expected/);
  for (const bad of ['', '4', '-1', '01', '/', ':']) refused(() => parseText('q', bad), /0, 1, 2 or 3 is expected/);
});

test('the prefix must be a datatype, and that of the object', () => {
  for (const bad of ['', '5', 'x5', 'D5', ' d5', '\0', '__proto__']) {
    refused(() => parsePrefixed(bad), /does not start with a datatype: one of b, q, i, l, f, d, s/);
  }
  for (const bad of ['', 'i5', '5', 'D5']) refused(() => parsePrefixedAs('d', bad), /does not start with d/);
  assert.deepEqual(parsePrefixed('s'), { datatype: 's', value: '' });
});

test('a number that is too large for its precision is refused, never infinite', () => {
  assert.equal(parseText('d', String(BigInt(Number.MAX_VALUE))), Number.MAX_VALUE);
  assert.equal(parseText('f', '340282346638528859811704183484516925440'), 2 ** 128 - 2 ** 104);
  for (const sign of ['', '-', '+']) {
    refused(() => parseText('d', `${sign}1${'0'.repeat(309)}`), /out of range of a double/);
    refused(() => parseText('f', `${sign}340282366920938463463374607431768211456`), /out of range of a single/);
    refused(() => parseText('f', `${sign}1${'0'.repeat(309)}`), /out of range of a single/);
  }
});

test('the exact decimal expansion of the smallest double is short enough to be read', () => {
  const exact = `-0.${(5n ** 1074n).toString().padStart(1074, '0')}`;
  assert.equal(parseText('d', exact), -Number.MIN_VALUE);
});

test('a megabyte of digits is refused at once', () => {
  const digits = '7'.repeat(1_000_000);
  const started = performance.now();
  for (const datatype of ['b', 'q', 'i', 'l', 'f', 'd'] as const) {
    for (const hostile of [digits, `-${digits}`, `.${digits}`, '0'.repeat(1_000_000)]) {
      refused(() => parseText(datatype, hostile));
      refused(() => parsePrefixed(datatype + hostile));
    }
  }
  const pattern = new RegExp(prefixedValuePattern, 'u');
  assert.ok(pattern.test(`d${digits}`));
  assert.ok(!pattern.test(`d${digits}x`));
  assert.ok(!pattern.test(`l${digits}.`));
  assert.ok(!fits.Check(`d${digits}`));
  assert.ok(performance.now() - started < 2000, 'quadratic work would take minutes');
  refused(() => parseText('d', '0'.repeat(maxNumberLength + 1)), /too long: at most 1100/);
  assert.equal(parseText('d', '0'.repeat(maxNumberLength)), 0);
});

test('a text is limited in bytes of UTF-8, not in characters', () => {
  for (const [char, bytes] of [
    ['a', 1],
    ['é', 2],
    ['€', 3],
    ['😀', 4],
  ] as const) {
    const most = char.repeat(Math.floor(maxTextBytes / bytes)) + 'a'.repeat(maxTextBytes % bytes);
    assert.equal(Buffer.byteLength(most), maxTextBytes);
    assert.equal(parseText('s', most), most);
    assert.equal(formatText('s', most), most);
    assert.ok(fits.Check(`s${most}`));
    refused(() => parseText('s', `${most}a`), /too long: at most 65536 bytes of UTF-8/);
    refused(() => formatText('s', `${most}a`));
  }
});

test('a text may hold anything but half a surrogate pair', () => {
  for (const good of ['', '\0', 'a\nb\r', '\u2028', '"', 's1', '😀', '\uffff']) {
    assert.equal(parsePrefixedAs('s', `s${good}`), good);
    assert.equal(formatPrefixed('s', good), `s${good}`);
    assert.ok(fits.Check(`s${good}`));
  }
  for (const bad of ['\ud83d', 'a\ude00', '\ude00\ud83d', `${'a'.repeat(30_000)}\ud83d`]) {
    refused(() => parseText('s', bad), /half a surrogate pair/);
    refused(() => formatText('s', bad), /half a surrogate pair/);
  }
});

test('a value that does not fit its datatype is not emitted', () => {
  const unfit: Record<Datatype, Value[]> = {
    b: [0, 1, '1', 1n],
    q: [-1, 4, 0.5, NaN, true, '1', 1n],
    i: [2 ** 31, -(2 ** 31) - 1, 0.5, NaN, Infinity, true, '1', 1n],
    l: [2n ** 63n, -(2n ** 63n) - 1n, 1, true, '1'],
    f: [0.1, NaN, Infinity, -Infinity, 1e39, 1e-50, true, '1', 1n],
    d: [NaN, Infinity, -Infinity, true, '1', 1n],
    s: [1, 1n, true],
  };
  for (const datatype of datatypes) {
    for (const value of unfit[datatype]) {
      refused(() => formatText(datatype, value), / is expected$/);
      refused(() => formatPrefixed(datatype, value));
    }
  }
});

test('the zero of each datatype is the one of the decisions', () => {
  const zeros = datatypes.map((datatype) => formatPrefixed(datatype, zeroOf(datatype)));
  assert.deepEqual(zeros, ['b0', 'q0', 'i0', 'l0', 'f0', 'd0', 's']);
});
