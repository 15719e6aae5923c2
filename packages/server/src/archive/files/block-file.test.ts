import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { crc32 } from 'node:zlib';
import {
  archiveFolder,
  columnsOf,
  lineOf,
  recordAt,
  type SampleRecord,
  sampleSeries,
} from '../../../test/archive-records.ts';
import { ByteWriter } from '../codec/byte-writer.ts';
import { encodeTimes } from '../codec/time-column.ts';
import { Columns, type Series } from '../records.ts';
import { BlockFile } from './block-file.ts';
import { blockVersion, entryBytes, labelBytes, readLabel } from './block-format.ts';
import { BlockWriter } from './block-writer.ts';
import { Damaged, DamagedBlock, NewerVersion } from './damage.ts';
import { type FileRange, StoredChunk } from './series-index.ts';

const header = { partition: 2811, genFrom: 3, genTo: 3, rewrite: 0, tombstonesApplied: 0 };

/** Records that go where these bytes are damaged. */
interface Part {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

interface Sample {
  readonly path: string;
  readonly bytes: Buffer;
  readonly lines: readonly string[];
  readonly parts: readonly Part[];
}

const used = sampleSeries.filter(({ datatype }) => 'bdls'.includes(datatype));

/** Some series of a scan, one with two chunks. */
function sample(t: TestContext): Sample {
  const writer = new BlockWriter(archiveFolder(t), header);
  const values: readonly ((at: number) => SampleRecord['value'])[] = [
    (at) => at % 2,
    (at) => BigInt(at) ** 5n,
    (at) => at / 7,
    (at) => `text ${at}`,
  ];
  for (const [at, series] of used.entries()) {
    const value = values[at] as (at: number) => SampleRecord['value'];
    const records = Array.from({ length: at === 0 ? 1030 : 6 }, (_, index) => ({
      series: series.number,
      timeUs: 1_700_000_000_000_000 + index * 1_000_000,
      value: value(index),
      quality: index === 3 ? 0x18 : 0xc0,
    }));
    writer.begin(series);
    writer.append(columnsOf(records), 0, records.length);
    writer.end();
  }
  const path = writer.finish() as string;
  return { path, bytes: readFileSync(path), ...linesOf(path) };
}

function linesOf(path: string): { lines: string[]; parts: Part[] } {
  const block = BlockFile.open(path);
  const [lines, parts]: [string[], Part[]] = [[], []];
  const part = ({ at, bytes }: FileRange, those: readonly string[]) =>
    parts.push({ from: at, to: at + bytes, lines: those });
  const label = readLabel(readFileSync(path).subarray(0, labelBytes), path);
  for (const [entry, number] of block.seriesNumbers.entries()) {
    const series = sampleSeries[number] as Series;
    const ofSeries: string[] = [];
    for (const chunk of block.chunksOf(number) as readonly StoredChunk[]) {
      const columns = new Columns();
      block.read(series, chunk, columns);
      const those = Array.from({ length: columns.count }, (_, at) => lineOf(recordAt(series, columns, at)));
      part(chunk.chunk, those);
      part(chunk.times, those);
      ofSeries.push(...those);
    }
    lines.push(...ofSeries);
    const at = (label?.directoryAt ?? 0) + entry * entryBytes;
    parts.push({ from: at, to: at + entryBytes, lines: ofSeries });
    const index = (label?.indexesAt ?? 0) + readFileSync(path).readDoubleLE(at + 8);
    parts.push({ from: index, to: index + readFileSync(path).readUInt32LE(at + 4), lines: ofSeries });
  }
  block.close();
  return { lines, parts };
}

/** What can be read of it, and what is reported. */
function readAll(path: string, bytes: Uint8Array): { lines: string[]; damaged: number } {
  writeFileSync(path, bytes);
  const block = BlockFile.open(path);
  const lines: string[] = [];
  let damaged = block.damages.length;
  const orDamaged = (look: () => void) => {
    try {
      look();
    } catch (error) {
      assert.ok(error instanceof Damaged, String(error));
      damaged++;
    }
  };
  for (const number of block.seriesNumbers) {
    const series = sampleSeries[number] as Series;
    orDamaged(() => {
      for (const chunk of block.chunksOf(number)) {
        const columns = new Columns();
        orDamaged(() => block.read(series, chunk, columns));
        for (let at = 0; at < columns.count; at++) lines.push(lineOf(recordAt(series, columns, at)));
      }
    });
  }
  assert.ok(block.verify(() => {}).length > 0, 'verify finds nothing');
  block.close();
  return { lines, damaged };
}

describe('a damaged block', () => {
  test('with any byte changed gives every record that does not depend on it, and nothing else', (t) => {
    const { path, bytes, lines, parts } = sample(t);
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ (1 << (at % 8));
      const gone = new Set(parts.filter(({ from, to }) => at >= from && at < to).flatMap((part) => part.lines));
      const read = readAll(path, changed);
      assert.deepEqual(
        read.lines,
        lines.filter((line) => !gone.has(line)),
        `byte ${at}`,
      );
      assert.ok(gone.size === 0 || read.damaged > 0);
    }
  });

  test('cut off anywhere gives what its directory still reports, or says by its own error that this is nothing', (t) => {
    const { path, bytes, lines } = sample(t);
    const label = readLabel(bytes.subarray(0, labelBytes), path);
    assert.ok(label !== undefined);
    for (let length = 0; length < bytes.length; length++) {
      const entries = Math.floor((Math.min(length, bytes.length - labelBytes) - label.directoryAt) / entryBytes);
      if (length <= label.directoryAt) {
        writeFileSync(path, bytes.subarray(0, length));
        assert.throws(() => BlockFile.open(path), DamagedBlock, `cut at ${length}`);
      } else {
        const there = used.slice(0, entries).map(({ number }) => `${number} `);
        const expected = lines.filter((line) => there.some((start) => line.startsWith(start)));
        assert.deepEqual(readAll(path, bytes.subarray(0, length)).lines, expected, `cut at ${length}`);
      }
    }
  });

  test('with something behind its end is read all the same', (t) => {
    const { path, bytes, lines } = sample(t);
    assert.deepEqual(readAll(path, Buffer.concat([bytes, Buffer.alloc(1000, 7)])).lines, lines);
  });

  test('reports which series and which times are left out, and leaves the columns as they were', (t) => {
    const { path, bytes } = sample(t);
    const whole = BlockFile.open(path);
    const { chunk } = whole.chunksOf(6)[0] as StoredChunk;
    whole.close();
    bytes.fill(0xee, chunk.at, chunk.at + chunk.bytes);
    writeFileSync(path, bytes);
    const block = BlockFile.open(path);
    const columns = columnsOf([{ series: 6, timeUs: 5, value: 'there', quality: 0 }]);
    const series = sampleSeries[6] as Series;
    const [first] = block.chunksOf(6) as [StoredChunk];
    assert.throws(
      () => block.read(series, first, columns),
      (error: unknown) => {
        assert.ok(error instanceof Damaged);
        const { reason, ...rest } = error.damage;
        assert.deepEqual(rest, {
          file: 'block-2811-3-3-0.ttb',
          series: 6,
          firstUs: first.firstUs,
          lastUs: first.lastUs,
        });
        assert.match(reason, /checksum/);
        return true;
      },
    );
    assert.equal(columns.count, 1);
    assert.deepEqual(columns.texts, ['there']);
    const writer = new BlockWriter(archiveFolder(t), header);
    writer.begin({ ...series, datatype: 's' });
    assert.equal(writer.copy(block, first), false);
    writer.abort();
    block.close();
  });

  test('does not give its series without saying that some are missing', (t) => {
    const { path, bytes } = sample(t);
    const label = readLabel(bytes.subarray(0, labelBytes), path);
    assert.ok(label !== undefined);
    for (const at of [label.directoryAt + 3, label.namesAt + 10]) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ 1;
      writeFileSync(path, changed);
      const block = BlockFile.open(path);
      assert.throws(() => block.series(), Damaged);
      let reported = 0;
      assert.ok(block.series(() => reported++).length <= used.length);
      assert.equal(reported, 1);
      block.close();
    }
  });

  test('whose label was forged is refused or read within its bounds', (t) => {
    const { path, bytes, lines } = sample(t);
    const possible = new Set(lines);
    for (let field = 8; field < labelBytes - 4; field += 4) {
      for (const value of [0, 1, 0x7fffffff, 0xffffffff]) {
        const forged = Buffer.from(bytes);
        for (const at of [0, bytes.length - labelBytes]) {
          forged.writeUInt32LE(value, at + field);
          forged.writeUInt32LE(crc32(forged.subarray(at, at + labelBytes - 4)), at + labelBytes - 4);
        }
        writeFileSync(path, forged);
        try {
          const block = BlockFile.open(path);
          block.verify(() => {});
          for (const number of block.seriesNumbers) {
            const series = sampleSeries[number];
            if (series === undefined) continue;
            try {
              const columns = new Columns();
              for (const chunk of block.chunksOf(number)) block.read(series, chunk, columns);
              for (let at = 0; at < columns.count; at++) assert.ok(possible.has(lineOf(recordAt(series, columns, at))));
            } catch (error) {
              assert.ok(error instanceof Damaged, String(error));
            }
          }
          block.close();
        } catch (error) {
          assert.ok(error instanceof DamagedBlock, String(error));
        }
      }
    }
  });

  test('whose chunks were forged gives errors of its own, and comes to an end', (t) => {
    const { path, bytes } = sample(t);
    const block = BlockFile.open(path);
    const chunks = used.flatMap(({ number }) => block.chunksOf(number) as readonly StoredChunk[]);
    block.close();
    const label = readLabel(bytes.subarray(0, labelBytes), path);
    assert.ok(label !== undefined);
    // Of the index of each series: where its one group begins, and where the checksum of that stands in its front.
    const groups = Array.from({ length: label.series }, (_, entry) => {
      const at = label.directoryAt + entry * entryBytes;
      const index = label.indexesAt + bytes.readDoubleLE(at + 8);
      const end = index + bytes.readUInt32LE(at + 4);
      for (let from = index + 4; from < end; from++) {
        if (bytes.readUInt32LE(from - 4) === crc32(bytes.subarray(from, end))) return { at, index, from, end };
      }
      throw new Error('no group');
    });
    let random = 12345;
    const next = () => (random = (Math.imul(random, 1103515245) + 12345) >>> 0);
    for (let run = 0; run < 300; run++) {
      // A chunk of random bytes whose checksum is right, by an index whose checksum is right.
      const forged = Buffer.from(bytes);
      const { chunk } = chunks[next() % chunks.length] as StoredChunk;
      const before = crc32(forged.subarray(chunk.at, chunk.at + chunk.bytes));
      for (let at = chunk.at; at < chunk.at + chunk.bytes; at++) if (next() % 3 === 0) forged[at] = next() >>> 8;
      const crc = Buffer.alloc(4);
      crc.writeUInt32LE(before);
      const place = forged.indexOf(crc, label.indexesAt);
      forged.writeUInt32LE(crc32(forged.subarray(chunk.at, chunk.at + chunk.bytes)), place);
      for (const { at, index, from, end } of groups) {
        forged.writeUInt32LE(crc32(forged.subarray(from, end)), from - 4);
        forged.writeUInt32LE(crc32(forged.subarray(index, from)), at + 36);
        forged.writeUInt32LE(crc32(forged.subarray(at, at + entryBytes - 4)), at + entryBytes - 4);
      }
      writeFileSync(path, forged);
      const opened = BlockFile.open(path);
      const damages = opened.verify(() => {});
      assert.ok(damages.every(({ reason }) => !reason.includes('index')));
      opened.close();
    }
  });

  test('whose times are not in order, though their checksum is right, gives none of these records', (t) => {
    const { path, bytes } = sample(t);
    const whole = BlockFile.open(path);
    const [{ datatype, firstUs, lastUs, count, chunk }] = whole.chunksOf(6) as [StoredChunk];
    whole.close();
    const [middleUs, none] = [(firstUs + lastUs) / 2, new Uint8Array(0)];
    for (const swapped of [false, true]) {
      const times = Float64Array.from({ length: count }, (_, at) => (at === 0 ? firstUs : middleUs + at));
      times[count - 1] = lastUs;
      if (swapped) times[2] = firstUs - 1;
      const out = new ByteWriter();
      encodeTimes(times, 0, count, out);
      bytes.set(out.written(), labelBytes);
      writeFileSync(path, bytes);
      const place = { at: labelBytes, bytes: out.length, crc: crc32(out.written()) };
      const about = { datatype, firstUs, lastUs, count, isCut: false, hasSimulated: false, chunk, times: place };
      const forged = new StoredChunk(about, none, 0);
      const columns = new Columns();
      const block = BlockFile.open(path);
      const read = () => block.read(sampleSeries[6] as Series, forged, columns);
      if (swapped) assert.throws(read, (error) => error instanceof Damaged && /not in order/.test(error.message));
      else read();
      assert.equal(columns.count, swapped ? 0 : count);
      block.close();
    }
  });

  test('whose index is damaged in one place gives the chunks that others report, and says that some are missing', (t) => {
    const series = sampleSeries[5] as Series;
    const records = Array.from({ length: 40 * 1024 }, (_, at) => ({ series: 5, timeUs: at, value: at, quality: 0xc0 }));
    const writer = new BlockWriter(archiveFolder(t), header);
    writer.begin(series);
    writer.append(columnsOf(records), 0, records.length);
    writer.end();
    const path = writer.finish() as string;
    const bytes = readFileSync(path);
    const label = readLabel(bytes.subarray(0, labelBytes), path);
    assert.ok(label !== undefined);
    bytes[label.namesAt - 1] = (bytes[label.namesAt - 1] as number) ^ 1;
    writeFileSync(path, bytes);
    const block = BlockFile.open(path);
    const [chunk, ...more] = block.chunksOf(5, 5000, 5001);
    assert.deepEqual([chunk?.firstUs, chunk?.lastUs, more.length], [4096, 5119, 0]);
    assert.throws(() => block.chunksOf(5), Damaged);
    assert.throws(() => block.chunksOf(5, 5000, 40_000), Damaged);
    block.close();
  });

  test('of a newer version is refused, with a word about why', (t) => {
    const { path, bytes } = sample(t);
    const at = bytes.length - labelBytes;
    bytes.writeUInt16LE(blockVersion + 1, at + 4);
    bytes.writeUInt32LE(crc32(bytes.subarray(at, -4)), bytes.length - 4);
    writeFileSync(path, bytes);
    assert.throws(() => BlockFile.open(path), NewerVersion);
    assert.throws(() => BlockFile.open(join(path, '..', 'none.ttb')), { code: 'ENOENT' });
  });
});
