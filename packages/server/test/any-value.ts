// Arbitrary values and readings of points, the awkward ones among them.
import { type Datatype, datatypes, type Value } from '@telltale/schema';
import fc from 'fast-check';

export const anyDatatype: fc.Arbitrary<Datatype> = fc.constantFrom(...datatypes);

export const anyNumber = fc.oneof(
  fc.constantFrom(0, -0, 1, 2, 3, 4, -1, 0.5, -0.5, 1.5, 0.1, 2 ** 31, 2 ** 31 - 1, -(2 ** 31), 2 ** 53, 2 ** 63),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 5e-324, 1e21, 3.5e38, 1.7e308),
  fc.integer(),
  fc.double(),
  fc.float(),
);

export const anyLong = fc.oneof(
  fc.constantFrom(0n, 1n, 3n, -1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
);

export const anyText = fc.oneof(
  fc.constantFrom('', '0', '1', '-7', '+3', '12.5', '1e3', '9223372036854775807', '"', '\\', '\u0000\u001f', '\u2028'),
  fc.constantFrom('\ud800', 'x\udc00', '\ud83d\ude00', 'ä€', 'x'.repeat(65536), 'ä'.repeat(32769)),
  fc.string({ unit: 'binary', maxLength: 20 }),
);

/** What a device may say, fitting or not; undefined: nothing. */
export const anyReading: fc.Arbitrary<Exclude<Value, boolean> | undefined> = fc.oneof(
  { weight: 4, arbitrary: anyNumber },
  { weight: 2, arbitrary: anyLong },
  { weight: 2, arbitrary: anyText },
  { weight: 1, arbitrary: fc.constant(undefined) },
);

export const anyQuality = fc.oneof(
  fc.constantFrom(0xc0, 0xc0, 0x40, 0x55, 0x00, 0x18, 0x10, 0x08, 0xc3, 0x80c0, 0x12c0, 0xffff),
  fc.integer({ min: 0, max: 0xffff }),
);
