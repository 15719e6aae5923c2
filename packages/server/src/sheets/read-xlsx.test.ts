// Workbooks as programs save them, and as attackers make them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ProblemError } from '@telltale/schema';
import { type SheetRow, UnreadableCell } from './cell.ts';
import { numberKind } from './number-format.ts';
import { readXlsx } from './read-xlsx.ts';
import { EntryWriter, zip } from './write-zip.ts';

type Parts = Record<string, string>;

const workbook: Parts = {
  'xl/workbook.xml': '<workbook><sheets><sheet name="one" r:id="r1"/><sheet name="two" r:id="r2"/></sheets></workbook>',
  'xl/_rels/workbook.xml.rels':
    '<Relationships><Relationship Id="r1" Target="worksheets/a.xml"/><Relationship Id="r2" Target="/xl/b.xml"/></Relationships>',
};

const sheet = (rows: string) => `<?xml version="1.0"?><worksheet><sheetData>${rows}</sheetData></worksheet>`;

function packed(parts: Parts): Buffer {
  return Buffer.concat(zip(Object.entries(parts).map(([name, text]) => new EntryWriter(name).end(text))));
}

function read(bytes: Uint8Array, title = 'none'): SheetRow[] {
  const rows: SheetRow[] = [];
  const steps = readXlsx(bytes, title, (row) => rows.push(row));
  while (steps.next().done !== true);
  return rows;
}

const cellsOf = (rows: string, more: Parts = {}) =>
  read(packed({ ...workbook, 'xl/worksheets/a.xml': sheet(rows), ...more })).map(({ cells }) =>
    cells.map((cell) => (cell instanceof UnreadableCell ? `! ${cell.message}` : cell)),
  );

const refuses = (problem: string, work: () => unknown) =>
  assert.throws(work, (error) => error instanceof ProblemError && error.problem === problem);

describe('a workbook', () => {
  test('gives texts, numbers, booleans and the results of formulas, wherever its cells stand', () => {
    const styles = '<styleSheet><cellXfs><xf/><xf numFmtId="9"/><xf numFmtId="10"/></cellXfs></styleSheet>';
    const texts =
      '<sst><si><t>shared &amp; &#x41;</t></si><si><r><t>ri</t></r><r><t>ch</t></r><rPh><t>no</t></rPh></si></sst>';
    const rows =
      '<x:row r="3"><x:c r="B3" t="s"><x:v>0</x:v></x:c><c t="s"><v>1</v></c></x:row>' +
      '<row><c r="A4"><v>0.10000000000000001</v></c><c><v>1E-3</v></c><c s="1"><v>7.0000000000000007E-2</v></c></row>' +
      '<row r="9"><c t="b"><v>1</v></c><c t="str"><f>"a"&amp;"b"</f><v>ab</v></c><c t="inlineStr"><is><t>in_x000D_</t></is></c></row>';
    const parts = { 'xl/sharedStrings.xml': texts, 'xl/styles.xml': styles };
    assert.deepEqual(cellsOf(rows, parts), [
      ['', 'shared & A', 'rich'],
      ['0.1', '0.001', '7%'],
      ['true', 'ab', 'in\r'],
    ]);
    const numbers = read(packed({ ...workbook, 'xl/worksheets/a.xml': sheet(rows), ...parts })).map(
      ({ number }) => number,
    );
    assert.deepEqual(numbers, [3, 4, 9]);
  });

  test('never passes a date or an error for a value', () => {
    const styles =
      '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="dd/mm/yyyy"/></numFmts><cellXfs><xf numFmtId="14"/><xf numFmtId="170"/></cellXfs></styleSheet>';
    const [row] = cellsOf('<row><c s="0"><v>45000</v></c><c s="1"><v>1</v></c><c t="e"><v>#REF!</v></c></row>', {
      'xl/styles.xml': styles,
    });
    assert.deepEqual(row, [
      '! is a date or a time: give the column the format Text, and write it again',
      '! is a date or a time: give the column the format Text, and write it again',
      '! is the error #REF!: give the column the format Text, and write it again',
    ]);
    assert.deepEqual(
      ['0.00%', '[Red]0.0', '"d"0', '[h]:mm', '0\\d', 'General', '@', '#,##0 "m³/h"'].map((code) =>
        numberKind(200, code),
      ),
      ['percent', 'number', 'number', 'time', 'number', 'number', 'number', 'number'],
    );
  });

  test('gives the sheet that is asked for by its title, else the first', () => {
    const parts = {
      ...workbook,
      'xl/worksheets/a.xml': sheet('<row><c><v>1</v></c></row>'),
      'xl/b.xml': sheet('<row><c><v>2</v></c></row>'),
    };
    assert.deepEqual(read(packed(parts), 'two')[0]?.cells, ['2']);
    assert.deepEqual(read(packed(parts), 'three')[0]?.cells, ['1']);
  });

  test('that is cut, damaged, encrypted or none is refused', () => {
    const whole = packed({ ...workbook, 'xl/worksheets/a.xml': sheet('<row><c><v>1</v></c></row>') });
    for (let length = 0; length < whole.length; length += 7) {
      refuses('malformed-xlsx', () => read(whole.subarray(0, length)));
    }
    for (let at = 0; at < whole.length; at++) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 0xff;
      try {
        read(damaged);
      } catch (error) {
        assert.ok(error instanceof ProblemError, `byte ${at}: ${(error as Error).stack}`);
      }
    }
    refuses('malformed-xlsx', () => read(packed({ 'xl/workbook.xml': '<workbook/>' })));
    refuses('malformed-xlsx', () => read(packed({ ...workbook, 'xl/worksheets/a.xml': '<worksheet' })));
    refuses('malformed-xlsx', () => read(Buffer.concat(zip(['a', 'a'].map((name) => new EntryWriter(name).end())))));
  });

  test('with a document type, or entities of its own, is refused', () => {
    const laughs = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]><worksheet>&b;</worksheet>';
    refuses('malformed-xlsx', () => read(packed({ ...workbook, 'xl/worksheets/a.xml': laughs })));
    refuses('malformed-xlsx', () => cellsOf('<row><c t="str"><v>&b;</v></c></row>'));
    refuses('malformed-xlsx', () => cellsOf('<row><c t="str"><v>&#xD800;</v></c></row>'));
  });

  test('that grows when it is unpacked is refused before it fills the memory', () => {
    const spaces = new EntryWriter('xl/worksheets/a.xml');
    for (let at = 0; at < 300; at++) spaces.add(' '.repeat(1 << 20));
    const frame = Object.entries(workbook).map(([name, text]) => new EntryWriter(name).end(text));
    refuses('table-too-large', () => read(Buffer.concat(zip([...frame, spaces.end()]))));
    const styles = new EntryWriter('xl/styles.xml');
    for (let at = 0; at < 9; at++) styles.add('<xf/>'.repeat(200_000));
    const small = new EntryWriter('xl/worksheets/a.xml').end(sheet(''));
    refuses('table-too-large', () => read(Buffer.concat(zip([...frame, small, styles.end()]))));
  });

  test('whose cells share one long text, or stand far apart, is refused before it fills the memory', () => {
    const shared = { 'xl/sharedStrings.xml': `<sst><si><t>${'x'.repeat(1 << 19)}</t></si></sst>` };
    refuses('table-too-large', () => cellsOf('<row><c t="s"><v>0</v></c></row>'.repeat(200), shared));
    refuses('table-too-large', () => cellsOf('<row><c r="XFD1"><v>0</v></c></row>'.repeat(5000)));
    refuses('table-too-large', () => cellsOf('<row><c r="XFE1"><v>0</v></c></row>'));
    refuses('malformed-xlsx', () => cellsOf(`<row a="${'>'.repeat(3 << 20)}"/>`));
    assert.deepEqual(cellsOf('<row r="1048576"><c r="A1048576"><v>1</v></c></row>'), [['1']]);
  });
});
