// Tables as files: CSV.
export { type Cell, mostCells, mostColumns, plainNumber, type SheetRow, UnreadableCell, verbatimMark } from './cell.ts';
export { readCsv, writeCsv } from './csv-sheet.ts';
