// Rows of some series as COPY gives them, each behind the id of its series, with their arrays where they were asked for.
import type { CopyReader } from './copy-reader.ts';
import { type RowArrays, readRowArrays } from './row-arrays.ts';
import { keyOf, readStoredRow, type StoredRow } from './stored-row.ts';

/** By key of the row. */
export type KeyedArrays = Map<string, RowArrays>;

/** By id of the series, of which all have a name here. */
export function readRows(
  from: CopyReader,
  names: ReadonlyMap<number, string>,
  hasSummaries: boolean,
  hasArrays: boolean,
) {
  const rows = new Map<number, StoredRow[]>();
  const arrays = new Map<number, KeyedArrays>();
  while (from.nextRow()) {
    const series = from.int8();
    const row = readStoredRow(from, hasSummaries, names.get(series) as string);
    const [own, ownArrays] = [rows.get(series) ?? [], arrays.get(series) ?? new Map<string, RowArrays>()];
    own.push(row);
    if (hasArrays) ownArrays.set(keyOf(row), readRowArrays(from));
    rows.set(series, own);
    arrays.set(series, ownArrays);
  }
  return { rows, arrays };
}

/** Of one series, as `rowsBetween` gives them. */
export function readKeyedArrays(from: CopyReader, name: string): KeyedArrays {
  const arrays: KeyedArrays = new Map();
  while (from.nextRow()) arrays.set(keyOf(readStoredRow(from, false, name)), readRowArrays(from));
  return arrays;
}
