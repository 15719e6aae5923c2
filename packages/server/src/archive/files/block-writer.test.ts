import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, test } from 'node:test';
import type { Datatype } from '@telltale/schema';
import fc from 'fast-check';
import {
  anyQuality,
  anyTime,
  anyValue,
  archiveFolder,
  columnsOf,
  lineOf,
  recordAt,
  type SampleRecord,
  sampleSeries,
} from '../../../test/archive-records.ts';
import { Columns, type Series } from '../records.ts';
import { BlockFile } from './block-file.ts';
import type { BlockHeader } from './block-format.ts';
import { BlockWriter } from './block-writer.ts';
import { systemDisk } from './disk.ts';
import type { StoredChunk } from './series-index.ts';

const header: BlockHeader = { partition: 2811, genFrom: 3, genTo: 5, rewrite: 1, tombstonesApplied: 7 };

function write(folder: string, records: ReadonlyMap<Series, readonly SampleRecord[]>, pieces: number[] = []): string {
  const writer = new BlockWriter(folder, header);
  for (const [series, those] of records) {
    const columns = columnsOf(those);
    writer.begin(series);
    let from = 0;
    for (const piece of pieces) {
      const to = Math.min(columns.count, from + piece);
      writer.append(columns, from, to);
      from = to;
    }
    writer.append(columns, from, columns.count);
    writer.end();
  }
  return writer.finish() ?? '';
}

function read(block: BlockFile, series: Series): SampleRecord[] {
  const columns = new Columns();
  for (const chunk of block.chunksOf(series.number)) block.read(series, chunk, columns);
  return Array.from({ length: columns.count }, (_, at) => recordAt(series, columns, at));
}

function opened<T>(path: string, look: (block: BlockFile) => T): T {
  const block = BlockFile.open(path);
  try {
    return look(block);
  } finally {
    block.close();
  }
}

function seriesOf(datatype: Datatype): Series {
  return sampleSeries.find((series) => series.datatype === datatype) as Series;
}

function ramp(series: Series, count: number, stepUs = 1_000_000): SampleRecord[] {
  return Array.from({ length: count }, (_, at) => ({
    series: series.number,
    timeUs: 1_700_000_000_000_000 + at * stepUs,
    value: (at % 500) / 4,
    quality: 0xc0,
  }));
}

const anySeries = (series: Series) =>
  fc
    .array(fc.record({ timeUs: anyTime, value: anyValue(series.datatype), quality: anyQuality }), { maxLength: 30 })
    .chain((some) => fc.constantFrom(1, 1, 1, 80).map((times) => Array.from({ length: times }, () => some).flat()))
    .map((some) => some.map((record) => ({ ...record, series: series.number })))
    .map((some) => some.sort((a, b) => a.timeUs - b.timeUs));

describe('a block', () => {
  test('gives back the records of every datatype as they were, however they were appended', (t) => {
    const folder = archiveFolder(t);
    fc.assert(
      fc.property(
        fc.tuple(...sampleSeries.map(anySeries)),
        fc.array(fc.integer({ min: 0, max: 1500 }), { maxLength: 4 }),
        (records, pieces) => {
          const all = new Map(sampleSeries.map((series, at) => [series, records[at] as SampleRecord[]]));
          const written = sampleSeries.filter((series) => (all.get(series) as SampleRecord[]).length > 0);
          const path = write(folder, all, pieces);
          if (written.length === 0) {
            assert.equal(path, '');
            assert.deepEqual(readdirSync(folder), []);
            return;
          }
          opened(path, (block) => {
            for (const series of sampleSeries) {
              assert.deepEqual(read(block, series).map(lineOf), all.get(series)?.map(lineOf));
            }
            assert.deepEqual(block.series(), written);
            assert.deepEqual(
              [...block.seriesNumbers],
              written.map(({ number }) => number),
            );
            const times = records.flat().map(({ timeUs }) => timeUs);
            assert.equal(block.records, times.length);
            assert.equal(block.firstUs, Math.min(...times));
            assert.equal(block.lastUs, Math.max(...times));
            assert.deepEqual(block.header, header);
            assert.deepEqual(
              block.verify(() => {}),
              [],
            );
          });
        },
      ),
      { numRuns: 25 },
    );
  });

  test('is cut into chunks of 1,024 records from the start of each series, and says what each spans', (t) => {
    const folder = archiveFolder(t);
    const records = ramp(seriesOf('d'), 2500);
    opened(write(folder, new Map([[seriesOf('d'), records]]), [100, 1, 2000]), (block) => {
      const chunks = block.chunksOf(5);
      assert.deepEqual(
        chunks.map(({ count }) => count),
        [1024, 1024, 452],
      );
      assert.deepEqual(
        chunks.map(({ firstUs }) => firstUs),
        [0, 1024, 2048].map((at) => records[at]?.timeUs),
      );
      assert.deepEqual(
        chunks.map(({ lastUs }) => lastUs),
        [1023, 2047, 2499].map((at) => records[at]?.timeUs),
      );
      assert.deepEqual(chunks[1]?.summary?.first.value, records[1024]?.value);
      assert.equal(chunks[1]?.summary?.max?.value, 124.75);
      assert.equal(chunks[1]?.summary?.good, 1024);
      assert.deepEqual(block.spanOf(5), { firstUs: records[0]?.timeUs, lastUs: records[2499]?.timeUs, records: 2500 });
      assert.equal(block.spanOf(4), undefined);
      assert.deepEqual(block.chunksOf(4), []);
    });
  });

  test('is asked for the chunks of an interval, and gives them as it gives all', (t) => {
    const records = ramp(seriesOf('d'), 20_000);
    const [startUs, endUs] = [records[0]?.timeUs ?? 0, records.at(-1)?.timeUs ?? 0];
    const time = fc.oneof(
      fc.integer({ min: startUs - 1, max: endUs + 2 }),
      fc.nat(19).map((chunk) => records[1024 * chunk]?.timeUs ?? 0),
      fc.nat(18).map((chunk) => records[1024 * chunk + 1023]?.timeUs ?? 0),
    );
    opened(write(archiveFolder(t), new Map([[seriesOf('d'), records]])), (block) => {
      const all = block.chunksOf(5);
      fc.assert(
        fc.property(time, time, (sinceUs, untilUs) => {
          const wanted = all.filter(({ firstUs, lastUs }) => lastUs >= sinceUs && firstUs < untilUs);
          const found = block.chunksOf(5, sinceUs, untilUs);
          assert.deepEqual(found, wanted);
          assert.deepEqual(
            found.map(({ summary }) => summary),
            wanted.map(({ summary }) => summary),
          );
        }),
      );
    });
  });

  test('stores equal times of several series once, and reads them for each', (t) => {
    const folder = archiveFolder(t);
    const all = new Map<Series, SampleRecord[]>();
    for (let number = 0; number < 40; number++) {
      const series: Series = { number, kind: 'measurements', name: `point_${number}`, datatype: 'd' };
      all.set(series, ramp(series, 3000, number < 39 ? 1_000_000 : 1_000_001));
    }
    opened(write(folder, all), (block) => {
      const places = new Set<number>();
      for (const [series, records] of all) {
        assert.deepEqual(read(block, series), records);
        for (const chunk of block.chunksOf(series.number)) places.add((chunk as StoredChunk).times.at);
      }
      assert.equal(places.size, 6);
    });
  });

  test('spends little beside the columns themselves', (t) => {
    const folder = archiveFolder(t);
    const all = new Map<Series, SampleRecord[]>();
    for (let number = 0; number < 5; number++) {
      const series: Series = { number, kind: 'measurements', name: `some_point_of_a_plant_${number}`, datatype: 'd' };
      const records = ramp(series, 20 * 1024);
      all.set(
        series,
        records.map((record, at) => ({ ...record, value: ((at * 7919) % 9973) / 100 })),
      );
    }
    opened(write(folder, all), (block) => {
      let columns = 0;
      for (const number of block.seriesNumbers) {
        for (const chunk of block.chunksOf(number)) columns += (chunk as StoredChunk).chunk.bytes;
      }
      assert.ok((block.bytes - columns) / block.records < 0.09, `${(block.bytes - columns) / block.records}`);
    });
  });

  test('of long texts is cut earlier, so that no chunk is huge', (t) => {
    const folder = archiveFolder(t);
    const records = Array.from({ length: 30 }, (_, at) => ({
      series: 6,
      timeUs: at,
      value: `${at} `.repeat(20_000),
      quality: 0xc0,
    }));
    const path = write(folder, new Map([[seriesOf('s'), records]]));
    opened(path, (block) => {
      assert.deepEqual(read(block, seriesOf('s')), records);
      assert.ok(block.chunksOf(6).length > 3);
      const copy = new BlockWriter(folder, { ...header, rewrite: 2 });
      copy.begin(seriesOf('s'));
      const chunks = block.chunksOf(6);
      for (const [at, chunk] of chunks.entries()) assert.equal(copy.copy(block, chunk), at < chunks.length - 1);
      copy.abort();
    });
  });

  test('takes whole chunks of other blocks as bytes, where this changes no cut', (t) => {
    const folder = archiveFolder(t);
    const series = seriesOf('d');
    const records = ramp(series, 2100);
    const other = write(folder, new Map([[series, records]]));
    opened(other, (block) => {
      const [first, second, third] = block.chunksOf(5) as [StoredChunk, StoredChunk, StoredChunk];
      const writer = new BlockWriter(folder, { ...header, rewrite: 2 });
      writer.begin(seriesOf('f'));
      assert.equal(writer.copy(block, first), false, 'of another datatype');
      writer.end();
      writer.begin(series);
      assert.equal(writer.copy(block, first), true);
      assert.equal(writer.copy(block, third), false, 'not full');
      assert.equal(writer.copy(block, second), true);
      const columns = new Columns();
      block.read(series, third, columns);
      writer.append(columns, 0, 10);
      assert.equal(writer.copy(block, second), false, 'not at a cut');
      writer.append(columns, 10, columns.count);
      writer.end();
      opened(writer.finish() as string, (copied) => {
        assert.deepEqual(read(copied, series), records);
        const summaries = (those: BlockFile) => those.chunksOf(5).map(({ summary }) => summary);
        assert.deepEqual(summaries(copied), summaries(block));
        assert.equal(copied.bytes, block.bytes);
        assert.deepEqual(
          copied.verify(() => {}),
          [],
        );
      });
    });
  });

  test('has its name when it is whole, and leaves nothing behind when it is given up', (t) => {
    const folder = archiveFolder(t);
    const writer = new BlockWriter(folder, header);
    writer.begin(seriesOf('d'));
    writer.append(columnsOf(ramp(seriesOf('d'), 3000)), 0, 3000);
    writer.end();
    const temporary = 'block-2811-3-5-1.ttb.tmp';
    assert.deepEqual(readdirSync(folder), [temporary]);
    const { bytes } = writer;
    const path = writer.finish() as string;
    assert.equal(basename(path), 'block-2811-3-5-1.ttb');
    assert.deepEqual(readdirSync(folder), [basename(path)]);
    writer.abort();
    assert.equal(statSync(path).size, bytes);
    const another = new BlockWriter(folder, { ...header, rewrite: 2 });
    another.begin(seriesOf('d'));
    another.abort();
    assert.deepEqual(readdirSync(folder), [basename(path)]);
  });

  test('on a full disk is not there', (t) => {
    const folder = archiveFolder(t);
    const full = { ...systemDisk, write: () => assert.fail('no space left on device') };
    const writer = new BlockWriter(folder, header, full);
    writer.begin(seriesOf('d'));
    writer.append(columnsOf(ramp(seriesOf('d'), 10)), 0, 10);
    writer.end();
    assert.throws(() => writer.finish(), /no space/);
    writer.abort();
    assert.deepEqual(readdirSync(folder), []);
  });

  test('refuses series and records that are not in order', (t) => {
    const writer = new BlockWriter(archiveFolder(t), header);
    const columns = columnsOf(ramp(seriesOf('d'), 10));
    assert.throws(() => writer.append(columns, 0, 1), /no series/);
    writer.begin(seriesOf('d'));
    assert.throws(() => writer.begin(seriesOf('s')), /not ended/);
    assert.throws(() => writer.finish(), /not ended/);
    writer.append(columns, 0, 10);
    writer.end();
    assert.throws(() => writer.begin(seriesOf('d')), /comes after/);
    writer.begin(seriesOf('s'));
    writer.append(columnsOf([{ series: 6, timeUs: 9, value: 'x', quality: 0 }]), 0, 1);
    writer.append(columnsOf([{ series: 6, timeUs: 8, value: 'x', quality: 0 }]), 0, 1);
    assert.throws(() => writer.end(), /not in order/);
    writer.abort();
  });
});
