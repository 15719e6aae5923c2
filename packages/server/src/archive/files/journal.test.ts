import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  anyRecord,
  archiveFolder,
  batchOf,
  lineOf,
  recordAt,
  type SampleRecord,
  sampleSeries,
} from '../../../test/archive-records.ts';
import type { Series } from '../records.ts';
import { SyncFailed } from './damage.ts';
import { type Disk, systemDisk } from './disk.ts';
import { Journal } from './journal.ts';
import { type Replayed, readJournalHead, replayJournal } from './journal-replay.ts';

const asTheyAre = Uint32Array.from({ length: 256 }, (_, at) => at);

interface Read extends Replayed {
  readonly lines: string[];
}

function read(path: string, end?: number): Read {
  const known = new Map<number, Series>();
  const lines: string[] = [];
  const replayed = replayJournal(
    path,
    {
      series: (series) => known.set(series.number, series),
      batch: (numbers, columns, count) => {
        assert.equal(columns.count, count);
        for (let at = 0; at < count; at++) {
          lines.push(lineOf(recordAt(known.get(numbers[at] as number) as Series, columns, at)));
        }
      },
    },
    end,
  );
  return { ...replayed, lines };
}

function declareAll(journal: Journal): void {
  for (const series of sampleSeries) journal.declare(series);
}

/** Fails as told, else as the system does. */
class FaultyDisk implements Disk {
  /** How many bytes the disk still has room for. */
  room = Number.POSITIVE_INFINITY;
  /** The most that one write takes. */
  mouthful = Number.POSITIVE_INFINITY;
  confirms = true;

  write(file: number, bytes: Uint8Array, from: number, length: number, at: number): number {
    if (this.room <= 0) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    const taken = systemDisk.write(file, bytes, from, Math.min(length, this.mouthful, this.room), at);
    this.room -= taken;
    return taken;
  }

  syncData(file: number): void {
    if (!this.confirms) throw Object.assign(new Error('i/o error'), { code: 'EIO' });
    systemDisk.syncData(file);
  }

  sync = systemDisk.sync;
  cut = systemDisk.cut;
}

const one: SampleRecord = { series: 5, timeUs: 1_700_000_000_000_000, value: 21.5, quality: 0xc0 };
const two: SampleRecord = { series: 6, timeUs: 1_700_000_000_000_001, value: 'zwei ☂', quality: 0x1c0 };

describe('a journal', () => {
  test('gives back every record of every datatype as it was, in order', (t) => {
    const folder = archiveFolder(t);
    let generation = 0;
    fc.assert(
      fc.property(fc.array(fc.array(anyRecord, { maxLength: 40 }), { maxLength: 5 }), (batches) => {
        const journal = Journal.create(folder, ++generation);
        declareAll(journal);
        for (const records of batches) {
          journal.add(batchOf(records), asTheyAre);
          if (records.length % 2 === 0) journal.commit();
        }
        journal.commit();
        journal.close();
        const replayed = read(journal.path);
        assert.deepEqual(replayed.lines, batches.flat().map(lineOf));
        assert.deepEqual(replayed.damages, []);
        assert.equal(replayed.tornBytes, 0);
        assert.equal(replayed.records, batches.flat().length);
        assert.equal(journal.bytes, statSync(journal.path).size);
        assert.equal(journal.offset, journal.bytes);
      }),
      { numRuns: 60 },
    );
  });

  test('takes batches of any size, and long texts', (t) => {
    const journal = Journal.create(archiveFolder(t), 1);
    declareAll(journal);
    const records: SampleRecord[] = [];
    for (let at = 0; at < 40_000; at++) {
      records.push({ series: 5, timeUs: 1e15 + Math.floor(at / 1000), value: at / 8, quality: at % 100 ? 0xc0 : 0 });
    }
    for (let at = 0; at < 40; at++) {
      records.push({ series: 6, timeUs: 1e15, value: String(at).repeat(130_000), quality: 0xc0 });
    }
    journal.add(batchOf(records), asTheyAre);
    journal.commit();
    journal.close();
    assert.deepEqual(read(journal.path).lines, records.map(lineOf));
  });

  test('costs little more than the value and the number where a scan shares time and quality', (t) => {
    const journal = Journal.create(archiveFolder(t), 1);
    declareAll(journal);
    const before = journal.offset;
    journal.add(batchOf(Array.from({ length: 1000 }, () => one)), asTheyAre);
    assert.ok(journal.offset - before <= 12 * 1000 + 64);
    journal.close();
  });

  test('keeps a text that is no well-formed Unicode as it is', (t) => {
    const journal = Journal.create(archiveFolder(t), 1);
    declareAll(journal);
    const records = ['ä', '\ud800', 'x\udfff', 'ö'].map((value) => ({ ...two, value }));
    journal.add(batchOf(records), asTheyAre);
    journal.commit();
    journal.close();
    assert.deepEqual(read(journal.path).lines, records.map(lineOf));
  });

  test('keeps of a quality what the archive keeps', (t) => {
    const journal = Journal.create(archiveFolder(t), 1);
    declareAll(journal);
    journal.add(batchOf([{ ...one, quality: 0x87c0 }]), asTheyAre);
    journal.commit();
    journal.close();
    assert.deepEqual(read(journal.path).lines, [lineOf({ ...one, quality: 0x5c0 })]);
  });

  test('reports with each batch where it stands, so that what came before an offset is known', (t) => {
    const journal = Journal.create(archiveFolder(t), 1);
    declareAll(journal);
    const expected: number[] = [];
    for (let at = 0; at < 3; at++) {
      expected.push(journal.offset);
      journal.add(batchOf([one, two]), asTheyAre);
      if (at === 1) journal.commit();
    }
    journal.commit();
    journal.close();
    const offsets: number[] = [];
    replayJournal(journal.path, { series: () => {}, batch: (_numbers, _columns, _count, at) => offsets.push(at) });
    assert.deepEqual(offsets, expected);
  });

  test('shows nothing that was not committed', (t) => {
    const journal = Journal.create(archiveFolder(t), 1);
    declareAll(journal);
    journal.add(batchOf([one]), asTheyAre);
    assert.deepEqual(read(journal.path).lines, []);
    journal.commit();
    journal.add(batchOf([two]), asTheyAre);
    assert.deepEqual(read(journal.path).lines, [lineOf(one)]);
    journal.close();
  });

  test('is whole where the disk takes a write in small pieces', (t) => {
    const disk = new FaultyDisk();
    disk.mouthful = 7;
    const journal = Journal.create(archiveFolder(t), 1, { disk });
    declareAll(journal);
    journal.add(batchOf([one, two]), asTheyAre);
    journal.commit();
    journal.close();
    assert.deepEqual(read(journal.path).lines, [one, two].map(lineOf));
  });

  test('on a full disk is what was committed, and takes the rest when there is room', (t) => {
    const disk = new FaultyDisk();
    const journal = Journal.create(archiveFolder(t), 1, { disk });
    declareAll(journal);
    journal.add(batchOf([one]), asTheyAre);
    journal.commit();
    const committed = readFileSync(journal.path);
    journal.add(batchOf([two]), asTheyAre);
    for (const room of [0, 1, 50]) {
      disk.room = room;
      assert.throws(() => journal.commit(), { code: 'ENOSPC' });
      assert.deepEqual(readFileSync(journal.path), committed);
    }
    journal.add(batchOf([one]), asTheyAre);
    disk.room = Number.POSITIVE_INFINITY;
    journal.commit();
    journal.close();
    assert.deepEqual(read(journal.path).lines, [one, two, one].map(lineOf));
  });

  test('is given up where the disk does not confirm, and the next one says how much of it counts', (t) => {
    const folder = archiveFolder(t);
    const disk = new FaultyDisk();
    const cut = disk.cut;
    const journal = Journal.create(folder, 1, { disk });
    declareAll(journal);
    journal.add(batchOf([one]), asTheyAre);
    journal.commit();
    journal.add(batchOf([two]), asTheyAre);
    disk.confirms = false;
    disk.cut = () => {
      throw new Error('i/o error');
    };
    let failure: unknown;
    try {
      journal.commit();
    } catch (error) {
      failure = error;
    }
    assert.ok(failure instanceof SyncFailed);
    disk.confirms = true;
    disk.cut = cut;
    assert.throws(() => journal.commit(), SyncFailed);
    journal.close();
    // The disk has it all the same, and so has the next journal: it must count once.
    assert.equal(read(journal.path).lines.length, 2);
    const next = Journal.create(folder, 2, { endOfPrevious: failure.endOfPrevious });
    next.close();
    assert.deepEqual(readJournalHead(journal.path), { generation: 1, endOfPrevious: undefined });
    const head = readJournalHead(next.path);
    assert.deepEqual(head, { generation: 2, endOfPrevious: failure.endOfPrevious });
    assert.deepEqual(read(journal.path, head?.endOfPrevious).lines, [lineOf(one)]);
  });

  test('leaves no file where it cannot be begun', (t) => {
    const folder = archiveFolder(t);
    const disk = new FaultyDisk();
    disk.room = 3;
    assert.throws(() => Journal.create(folder, 1, { disk }), { code: 'ENOSPC' });
    disk.room = Number.POSITIVE_INFINITY;
    const journal = Journal.create(folder, 1, { disk });
    assert.throws(() => Journal.create(folder, 1), { code: 'EEXIST' });
    journal.close();
    assert.ok(existsSync(journal.path));
  });
});
