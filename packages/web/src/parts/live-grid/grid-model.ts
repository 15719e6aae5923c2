// What a grid shows: its columns, and rows that are asked for by their index, so that only those that are seen are ever made.
import type { ComponentChildren } from 'preact';

/** What stays the same of a row when the order changes: its name, for example. */
export type GridKey = string | number;

/** A new object whenever rows come, go or change their order. What changes inside of a row is its cells' to tell. */
export interface GridRows<Row> {
  readonly length: number;
  readonly at: (index: number) => Row;
  readonly keyAt: (index: number) => GridKey;
}

/** Where a cell stands in the two lines that a row has on a narrow screen. */
export type NarrowPlace = 'name' | 'value' | 'note' | 'aside';

export interface GridColumn<Row> {
  /** As in the address. */
  readonly key: string;
  readonly title: string;
  /** In CSS pixels, as long as nobody chooses another. */
  readonly width: number;
  /** Takes so many shares of the width that is left; true: one. */
  readonly grows?: boolean | number;
  readonly align?: 'end';
  readonly isSortable?: boolean;
  /** Cannot be left out. */
  readonly isFixed?: boolean;
  /** Without it, it is not shown on a narrow screen. */
  readonly narrow?: NarrowPlace;
  /** Text, or a component that follows signals by itself. */
  readonly cell: (row: Row, place: { readonly isNarrow: boolean }) => ComponentChildren;
}

export function rowsOf<Row>(items: readonly Row[], keyOf: (row: Row) => GridKey): GridRows<Row> {
  const at = (index: number): Row => {
    const row = items[index];
    if (row === undefined) throw new RangeError(`There is no row ${index}.`);
    return row;
  };
  return { length: items.length, at, keyAt: (index) => keyOf(at(index)) };
}

/** -1 where no row has the key. */
export function indexOfKey<Row>(rows: GridRows<Row>, key: GridKey | undefined, near = 0): number {
  if (key === undefined) return -1;
  if (near >= 0 && near < rows.length && rows.keyAt(near) === key) return near;
  for (let index = 0; index < rows.length; index++) if (rows.keyAt(index) === key) return index;
  return -1;
}
