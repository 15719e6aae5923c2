import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { CsvReader, csvRow } from './csv.ts';
import { ProblemError } from './problem.ts';

/** Fed in pieces of so many bytes. */
function rowsOf(text: string, pieceBytes = 1 << 16): string[][] {
  const rows: string[][] = [];
  const reader = new CsvReader((fields) => rows.push(fields));
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) reader.feed(bytes.subarray(at, at + pieceBytes));
  reader.end();
  return rows;
}

const isProblem = (detail: RegExp) => (error: unknown) =>
  error instanceof ProblemError && error.problem === 'malformed-csv' && detail.test(error.message);

describe('CSV', () => {
  test('that is written reads back the same, however it is cut into pieces', () => {
    const field = fc.string({
      unit: fc.constantFrom('"', ',', ';', '\t', '\n', '\r', 'a', 'ä', '💧', ' '),
      maxLength: 6,
    });
    const row = fc.array(field, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 5 }), fc.integer({ min: 1, max: 9 }), (rows, pieceBytes) => {
        assert.deepEqual(rowsOf(rows.map(csvRow).join(''), pieceBytes), rows);
      }),
    );
  });

  test('is taken with either end of a line, with a byte order mark, with empty lines, and without a last line break', () => {
    assert.deepEqual(rowsOf('\uFEFFa,b\n\r\n\nc,\r\nd'), [['a', 'b'], ['c', ''], ['d']]);
  });

  test('is taken with semicolons or tabs, whichever the first row has most of outside quotes', () => {
    assert.deepEqual(rowsOf('a;b;"c,,,"\n0,5;"x;y";\n'), [
      ['a', 'b', 'c,,,'],
      ['0,5', 'x;y', ''],
    ]);
    assert.deepEqual(rowsOf('a\tb\n1,5\t2;3'), [
      ['a', 'b'],
      ['1,5', '2;3'],
    ]);
    assert.deepEqual(rowsOf('a\n1,5'), [['a'], ['1', '5']]);
  });

  test('tells the number of each row in the file, empty lines and line breaks within quotes counted as what they are', () => {
    const numbers: number[] = [];
    const reader = new CsvReader((_, row) => numbers.push(row));
    reader.feed(Buffer.from('\n\na\n\r\n"b\n\nb"\n""\nc'));
    reader.end();
    assert.deepEqual(numbers, [3, 5, 6, 7]);
  });

  test('of no form is refused, and says in which row', () => {
    assert.throws(() => rowsOf('a\nb"c,d"\n'), isProblem(/Row 2 has a quote/));
    assert.throws(() => rowsOf('a\n"b"c\n'), isProblem(/Row 2 has a quote/));
    assert.throws(() => rowsOf('a\n"b\n'), isProblem(/Row 2 ends within quotes/));
    assert.throws(
      () => new CsvReader(() => undefined).feed(Uint8Array.of(0xff)),
      isProblem(/not UTF-8: in Excel, save it as CSV UTF-8/),
    );
  });

  test('with a row without an end is refused before it fills the memory', () => {
    const reader = new CsvReader(() => undefined);
    reader.feed(Buffer.from('"'));
    const piece = Buffer.alloc(1 << 16, '\n');
    assert.throws(
      () => {
        for (let at = 0; at < 1000; at++) reader.feed(piece);
      },
      isProblem(/longer than/),
    );
  });
});
