// Promises of the quality constants and their words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { archivedQuality, describeQuality, isBad, isGood, isUncertain, quality } from './quality.ts';
import { ArchiveQuality, Quality } from './wire-schemas.ts';

const anyQuality = fc.integer({ min: 0, max: 0xffff });

test('good, uncertain and bad are recognised by the two bits of the document, whatever else is set', () => {
  fc.assert(
    fc.property(anyQuality, (q) => {
      const status = Math.floor(q / 64) % 4;
      assert.deepEqual([isBad(q), isUncertain(q), isGood(q)], [status === 0, status === 1, status === 3]);
    }),
    { numRuns: 2000 },
  );
});

test('each constant has the bits of the table and the status of its name', () => {
  const { good, goodLocalOverride, uncertain, bad, limit, simulated } = quality;
  assert.deepEqual([good, goodLocalOverride, simulated], [0xc0, 0xd8, 0x8000]);
  assert.deepEqual(Object.values(uncertain), [0x40, 0x44, 0x50, 0x54, 0x58]);
  assert.deepEqual(Object.values(bad), [0x00, 0x04, 0x08, 0x0c, 0x10, 0x14, 0x18, 0x1c]);
  assert.deepEqual(limit, { low: 1, high: 2, constant: 3 });
  assert.ok(isGood(good) && isGood(goodLocalOverride));
  assert.ok(Object.values(uncertain).every(isUncertain));
  assert.ok(Object.values(bad).every(isBad));
});

test('a quality is described in the words of the table, with its limit and simulation', () => {
  const { good, goodLocalOverride, uncertain, bad, limit, simulated } = quality;
  assert.equal(describeQuality(good), 'good');
  assert.equal(describeQuality(goodLocalOverride | simulated), 'good, local override, simulated');
  assert.equal(describeQuality(bad.nonSpecific), 'bad');
  assert.equal(describeQuality(bad.communicationFailure), 'bad, communication failure');
  assert.equal(describeQuality(bad.lastKnownValue | limit.constant), 'bad, last known value, constant');
  assert.equal(describeQuality(uncertain.nonSpecific | limit.low), 'uncertain, low limited');
  assert.equal(
    describeQuality(uncertain.engineeringUnitsExceeded | limit.high | simulated),
    'uncertain, engineering units exceeded, high limited, simulated',
  );
  for (const [status, constants] of Object.entries({ uncertain, bad })) {
    for (const [name, q] of Object.entries(constants)) {
      const spoken =
        name === 'nonSpecific' ? '' : `, ${name.replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`)}`;
      assert.equal(describeQuality(q), status + spoken);
    }
  }
});

test('bits that the table does not name are reported, not hidden', () => {
  assert.equal(describeQuality(0x20), 'bad, substatus 0x20');
  assert.equal(describeQuality(0xc4), 'good, substatus 0x04');
  assert.equal(describeQuality(0x80), 'reserved status, substatus 0x00');
  assert.equal(describeQuality(0x81c0), 'good, simulated, vendor flags 0x100');
});

test('no two qualities have the same description', () => {
  const described = new Set(Array.from({ length: 0x10000 }, (_, q) => describeQuality(q)));
  assert.equal(described.size, 0x10000);
});

test('the archive stores the low byte, and of a good simulated value local override: the status is the same', () => {
  const fits = Compile(ArchiveQuality);
  fc.assert(
    fc.property(anyQuality, (q) => {
      const stored = archivedQuality(q);
      assert.equal(stored, q >= 0x8000 && isGood(q) ? quality.goodLocalOverride : q % 256);
      assert.ok(fits.Check(stored));
      assert.deepEqual([isGood(stored), isBad(stored)], [isGood(q), isBad(q)]);
    }),
  );
});

test('a quality is a whole number of 16 bits, an archived one of 8', () => {
  const live = Compile(Quality);
  const archived = Compile(ArchiveQuality);
  for (const q of [0, 192, 255]) assert.ok(live.Check(q) && archived.Check(q));
  assert.ok(live.Check(65535) && !archived.Check(256));
  for (const q of [-1, 65536, 0.5, NaN, '192', null]) assert.ok(!live.Check(q) && !archived.Check(q));
});
