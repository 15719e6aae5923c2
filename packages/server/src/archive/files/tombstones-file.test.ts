import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { archiveFolder } from '../../../test/archive-records.ts';
import { systemDisk } from './disk.ts';
import { readTombstones, type Tombstone, writeTombstones } from './tombstones-file.ts';

const tombstones: readonly Tombstone[] = [1, 2, 9].map((seq) => ({
  seq,
  series: 3 * seq,
  sinceUs: 1000 * seq,
  untilUs: 2 ** 53,
  generation: seq + 1,
  offset: 48 * seq,
}));

describe('the file of tombstones', () => {
  test('gives back what was written, in order', (t) => {
    const folder = archiveFolder(t);
    assert.deepEqual(readTombstones(folder), { tombstones: [], damages: [] });
    const number = fc.integer({ min: 0, max: 2 ** 32 - 1 });
    const any = fc
      .tuple(fc.maxSafeNat(), number, fc.maxSafeNat(), fc.maxSafeNat(), number, fc.maxSafeNat())
      .map(([seq, series, sinceUs, untilUs, generation, offset]) => {
        return { seq, series, sinceUs, untilUs, generation, offset };
      });
    fc.assert(
      fc.property(fc.uniqueArray(any, { selector: ({ seq }) => seq, maxLength: 20 }), (those) => {
        writeTombstones(folder, those);
        const read = readTombstones(folder);
        assert.deepEqual(
          read.tombstones,
          [...those].sort((a, b) => a.seq - b.seq),
        );
        assert.deepEqual(read.damages, []);
      }),
      { numRuns: 30 },
    );
  });

  test('is the old one where a new one cannot be written', (t) => {
    const folder = archiveFolder(t);
    writeTombstones(folder, tombstones);
    const full = { ...systemDisk, write: () => assert.fail('no space left on device') };
    assert.throws(() => writeTombstones(folder, [], full), /no space/);
    assert.deepEqual(readTombstones(folder).tombstones, tombstones);
    assert.deepEqual(readdirSync(folder), ['erasures.tte']);
  });

  test('damaged anywhere gives the others, and is kept for who wants to look', (t) => {
    const folder = archiveFolder(t);
    const path = join(folder, 'erasures.tte');
    writeTombstones(folder, tombstones);
    const bytes = readFileSync(path);
    for (let at = 0; at < bytes.length; at++) {
      for (const isCut of [false, true]) {
        const changed = Buffer.from(isCut ? bytes.subarray(0, at) : bytes);
        if (!isCut) changed[at] = (changed[at] as number) ^ (1 << (at % 8));
        writeFileSync(path, changed);
        const frameOf = (index: number) => ({ from: 16 + 56 * index, to: 72 + 56 * index });
        const isThere = (_: Tombstone, index: number) =>
          isCut ? frameOf(index).to <= at : at < frameOf(index).from || at >= frameOf(index).to;
        const read = readTombstones(folder);
        assert.deepEqual(read.tombstones, tombstones.filter(isThere), `${isCut ? 'cut' : 'changed'} at ${at}`);
        if (!isCut) assert.ok(read.damages.length > 0);
      }
    }
    assert.ok(existsSync(`${path}.damaged`));
  });
});
