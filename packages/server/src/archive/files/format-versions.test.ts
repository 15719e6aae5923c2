// Files of earlier versions of the format, byte for byte as they were written, and what the version after them added.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { archiveFolder, columnsOf, lineOf, recordAt } from '../../../test/archive-records.ts';
import { Columns, type Series, simulated } from '../records.ts';
import { BlockFile } from './block-file.ts';
import { BlockWriter } from './block-writer.ts';
import { replayJournal } from './journal-replay.ts';

const series: Series = { number: 3, kind: 'measurements', name: 'level', datatype: 'd' };
const header = { partition: 2810, genFrom: 1, genTo: 1, rewrite: 0, tombstonesApplied: 0 };

/** What both files have: three records of `series`, the last of which replaces others. */
const lines = [
  '3 1700000000000000 number 1.5 192',
  '3 1700000001000000 number 2.5 216',
  '3 1700000002000000 number 7 448',
];

const blockOfVersion1 =
  'VFRUQgEAAAD6CgAAAQAAAAEAAAAAAAAAAAAAAAAAAAAAAAAAAMBhQAAAAAAAIGlAAAAAAABAa0ABAAAAHN9EIQAAAAAAAAhAAAB5YJAoGEMAEvNg' +
  'kCgYQwAAAAAA4HZAAAAAAE7LXLAHgIDygYOJhQbAhD0BAAACAQEHHgUBAAEEABIAB4ADCAEAAQYAOmQBA4CA+cDBxIIDgIl6KMKUY90GgID5wMHE' +
  'ggOAiXrwARb3EwDt0AEQx+2XBQ0DKdwBAMABHgCABIwBAwAAAABkBQBsZXZlbKSQ7+gDAAAAOwAAAAAAAAAAAAAAAAB5YJAoGEMAEvNgkCgYQwMA' +
  'AACBV66ohbFmtFRUVEIBAAAA+goAAAEAAAABAAAAAAAAAAAAAAAAAAAAAAAAAADAYUAAAAAAACBpQAAAAAAAQGtAAQAAABzfRCEAAAAAAAAIQAAA' +
  'eWCQKBhDABLzYJAoGEMAAAAAAOB2QAAAAABOy1yw';

const journalOfVersion1 =
  'VFRUSgEAAADLq9QYROV/OVRURlLLq9QYEAAAAFIZmP8BAAAAAQAAAAAAAAAAAPC/VFRGUsur1BgYAAAAKsQFiQIAAAADAAAAAGQFAGxldmVsAAAA' +
  'AAAAAFRURlLLq9QYcAAAAM+3K4EDAAAAAwAAAAMAAAADAAAAAAAAAAAAAAAAAAAAAAD4PwAAAAAAAARAAAAAAAAAHEAAAHlgkCgYQwAJtmCQKBhD' +
  'ABLzYJAoGEMDAAAAAwAAAAMAAAABAAAAAQAAAAEAAAABAMAAAQDYAAEAwAEAAAAA';

function linesOf(columns: Columns): string[] {
  return Array.from({ length: columns.count }, (_, at) => lineOf(recordAt(series, columns, at)));
}

function readBlock(path: string) {
  const block = BlockFile.open(path);
  const chunks = block.chunksOf(series.number);
  const columns = new Columns();
  for (const chunk of chunks) block.read(series, chunk, columns);
  const damages = block.verify(() => {});
  block.close();
  return { chunks, columns, damages };
}

test('a block of version 1 is read, summaries included; none of its records is simulated', (t) => {
  const path = join(archiveFolder(t), 'block-2810-1-1-0.ttb');
  writeFileSync(path, Buffer.from(blockOfVersion1, 'base64'));
  const { chunks, columns, damages } = readBlock(path);
  assert.deepEqual(linesOf(columns), lines);
  assert.deepEqual(
    chunks.map(({ count, hasSimulated, summary }) => [count, hasSimulated, summary?.sum]),
    [[3, false, 11]],
  );
  assert.deepEqual(damages, []);
});

test('a journal of version 1 is replayed', (t) => {
  const path = join(archiveFolder(t), 'journal-1.ttj');
  writeFileSync(path, Buffer.from(journalOfVersion1, 'base64'));
  const found: string[] = [];
  const batch = (_numbers: Uint32Array, columns: Columns) => void found.push(...linesOf(columns));
  const { damages } = replayJournal(path, { series: () => undefined, batch });
  assert.deepEqual(found, lines);
  assert.deepEqual(damages, []);
});

test('a block says which of its chunks have simulated records, texts and copied chunks included', (t) => {
  const folder = archiveFolder(t);
  const text: Series = { number: 4, kind: 'measurements', name: 'note', datatype: 's' };
  const qualityAt = (at: number) => (at === 1500 ? 0xd8 | simulated : 0xc0);
  const records = Array.from({ length: 3000 }, (_, at) => ({ timeUs: 1000 * at, quality: qualityAt(at) }));
  const write = (writer: BlockWriter, add: (each: Series) => void) => {
    for (const each of [series, text]) {
      writer.begin(each);
      add(each);
      writer.end();
    }
    return BlockFile.open(writer.finish() as string);
  };
  const marksOf = (block: BlockFile) =>
    [series, text].map((each) => block.chunksOf(each.number).map(({ hasSimulated }) => hasSimulated));
  const writer = new BlockWriter(folder, header);
  const block = write(writer, (each) => {
    const columns = columnsOf(
      records.map((record) => ({ ...record, series: each.number, value: each === text ? 'a' : 1 })),
    );
    writer.append(columns, 0, columns.count);
  });
  const copier = new BlockWriter(folder, { ...header, rewrite: 1 });
  const copied = write(copier, (each) => {
    for (const chunk of block.chunksOf(each.number)) {
      if (copier.copy(block, chunk)) continue;
      const columns = new Columns();
      block.read(each, chunk, columns);
      copier.append(columns, 0, columns.count);
    }
  });
  for (const each of [block, copied]) {
    assert.deepEqual(marksOf(each), [
      [false, true, false],
      [false, true, false],
    ]);
    each.close();
  }
});
