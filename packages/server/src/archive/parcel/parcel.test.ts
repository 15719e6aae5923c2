// Parcels as bytes: what goes in comes out bit by bit, and what anybody sends in the place of one is refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { type Datatype, form, traitsOf } from '@telltale/schema/values';
import fc from 'fast-check';
import { Columns, replaces, type Series, simulated } from '../records.ts';
import { BadParcel, decodeParcel, decodeParcelFront } from './decode-parcel.ts';
import { encodeParcel } from './encode-parcel.ts';
import { generationOf, type Parcel, placeOf, recordsBefore, type Section } from './parcel.ts';
import { frameBytes, parcelMagic, parcelVersion } from './parcel-frame.ts';

const numberTypes = ['b', 'q', 'i', 'f', 'd'] as const satisfies readonly Datatype[];
const datatypes = [...numberTypes, 'l', 's'] as const satisfies readonly Datatype[];
/** The datatype of a series by its number. */
const datatypeOf = (series: number) => datatypes[series % datatypes.length] as Datatype;

interface Written {
  readonly series: number;
  readonly records: readonly {
    readonly time: number;
    readonly quality: number;
    readonly value: number | bigint | string;
  }[];
}

const whole = fc.oneof(fc.maxSafeNat(), fc.constantFrom(0, 1, 255, 256, 2 ** 48 - 1, 2 ** 48, 2 ** 53 - 1));
const someNumber = fc.oneof(
  fc.double(),
  fc.integer().map((hundredths) => hundredths / 100),
  fc.constantFrom(0, -0, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 51, -(2 ** 51), 0.1 + 0.2, 5e-324),
);
const someText = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', '\ud800', 'a\0b', 'ACT_UNACK 0 pump'));
const someLong = fc.oneof(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.bigInt(-1000n, 1000n));

function someValue(series: number): fc.Arbitrary<number | bigint | string> {
  const held = traitsOf(datatypeOf(series)).form;
  if (held === form.text) return someText;
  return held === form.long ? someLong : someNumber;
}

const plainObjects = { noNullPrototype: true } as const;
const quality = fc.constantFrom(0, 0xc0, 0x18, 0xc0 | replaces, 0xd8 | simulated);
const times = fc.array(whole, { minLength: 1, maxLength: 20 }).map((all) => all.sort((a, b) => a - b));

/** Series that share their times, as those of a scan do, and series that have their own. */
const written: fc.Arbitrary<readonly Written[]> = fc
  .tuple(times, fc.uniqueArray(fc.nat({ max: 300 }), { maxLength: 12 }))
  .chain(([shared, numbers]) =>
    fc.tuple(
      ...numbers
        .sort((a, b) => a - b)
        .map((series) =>
          fc
            .oneof(fc.constant(shared), times)
            .chain((own) =>
              fc.tuple(...own.map((time) => fc.record({ time: fc.constant(time), quality, value: someValue(series) }))),
            )
            .map((records) => ({ series, records })),
        ),
    ),
  );

function columnsOf(all: readonly Written[]): Pick<Section, 'series' | 'ends' | 'columns'> {
  const records = all.flatMap((each) => each.records);
  const columns = new Columns(records.length);
  columns.count = records.length;
  for (const [at, { time, quality, value }] of records.entries()) {
    columns.times[at] = time;
    columns.qualities[at] = quality;
    if (typeof value === 'bigint') columns.longs[at] = value;
    else if (typeof value === 'number') columns.numbers[at] = value;
    else columns.texts[at] = value;
  }
  let end = 0;
  const ends = Uint32Array.from(all, (each) => (end += each.records.length));
  return { series: Uint32Array.from(all, ({ series }) => series), ends, columns };
}

const section = fc
  .record({ from: fc.nat(), length: fc.nat(), isRepeated: fc.boolean(), superseded: fc.nat(), written })
  .map(({ from, length, written: all, ...rest }): Section => ({ from, to: from + length, ...rest, ...columnsOf(all) }));

const counters = fc.record(
  {
    stored: whole,
    dropped: whole,
    discarded: whole,
    discardedSinceUs: whole,
    discardedUntilUs: whole,
    backlog: whole,
    oldestUnsentUs: whole,
  },
  plainObjects,
);
const name = fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' });
const series: fc.Arbitrary<Series> = fc.record(
  {
    number: fc.nat(),
    kind: fc.constantFrom('measurements', 'commands', 'alarms'),
    datatype: fc.constantFrom(...datatypes),
    name,
  },
  plainObjects,
);
const erasure = fc.record({ series: fc.nat(), sinceUs: whole, untilUs: whole, place: whole }, plainObjects);
const parcel: fc.Arbitrary<Parcel> = fc.record(
  {
    site: fc.stringMatching(/^[a-z0-9-]{1,40}$/),
    epoch: whole,
    seq: whole,
    madeUs: whole,
    position: fc.json(),
    counters,
    series: fc.array(series, { maxLength: 5 }),
    erasures: fc.array(erasure, { maxLength: 5 }),
    sections: fc.array(section, { maxLength: 3 }),
  },
  plainObjects,
);

/** So that numbers compare by their bits. */
function plain({ sections, ...rest }: Parcel): unknown {
  return {
    ...rest,
    sections: sections.map(({ columns, ...section }) => ({
      ...section,
      count: columns.count,
      times: columns.times.slice(0, columns.count),
      qualities: columns.qualities.slice(0, columns.count),
      bits: columns.longs.slice(0, columns.count),
      texts: Array.from({ length: columns.count }, (_, at) => columns.texts[at]),
    })),
  };
}

test('a parcel comes out of its bytes as it went in, bit by bit', () => {
  fc.assert(
    fc.property(parcel, (made) => {
      const bytes = encodeParcel(made, datatypeOf);
      assert.deepEqual(plain(decodeParcel(bytes)), plain(made));
      const { erasures: _, sections: __, ...front } = made;
      assert.deepEqual(decodeParcelFront(bytes), front);
    }),
    { numRuns: 1000 },
  );
});

test('a parcel that was changed on its way is refused', () => {
  fc.assert(
    fc.property(parcel, fc.nat(), fc.integer({ min: 1, max: 255 }), (made, place, flip) => {
      const bytes = encodeParcel(made, datatypeOf);
      const at = place % bytes.length;
      // Two bytes say nothing.
      fc.pre(at !== 6 && at !== 7);
      bytes[at] = (bytes[at] as number) ^ flip;
      assert.throws(() => decodeParcel(bytes), BadParcel);
    }),
    { numRuns: 500 },
  );
});

test('whatever is in a parcel with a right checksum, it is decoded or refused', () => {
  fc.assert(
    fc.property(parcel, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 4 }), (made, changes) => {
      const body = bodyOf(encodeParcel(made, datatypeOf));
      for (const [place, value] of changes) body[place % body.length] = value;
      try {
        const { sections } = decodeParcel(framedAgain(body));
        for (const { columns, ends } of sections) assert.equal(ends.at(-1) ?? 0, columns.count);
      } catch (error) {
        assert.ok(error instanceof BadParcel, String(error));
      }
    }),
    { numRuns: 2000 },
  );
});

test('a parcel of a newer version is refused by saying so', () => {
  const [made] = fc.sample(parcel, 1);
  const bytes = encodeParcel(made as Parcel, datatypeOf);
  bytes.writeUInt16LE(2, 4);
  assert.throws(() => decodeParcel(bytes), /a parcel of version 2, which this server does not know: update it first/);
});

test('places are in order of generations, then of records', () => {
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 29 - 1 }), fc.nat({ max: 2 ** 24 - 1 }), (generation, records) => {
      const place = placeOf(generation, records);
      assert.deepEqual([generationOf(place), recordsBefore(place)], [generation, records]);
      assert.ok(Number.isSafeInteger(place) && place < placeOf(generation + 1, 0));
    }),
  );
});

function bodyOf(bytes: Buffer): Buffer {
  return zstdDecompressSync(bytes.subarray(frameBytes));
}

function framedAgain(body: Buffer): Buffer {
  const packed = zstdCompressSync(body);
  const frame = Buffer.alloc(frameBytes);
  frame.writeUInt32LE(parcelMagic, 0);
  frame.writeUInt16LE(parcelVersion, 4);
  frame.writeUInt32LE(body.length, 8);
  frame.writeUInt32LE(crc32(packed), 12);
  return Buffer.concat([frame, packed]);
}
