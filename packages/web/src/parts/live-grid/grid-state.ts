// What a grid is doing: which rows are seen, where its cursor stands, and what is selected. Elements and keys are left to
// live-grid.tsx and grid-keys.ts.
import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { type GridColumn, type GridKey, type GridRows, indexOfKey } from './grid-model.ts';
import { type GridWindow, meantTop, rowOfSlot, scrollTopOf, windowAt } from './grid-window.ts';

/** The header is row -1. */
export interface GridCursor {
  readonly row: number;
  readonly column: number;
}

const noRows: GridRows<never> = {
  length: 0,
  at: () => {
    throw new RangeError('There are no rows.');
  },
  keyAt: () => '',
};

export class GridState<Row> {
  readonly rows: Signal<GridRows<Row>> = signal(noRows);
  readonly columns: Signal<readonly GridColumn<Row>[]> = signal([]);
  readonly selection: Signal<ReadonlySet<GridKey>>;
  readonly cursor = signal<GridCursor>({ row: 0, column: 0 });
  readonly rowHeight = signal(28);
  readonly viewport = signal(0);
  readonly isNarrow = signal(false);
  readonly #scrollTop = signal(0);
  readonly window: ReadonlySignal<GridWindow> = computed(() => windowAt(this.#scrollTop.value, this.#extent.value));
  /** How many rows are made; they are used again as others come into sight. */
  readonly pool = computed(() => this.window.value.pool);
  readonly #extent = computed(() => ({
    count: this.rows.value.length,
    rowHeight: this.rowHeight.value,
    viewport: this.viewport.value,
  }));
  /** Where a range begins that Shift extends. */
  #anchor = 0;
  /** The row of the cursor, whatever its index becomes. */
  #key: GridKey | undefined;

  constructor(selection: Signal<ReadonlySet<GridKey>> | undefined) {
    this.selection = selection ?? signal(new Set());
  }

  /** The cursor stays on its row where that is still there. */
  setRows(rows: GridRows<Row>): void {
    const cursor = this.cursor.peek();
    const found = indexOfKey(rows, this.#key, cursor.row);
    batch(() => {
      this.rows.value = rows;
      const row = cursor.row < 0 ? -1 : found >= 0 ? found : Math.max(0, Math.min(cursor.row, rows.length - 1));
      if (row !== cursor.row) this.cursor.value = { ...cursor, row };
    });
    this.#anchor = this.cursor.peek().row;
  }

  scrolled(scrollTop: number): void {
    this.#scrollTop.value = scrollTop;
  }

  rowOfSlot(slot: number): number {
    return rowOfSlot(slot, this.window.value);
  }

  /** Where the scroll bar has to stand so that the cursor is seen; undefined: as it stands. */
  scrollTopForCursor(): number | undefined {
    const { row } = this.cursor.peek();
    if (row < 0) return undefined;
    const extent = this.#extent.peek();
    const { rowHeight, viewport } = extent;
    const top = meantTop(this.#scrollTop.peek(), extent);
    if (row * rowHeight < top) return scrollTopOf(row, extent);
    if ((row + 1) * rowHeight > top + viewport) return scrollTopOf(row + 1 - viewport / rowHeight, extent);
    return undefined;
  }

  /** How many rows a page is. */
  get pageRows(): number {
    return Math.max(1, Math.floor(this.viewport.peek() / this.rowHeight.peek()) - 1);
  }

  moveTo(row: number, { column = this.cursor.peek().column, extend = false, lowest = 0 } = {}): void {
    const rows = this.rows.peek();
    const to = Math.max(lowest, Math.min(row, rows.length - 1));
    const toColumn = Math.max(0, Math.min(column, this.columns.peek().length - 1));
    batch(() => {
      this.cursor.value = { row: to, column: toColumn };
      this.#key = to >= 0 && to < rows.length ? rows.keyAt(to) : undefined;
      if (extend) this.selectRange(this.#anchor, to);
      else this.#anchor = to;
    });
  }

  /** Whether the cursor is on this row, and it is still the one that somebody has moved it to. */
  isOn(row: number): boolean {
    const rows = this.rows.peek();
    return row === this.cursor.peek().row && row < rows.length && rows.keyAt(row) === this.#key;
  }

  toggle(row: number): void {
    const rows = this.rows.peek();
    if (row < 0 || row >= rows.length) return;
    const key = rows.keyAt(row);
    const next = new Set(this.selection.peek());
    if (!next.delete(key)) next.add(key);
    this.selection.value = next;
    this.#anchor = row;
  }

  selectRange(from: number, to: number): void {
    const rows = this.rows.peek();
    const next = new Set<GridKey>();
    const last = Math.min(Math.max(from, to), rows.length - 1);
    for (let row = Math.max(0, Math.min(from, to)); row <= last; row++) next.add(rows.keyAt(row));
    this.selection.value = next;
  }

  /** All there are, also those out of sight. */
  selectAll(): void {
    this.selectRange(0, this.rows.peek().length - 1);
  }

  selectNone(): void {
    this.selection.value = new Set();
  }
}
