// Rows in the order that somebody has chosen for a grid.
import type { GridSort } from './live-grid/grid-layout.ts';

interface Named {
  readonly name: string;
}

export type SortKeys<Row> = Readonly<Record<string, (row: Row) => number | string>>;

/** By what `keys` has for the column, else by the first of them. Those that are alike are in the order of their names. */
export function sortedBy<Row extends Named>(
  rows: readonly Row[],
  sort: GridSort | undefined,
  keys: SortKeys<Row>,
): Row[] {
  const key = keys[sort?.column ?? ''] ?? Object.values(keys)[0] ?? (({ name }: Row) => name);
  const sign = sort?.descending === true ? -1 : 1;
  return rows.toSorted((a, b) => sign * compare(key(a), key(b)) || compare(a.name, b.name));
}

function compare(one: number | string, other: number | string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
