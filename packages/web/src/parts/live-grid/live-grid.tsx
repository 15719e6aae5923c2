// A grid for any number of rows: only those that are seen exist as elements, and are used again while it is scrolled. It
// knows nothing of what it shows, and nothing of how it is sorted or filtered: that is the view's, which gives it rows.
import { type Signal, useComputed, useSignalEffect } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { words } from '../../words/words.ts';
import { pressedAmongControls } from './grid-controls.ts';
import { GridHead, moved, sortBy } from './grid-head.tsx';
import { pressed } from './grid-keys.ts';
import type { GridLayout } from './grid-layout.ts';
import type { GridColumn, GridKey, GridRows } from './grid-model.ts';
import { GridRow } from './grid-row.tsx';
import { GridState } from './grid-state.ts';

export interface LiveGridProps<Row> {
  readonly label: string;
  /** All that can be shown; the layout chooses. */
  readonly columns: readonly GridColumn<Row>[];
  readonly layout: GridLayout;
  readonly rows: GridRows<Row>;
  /** With it, rows can be selected: their keys. */
  readonly selection?: Signal<ReadonlySet<GridKey>>;
  /** Of a view that moves the cursor itself; made with its selection. */
  readonly state?: GridState<Row>;
  /** Enter, a double click, or a touch. */
  readonly onOpen?: (row: Row, column: string) => void;
  /** Keys that the grid does not know; `preventDefault` says that it was one. */
  readonly onKey?: (event: KeyboardEvent, row: Row, column: string) => void;
  /** The cursor is on a cell, not on a whole row. */
  readonly isByCell?: boolean;
  readonly rowClass?: (row: Row) => string | undefined;
  /** What is seen where there are no rows. */
  readonly empty?: ComponentChildren;
  /** Which rows are seen, whenever others are. */
  readonly onSeen?: (rows: readonly Row[]) => void;
}

/** Narrower, rows have two lines. */
const narrowBelow = 640;
const checkWidth = 32;

export function LiveGrid<Row>(props: LiveGridProps<Row>) {
  const { label, columns, layout, rows, selection, onOpen, onKey, isByCell = false, rowClass, empty, onSeen } = props;
  const id = useId();
  const ref = useRef<HTMLDivElement>(null);
  const state = useMemo(() => props.state ?? new GridState<Row>(selection), [props.state, selection]);
  const isSelectable = selection !== undefined;
  const isNarrow = state.isNarrow.value;
  const shownKeys = layout.columns.value;
  const shown = useMemo(() => {
    if (isNarrow) return columns.filter(({ narrow }) => narrow !== undefined);
    const byKey = new Map(columns.map((column) => [column.key, column]));
    return shownKeys.map((key) => byKey.get(key)).filter((column) => column !== undefined);
  }, [columns, shownKeys, isNarrow]);
  if (state.columns.peek() !== shown) state.columns.value = shown;
  if (state.rows.peek() !== rows) state.setRows(rows);

  useLayoutEffect(() => measured(ref.current, state), [state]);
  useSignalEffect(() => {
    void state.cursor.value;
    const top = state.scrollTopForCursor();
    if (top !== undefined && ref.current !== null) ref.current.scrollTop = top;
  });
  useSignalEffect(() => {
    const { first, pool } = state.window.value;
    const all = state.rows.value;
    onSeen?.(Array.from({ length: Math.min(pool, all.length - first) }, (_, at) => all.at(first + at)));
  });

  const actions = {
    state,
    isByCell,
    isSelectable,
    open:
      onOpen &&
      ((row: number, column: number) => onOpen(state.rows.peek().at(row), state.columns.peek()[column]?.key ?? '')),
    sort: (column: number) => {
      const found = state.columns.peek()[column];
      if (found !== undefined) sortBy(layout, found);
    },
    moveColumn: (column: number, by: number) => {
      const keys = layout.columns.peek();
      const [key, to] = [keys[column], keys[column + by]];
      if (key === undefined || to === undefined) return;
      layout.arrange(moved(keys, key, to));
      state.moveTo(-1, { column: column + by, lowest: -1 });
    },
    resizeColumn: (column: number, by: number) => {
      const found = state.columns.peek()[column];
      const width = ref.current?.querySelectorAll<HTMLElement>('[role=columnheader]:not(.grid-check)')[column];
      if (found !== undefined) layout.resize(found.key, (width?.offsetWidth ?? found.width) + by);
    },
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || (event.target as HTMLElement).matches('input, select, textarea')) return;
    const grid = event.currentTarget as HTMLElement;
    const isOwn = event.target === grid;
    const isAmongControls = () => !isByCell && pressedAmongControls(event, grid, state);
    if (!isOwn && isAmongControls()) {
      event.preventDefault();
      return;
    }
    // Buttons and links in a cell have Enter and Space to themselves.
    if (!isOwn && (event.key === 'Enter' || event.key === ' ')) return;
    if (pressed(event, actions)) {
      event.preventDefault();
      grid.focus();
      return;
    }
    const { row, column } = state.cursor.peek();
    if (row < 0 || row >= rows.length) return;
    onKey?.(event, rows.at(row), state.columns.peek()[column]?.key ?? '');
    if (isOwn && !event.defaultPrevented && isAmongControls()) event.preventDefault();
  };
  const onClick = (event: MouseEvent) => {
    const at = cellAt(event);
    if (at === undefined) return;
    const isTouch = event instanceof PointerEvent && event.pointerType === 'touch';
    if (at.isCheck || event.ctrlKey || event.metaKey) {
      state.moveTo(at.row, { column: at.column });
      if (isSelectable) state.toggle(at.row);
    } else {
      state.moveTo(at.row, { column: at.column, extend: event.shiftKey && isSelectable });
      if (isTouch && !at.isControl) actions.open?.(at.row, at.column);
    }
  };
  const onDblClick = (event: MouseEvent) => {
    const at = cellAt(event);
    if (at !== undefined && !at.isCheck && !at.isControl) actions.open?.(at.row, at.column);
  };

  const { template, width } = templateOf(shown, layout.widths.value, isSelectable, isNarrow);
  const active = useComputed(() => {
    const { row, column } = state.cursor.value;
    if (row < 0) return `${id}-head-${column}`;
    return row >= state.rows.value.length ? undefined : isByCell ? `${id}-${row}-${column}` : `${id}-${row}`;
  });
  const pool = state.pool.value;
  return (
    <div
      class={`live-grid ${isNarrow ? 'narrow' : ''} ${isSelectable ? 'selectable' : ''} ${isByCell ? 'by-cell' : ''}`}
    >
      {isNarrow && <NarrowSort columns={columns} layout={layout} />}
      <div
        ref={ref}
        class="grid-scroll"
        role="grid"
        tabIndex={0}
        aria-label={label}
        aria-rowcount={rows.length + 1}
        aria-multiselectable={isSelectable}
        aria-activedescendant={active.value}
        style={{ '--grid-columns': template, '--grid-width': width, '--grid-row': `${state.rowHeight.value}px` }}
        onKeyDown={onKeyDown}
        onClick={onClick}
        onDblClick={onDblClick}
        onPointerOver={showWhole}
        onScroll={(event) => state.scrolled(event.currentTarget.scrollTop)}
      >
        <GridHead id={id} state={state} layout={layout} isSelectable={isSelectable} />
        <div class="grid-body" role="rowgroup" style={{ height: `${state.window.value.height}px` }}>
          {Array.from({ length: pool }, (_, slot) => (
            <GridRow
              key={slot}
              id={id}
              state={state}
              slot={slot}
              isSelectable={isSelectable}
              isByCell={isByCell}
              rowClass={rowClass}
            />
          ))}
        </div>
      </div>
      {rows.length === 0 && <div class="grid-empty">{empty ?? words.value.grid.empty}</div>}
    </div>
  );
}

/** Follows the size of the grid, and that of its rows, which the pointer of the device and the type decide. */
function measured<Row>(element: HTMLDivElement | null, state: GridState<Row>): (() => void) | undefined {
  if (element === null) return undefined;
  const measure = () => {
    const { fontSize } = getComputedStyle(document.documentElement);
    const row = Number.parseFloat(getComputedStyle(element).getPropertyValue('--row')) * Number.parseFloat(fontSize);
    state.isNarrow.value = element.clientWidth > 0 && element.clientWidth < narrowBelow;
    state.rowHeight.value = Math.max(1, Math.round(state.isNarrow.peek() ? Math.max(row, 48) * 1.15 : row));
    const head = element.querySelector<HTMLElement>('.grid-head')?.offsetHeight ?? 0;
    state.viewport.value = Math.max(0, element.clientHeight - head);
  };
  measure();
  const observer = new ResizeObserver(measure);
  observer.observe(element);
  return () => observer.disconnect();
}

/** What is cut off is shown whole where the pointer rests: no cell has a title before that. */
function showWhole(event: PointerEvent): void {
  const cell = (event.target as Element).closest<HTMLElement>('.grid-body [role=gridcell]');
  if (cell === null) return;
  const isCut = [cell, ...cell.querySelectorAll<HTMLElement>('*')].some(
    (each) => each.scrollWidth > each.clientWidth + 1,
  );
  cell.title = isCut ? (cell.textContent ?? '') : '';
}

function cellAt(event: MouseEvent) {
  const target = event.target as Element;
  const row = Number(target.closest('.grid-body [role=row]')?.getAttribute('aria-rowindex') ?? 0) - 2;
  if (row < 0) return undefined;
  const cell = target.closest('[role=gridcell]');
  const cells = [...(cell?.parentElement?.querySelectorAll('[role=gridcell]:not(.grid-check)') ?? [])];
  const isCheck = cell?.classList.contains('grid-check') === true;
  const isControl = target.closest('a, button, input, select, textarea, label') !== null;
  return { row, column: cell === null ? 0 : Math.max(0, cells.indexOf(cell)), isCheck, isControl };
}

/** Columns that grow share what is left, unless somebody has given them a width. */
function templateOf<Row>(
  columns: readonly GridColumn<Row>[],
  widths: Readonly<Record<string, number>>,
  isSelectable: boolean,
  isNarrow: boolean,
) {
  if (isNarrow) return { template: '', width: '100%' };
  const least = columns.map(({ key, width }) => widths[key] ?? width);
  const tracks = columns.map(({ key, grows, width }, at) =>
    Number(grows ?? 0) > 0 && widths[key] === undefined ? `minmax(${width}px, ${Number(grows)}fr)` : `${least[at]}px`,
  );
  const width = least.reduce((sum, each) => sum + each, isSelectable ? checkWidth : 0);
  return { template: `${isSelectable ? `${checkWidth}px ` : ''}${tracks.join(' ')}`, width: `${width}px` };
}

/** Where there is no room for a header. */
function NarrowSort<Row>({ columns, layout }: Pick<LiveGridProps<Row>, 'columns' | 'layout'>) {
  const { grid } = words.value;
  const sort = layout.sort.value;
  const sortable = columns.filter(({ isSortable }) => isSortable === true);
  if (sortable.length === 0) return null;
  return (
    <div class="grid-narrow-sort">
      <label>
        {grid.sortBy}{' '}
        <select
          value={sort?.column ?? ''}
          onChange={(event) => {
            const column = event.currentTarget.value;
            layout.sortBy(column === '' ? undefined : { column, descending: sort?.descending ?? false });
          }}
        >
          <option value="">–</option>
          {sortable.map(({ key, title }) => (
            <option key={key} value={key}>
              {title}
            </option>
          ))}
        </select>
      </label>
      {sort !== undefined && (
        <button
          type="button"
          aria-label={sort.descending ? grid.descending : grid.ascending}
          onClick={() => layout.sortBy({ ...sort, descending: !sort.descending })}
        >
          {sort.descending ? '▼' : '▲'}
        </button>
      )}
    </div>
  );
}
