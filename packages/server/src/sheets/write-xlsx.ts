// A table as a workbook of Office Open XML: one sheet, texts as texts, so that nothing is taken for a formula or a date.
import { ProblemError } from '@telltale/schema';
import { type Cell, isMistakable, verbatimMark } from './cell.ts';
import { EntryWriter, type ZipEntry, zip } from './write-zip.ts';

/** So much is made in one step. */
const pieceLength = 256 << 10;
/** What Excel takes. */
const mostTextLength = 32_767;

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packages = 'http://schemas.openxmlformats.org/package/2006';
const office = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** Cells have one of these styles: general, text, text that stays text when it is edited, heading. */
const styles = { general: 0, text: 1, quoted: 2, heading: 3 } as const;

/** In steps. */
export function* writeXlsx(rows: Iterable<readonly Cell[]>, title: string): Generator<undefined, Uint8Array[]> {
  const sheet = new EntryWriter('xl/worksheets/sheet1.xml');
  let text = `${declaration}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane xSplit="1" ySplit="1" topLeftCell="B2" activePane="bottomRight" state="frozen"/></sheetView></sheetViews><sheetData>`;
  let number = 0;
  for (const row of rows) {
    number++;
    text += `<row r="${number}">`;
    row.forEach((cell, at) => {
      if (cell !== undefined) text += cellXml(cell, `${columnName(at)}${number}`, number === 1);
    });
    text += '</row>';
    if (text.length < pieceLength) continue;
    sheet.add(text);
    text = '';
    yield;
  }
  return zip([...frame(title), sheet.end(`${text}</sheetData></worksheet>`)]);
}

/** As spreadsheets call it: A, B, … AA. */
export function columnName(at: number): string {
  return (at >= 26 ? columnName(Math.floor(at / 26) - 1) : '') + String.fromCharCode(65 + (at % 26));
}

function cellXml(cell: NonNullable<Cell>, at: string, isHeading: boolean): string {
  if (typeof cell === 'number') return `<c r="${at}"><v>${cell}</v></c>`;
  if (typeof cell === 'boolean') return `<c r="${at}" t="b"><v>${Number(cell)}</v></c>`;
  const text = typeof cell === 'string' ? marked(cell) : verbatimMark + cell.text;
  if (text.length > mostTextLength) {
    const detail = `A text has ${text.length} characters, and a cell of a workbook at most ${mostTextLength}: use CSV.`;
    throw new ProblemError('table-too-large', detail);
  }
  const style = isHeading ? styles.heading : isMistakable(text) ? styles.quoted : styles.text;
  return `<c r="${at}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;
}

/** Other texts than these are safe in a cell that is a text. */
function marked(text: string): string {
  return text === '' || text.startsWith(verbatimMark) ? verbatimMark + text : text;
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Characters that XML does not have are written as Excel does, `_x000D_`; and what looks like that, with one more. */
function escaped(text: string): string {
  return text.replaceAll(/[&<>"]|_(?=x[\dA-Fa-f]{4}_)|[\u0001-\u0008\u000b-\u001f\ufffe\uffff]/g, (found) => {
    const known = escapes[found];
    return known ?? `_x${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
  });
}

/** All but the sheet. */
function frame(title: string): ZipEntry[] {
  const part = (name: string, xml: string) => new EntryWriter(name).end(declaration + xml);
  const relation = (id: number, type: string, target: string) =>
    `<Relationship Id="rId${id}" Type="${relations}/${type}" Target="${target}"/>`;
  const related = (all: string) => `<Relationships xmlns="${packages}/relationships">${all}</Relationships>`;
  const override = (name: string, type: string) =>
    `<Override PartName="/xl/${name}" ContentType="${office}.${type}+xml"/>`;
  return [
    part(
      '[Content_Types].xml',
      `<Types xmlns="${packages}/content-types">` +
        `<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
        `${override('workbook.xml', 'sheet.main')}${override('styles.xml', 'styles')}` +
        `${override('worksheets/sheet1.xml', 'worksheet')}</Types>`,
    ),
    part('_rels/.rels', related(relation(1, 'officeDocument', 'xl/workbook.xml'))),
    part(
      'xl/workbook.xml',
      `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>` +
        `<sheet name="${escaped(title)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    ),
    part(
      'xl/_rels/workbook.xml.rels',
      related(relation(1, 'worksheet', 'worksheets/sheet1.xml') + relation(2, 'styles', 'styles.xml')),
    ),
    part('xl/styles.xml', stylesXml),
  ];
}

/** 49 is the format of texts. */
const stylesXml =
  `<styleSheet xmlns="${main}"><fonts count="2"><font/><font><b/></font></fonts>` +
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
  '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="4"><xf/>' +
  '<xf numFmtId="49" applyNumberFormat="1"/><xf numFmtId="49" applyNumberFormat="1" quotePrefix="1"/>' +
  '<xf numFmtId="49" fontId="1" applyNumberFormat="1" applyFont="1"/></cellXfs></styleSheet>';
