// Tables as files: CSV, and workbooks of spreadsheet programs (XLSX).
export {
  type Cell,
  mostCells,
  mostColumns,
  plainNumber,
  type SheetRow,
  UnreadableCell,
  VerbatimCell,
  verbatimMark,
} from './cell.ts';
export { booleanIn, integerIn, notBoolean, notInteger, placeIn, withDecimalPoint, withoutMark } from './read-cell.ts';
export { readSheet, type SheetFormat, writeSheet } from './sheet.ts';
export { columnName } from './write-xlsx.ts';
