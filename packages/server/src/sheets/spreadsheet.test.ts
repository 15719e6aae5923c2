// Tables through a spreadsheet program: LibreOffice opens and saves them, and they come back unchanged.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { type Cell, UnreadableCell, verbatimMark } from './cell.ts';
import { readSheet, type SheetFormat, writeSheet } from './sheet.ts';

const office = 'soffice';
const skip = spawnSync(office, ['--version']).status === 0 ? false : 'there is no LibreOffice on this machine';
const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
const profile = `-env:UserInstallation=${pathToFileURL(join(folder, 'profile'))}`;

function run<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Texts, as they come back; numbers as texts. */
function rowsOf(bytes: Uint8Array): string[][] {
  const rows: string[][] = [];
  run(
    readSheet(bytes, 'points', ({ cells }) => {
      const texts = cells.map((cell) => {
        assert.ok(!(cell instanceof UnreadableCell), String(cell));
        return cell.startsWith(verbatimMark) ? `text ${cell.slice(1)}` : cell === '' ? '' : `text ${cell}`;
      });
      while (texts.at(-1) === '') texts.pop();
      if (texts.length > 0) rows.push(texts);
    }),
  );
  return rows;
}

/** Opens a file of one format and saves it in another, as a person would. */
function converted(bytes: Uint8Array, from: SheetFormat, to: SheetFormat, separator = ','): Buffer {
  const source = join(temporaryFolder(cleanup), `table.${from}`);
  const target = temporaryFolder(cleanup);
  writeFileSync(source, bytes);
  const code = separator.charCodeAt(0);
  // Separator, quotes, UTF-8, from the first row; the last one: recognise dates and the like.
  const opened = from === 'csv' ? ['--infilter=CSV:44,34,76,1,,0,false,true'] : [];
  const saved = to === 'csv' ? `csv:Text - txt - csv (StarCalc):${code},34,76,1` : 'xlsx:Calc MS Excel 2007 XML';
  const args = [profile, '--headless', ...opened, '--convert-to', saved, '--outdir', target, source];
  const { status, stderr } = spawnSync(office, args, { encoding: 'utf8', timeout: 120_000 });
  assert.equal(status, 0, stderr);
  return readFileSync(join(target, basename(source).replace(from, to)));
}

const texts = [
  ...[
    '',
    "'",
    "''x",
    ' ',
    ' x ',
    '=1+1',
    '+1',
    '-1',
    '-x',
    '@SUM(A1)',
    '#N/A',
    '007',
    '1.50',
    '0.5',
    '1,5',
    '1e5',
    '1E-3',
  ],
  ...[
    'TRUE',
    'false',
    '1/2',
    '1-2',
    '1.2.3',
    '2026-11-15',
    '2026-11-15T14:00:00Z',
    '10:30',
    '5 pm',
    '1%',
    '$5',
    'Mar 5',
  ],
  ...[
    'MARCH1',
    'DEC10',
    '12345678901234567890',
    '0x10',
    '1 000',
    'pump1',
    'holding(40001)',
    '4/hr3',
    'm³/h',
    '°C',
    'ä€😀',
  ],
  ...[
    'a "quoted" text',
    'a,b;c\td',
    'two\nlines',
    '=cmd|"/c calc"!A1',
    '_x0041_',
    '<a&b>',
    '__proto__',
    'a'.repeat(3000),
  ],
];

const rows: Cell[][] = [
  ['name', 'text', 'number', 'boolean', 'properties.=1', 'properties.a b'],
  ...texts.map((text, at): Cell[] => [`n${at}`, text, at / 4, at % 2 === 0, undefined, text]),
  ['last', undefined, 123_456_789, undefined, 'x', undefined],
];

describe('a table that a spreadsheet program has saved', { skip }, () => {
  const expected = (format: SheetFormat) => rowsOf(Buffer.concat(run(writeSheet(format, rows, 'points'))));
  /** Booleans are saved in capitals. */
  const normal = (table: string[][]) =>
    table.map((row) => row.map((cell, at) => (at === 3 ? cell.toLowerCase() : cell)));
  for (const [from, to, separator] of [
    ['csv', 'csv', ','],
    ['csv', 'csv', ';'],
    ['csv', 'xlsx', ','],
    ['xlsx', 'xlsx', ','],
    ['xlsx', 'csv', '\t'],
  ] as const) {
    test(`comes back unchanged from ${from} to ${to} with ${JSON.stringify(separator)}`, () => {
      const table = Buffer.concat(run(writeSheet(from, rows, 'points')));
      assert.deepEqual(normal(rowsOf(converted(table, from, to, separator))), normal(expected(from)));
    });
  }
});
