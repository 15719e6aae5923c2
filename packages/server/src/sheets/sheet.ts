// A table as a file of either format. Which one a file has is seen from its bytes.
import type { Cell, SheetRow } from './cell.ts';
import { readCsv, writeCsv } from './csv-sheet.ts';
import { readXlsx } from './read-xlsx.ts';
import { writeXlsx } from './write-xlsx.ts';

export type SheetFormat = 'csv' | 'xlsx';

/** In steps. `title` is what a workbook calls its sheet. */
export function writeSheet(
  format: SheetFormat,
  rows: Iterable<readonly Cell[]>,
  title: string,
): Generator<undefined, Uint8Array[]> {
  return format === 'csv' ? writeCsv(rows) : writeXlsx(rows, title);
}

/** In steps. Of a workbook with several sheets the one of this title is read, else the first. */
export function readSheet(
  bytes: Uint8Array,
  title: string,
  onRow: (row: SheetRow) => void,
): Generator<undefined, void> {
  const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4;
  return isZip ? readXlsx(bytes, title, onRow) : readCsv(bytes, onRow);
}
