import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import {
  archiveFolder,
  batchOf,
  lineOf,
  recordAt,
  type SampleRecord,
  sampleSeries,
} from '../../../test/archive-records.ts';
import type { Series } from '../records.ts';
import { NewerVersion } from './damage.ts';
import { drawSalt, framedFile } from './frames.ts';
import { Journal } from './journal.ts';
import { journalFormat } from './journal-format.ts';
import { type Replayed, replayJournal } from './journal-replay.ts';

const asTheyAre = Uint32Array.from({ length: 256 }, (_, at) => at);

/** A small journal, and which bytes of it carry which records. */
interface Sample {
  readonly path: string;
  readonly bytes: Buffer;
  readonly frames: { readonly from: number; readonly to: number; readonly lines: readonly string[] }[];
}

function sample(t: TestContext): Sample {
  const journal = Journal.create(archiveFolder(t), 1);
  for (const series of sampleSeries) journal.declare(series);
  const frames: Sample['frames'] = [];
  for (let at = 0; at < 4; at++) {
    const timeUs = 1_700_000_000_000_000 + at;
    const records: SampleRecord[] = [
      { series: 0, timeUs, value: at % 2, quality: 0xc0 },
      { series: 3, timeUs, value: 2n ** 60n + BigInt(at), quality: 0xc0 },
      { series: 5, timeUs: timeUs + 7, value: at / 3, quality: 0 },
      { series: 6, timeUs, value: `text ${at}`, quality: 0x1c0 },
    ];
    const from = journal.offset;
    journal.add(batchOf(records), asTheyAre);
    frames.push({ from, to: journal.offset, lines: records.map(lineOf) });
  }
  journal.commit();
  journal.close();
  return { path: journal.path, bytes: readFileSync(journal.path), frames };
}

function read(path: string, bytes: Uint8Array): Replayed & { lines: string[] } {
  writeFileSync(path, bytes);
  const lines: string[] = [];
  const replayed = replayJournal(path, {
    series: () => {},
    batch: (numbers, columns, count) => {
      for (let at = 0; at < count; at++) {
        lines.push(lineOf(recordAt(sampleSeries[numbers[at] as number] as Series, columns, at)));
      }
    },
    known: (number) => sampleSeries[number],
  });
  return { ...replayed, lines };
}

describe('a journal that is read again', () => {
  test('cut off at any byte gives the whole frames before it', (t) => {
    const { path, bytes, frames } = sample(t);
    for (let length = 0; length < bytes.length; length++) {
      const { lines, damages } = read(path, bytes.subarray(0, length));
      const expected = frames.filter(({ to }) => to <= length).flatMap((frame) => frame.lines);
      assert.deepEqual(lines, expected, `cut at ${length}`);
      assert.deepEqual(damages, []);
    }
  });

  test('with any byte changed gives every record of the other frames, and nothing else', (t) => {
    const { path, bytes, frames } = sample(t);
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ (1 << (at % 8));
      const { lines, damages, tornBytes } = read(path, changed);
      const expected = frames.filter(({ from, to }) => at < from || at >= to).flatMap((frame) => frame.lines);
      assert.deepEqual(lines, expected, `byte ${at}`);
      assert.ok(damages.length > 0 || tornBytes > 0, `byte ${at} is not reported`);
    }
  });

  test('with a page of zeroes in front, its header included, still gives the frames behind', (t) => {
    const { path, bytes, frames } = sample(t);
    const from = (frames[1] as { from: number }).from + 5;
    const changed = Buffer.from(bytes).fill(0, 0, from);
    assert.deepEqual(
      read(path, changed).lines,
      frames.slice(2).flatMap((frame) => frame.lines),
    );
  });

  test('leaves out records of a series that nobody knows, and says so', (t) => {
    const { path, bytes } = sample(t);
    writeFileSync(path, Buffer.from(bytes).fill(0, 60, 90));
    const numbers: number[] = [];
    const { damages } = replayJournal(path, {
      series: () => {},
      batch: (series, _columns, count) => numbers.push(...series.subarray(0, count)),
    });
    assert.deepEqual([...new Set(numbers)].sort(), [3, 5, 6]);
    assert.match(damages.map(({ reason }) => reason).join(), /1 records are none, or of a series that is not known/);
  });

  test('never takes a part of a text for a frame', (t) => {
    const folder = archiveFolder(t);
    const inner = Journal.create(folder, 1);
    for (const series of sampleSeries) inner.declare(series);
    inner.add(batchOf([{ series: 0, timeUs: 5, value: 1, quality: 0xc0 }]), asTheyAre);
    inner.commit();
    inner.close();
    const forged = readFileSync(inner.path);
    const outer = Journal.create(folder, 2);
    for (const series of sampleSeries) outer.declare(series);
    const from = outer.offset;
    const longs: SampleRecord[] = [];
    for (let at = 0; at + 8 <= forged.length; at += 8) {
      longs.push({ series: 3, timeUs: 7, value: forged.readBigInt64LE(at), quality: 0xc0 });
    }
    outer.add(batchOf(longs), asTheyAre);
    outer.commit();
    outer.close();
    const bytes = readFileSync(outer.path);
    assert.ok(bytes.includes(forged));
    bytes[from + 20] = 0x77;
    assert.deepEqual(read(outer.path, bytes).lines, []);
  });

  test('takes nothing of another journal that the disk left behind its end', (t) => {
    const [one, other] = [sample(t), sample(t)];
    const lines = one.frames.flatMap((frame) => frame.lines);
    const found = read(one.path, Buffer.concat([one.bytes, other.bytes.subarray(16)]));
    assert.deepEqual(found.lines, lines);
    assert.equal(found.tornBytes, other.bytes.length - 16);
  });

  test('takes nothing for a record that is none, whatever stands in a frame', (t) => {
    const path = join(archiveFolder(t), 'journal-1.ttj');
    const journal = Journal.create(archiveFolder(t), 1);
    const salt = drawSalt();
    const batch = (value: number, timeUs: number, count = 1): Uint8Array => {
      const payload = Buffer.alloc(56);
      for (const [at, word] of [3, count, 1, 1, 0, 0].entries()) payload.writeUInt32LE(word, 4 * at);
      payload.writeDoubleLE(value, 24);
      payload.writeDoubleLE(timeUs, 32);
      payload.writeUInt32LE(0, 40);
      payload.writeUInt32LE(1, 44);
      payload.writeUInt32LE((0xc0 << 16) | 1, 48);
      return payload;
    };
    journal.close();
    const payloads = [
      batch(1, 1000),
      batch(2, 1000),
      batch(Number.NaN, 1000),
      batch(1, 0.5),
      batch(1, -1),
      batch(1, 2 ** 53),
      batch(1, Number.NaN),
      batch(1, 1000, 2),
      batch(1, 1000, 0xffffffff),
      Buffer.from([3, 0, 0, 0]),
      Buffer.from([]),
      Buffer.from([9, 9, 9, 9]),
      Buffer.from([2, 0, 0, 0, 1, 1]),
    ];
    const { lines, damages } = read(path, framedFile(journalFormat, salt, payloads));
    assert.deepEqual(lines, [lineOf({ series: 0, timeUs: 1000, value: 1, quality: 0xc0 })]);
    assert.equal(damages.length, payloads.length - 1);
  });

  test('of a newer version is refused, with a word about why', (t) => {
    const path = join(archiveFolder(t), 'journal-1.ttj');
    writeFileSync(path, framedFile({ ...journalFormat, version: journalFormat.version + 1 }, 1, []));
    assert.throws(() => replayJournal(path, { series: () => {}, batch: () => {} }), NewerVersion);
  });
});
