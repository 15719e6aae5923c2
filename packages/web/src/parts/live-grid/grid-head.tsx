// The header of a grid: sorts by a click, resizes by its edges, reorders by dragging. By keys: grid-keys.ts.
import { useSignal } from '@preact/signals';
import { words } from '../../words/words.ts';
import type { GridLayout, GridSort } from './grid-layout.ts';
import type { GridColumn } from './grid-model.ts';
import type { GridState } from './grid-state.ts';

export interface GridHeadProps<Row> {
  readonly id: string;
  readonly state: GridState<Row>;
  readonly layout: GridLayout;
  readonly isSelectable: boolean;
}

export function GridHead<Row>({ id, state, layout, isSelectable }: GridHeadProps<Row>) {
  const dragged = useSignal<string | undefined>(undefined);
  const columns = state.columns.value;
  const cursor = state.cursor.value;
  const sort = layout.sort.value;
  const isAll = state.rows.value.length > 0 && state.selection.value.size >= state.rows.value.length;
  return (
    <div class="grid-head" role="rowgroup">
      <div class="grid-row" role="row" aria-rowindex={1}>
        {isSelectable && (
          <div class="grid-cell grid-check" role="columnheader" aria-label={words.value.grid.select}>
            <button
              type="button"
              class="plain"
              tabIndex={-1}
              aria-label={words.value.grid.selectAll}
              aria-pressed={isAll}
              onClick={() => (isAll ? state.selectNone() : state.selectAll())}
            >
              <span aria-hidden="true" />
            </button>
          </div>
        )}
        {columns.map((column, at) => (
          <div
            key={column.key}
            id={`${id}-head-${at}`}
            class={`grid-cell ${column.align === 'end' ? 'end' : ''} ${cursor.row < 0 && cursor.column === at ? 'active' : ''}`}
            role="columnheader"
            aria-sort={ariaSort(column, sort)}
            draggable
            onDragStart={() => {
              dragged.value = column.key;
            }}
            onDragOver={(event) => event.preventDefault()}
            onDrop={(event) => {
              event.preventDefault();
              if (dragged.value !== undefined) layout.arrange(moved(layout.columns.value, dragged.value, column.key));
              dragged.value = undefined;
            }}
          >
            <Title column={column} sort={sort} onSort={() => sortBy(layout, column)} />
            <Edge column={column} layout={layout} />
          </div>
        ))}
      </div>
    </div>
  );
}

interface TitleProps<Row> {
  readonly column: GridColumn<Row>;
  readonly sort: GridSort | undefined;
  readonly onSort: () => void;
}

function Title<Row>({ column, sort, onSort }: TitleProps<Row>) {
  if (column.isSortable !== true) return <span class="grid-title">{column.title}</span>;
  const arrow = sort?.column !== column.key ? '' : sort.descending ? ' ▼' : ' ▲';
  return (
    <button type="button" class="plain grid-title" tabIndex={-1} onClick={onSort}>
      <span class="grid-title-text">{column.title}</span>
      <span aria-hidden="true">{arrow}</span>
    </button>
  );
}

/** Dragged, it makes its column wider or narrower; a double click gives back its first width. */
function Edge<Row>({ column, layout }: { readonly column: GridColumn<Row>; readonly layout: GridLayout }) {
  const onPointerDown = (event: PointerEvent) => {
    const edge = event.currentTarget as HTMLElement;
    const from = event.clientX - (edge.parentElement?.offsetWidth ?? column.width);
    event.preventDefault();
    edge.setPointerCapture(event.pointerId);
    const onMove = (moved: PointerEvent) => layout.resize(column.key, moved.clientX - from);
    edge.addEventListener('pointermove', onMove);
    edge.addEventListener('lostpointercapture', () => edge.removeEventListener('pointermove', onMove), { once: true });
  };
  return (
    <span
      class="grid-edge"
      aria-hidden="true"
      onPointerDown={onPointerDown}
      onDblClick={() => layout.resize(column.key, column.width)}
    />
  );
}

/** Up, down, and as it was at first. */
export function sortBy<Row>(layout: GridLayout, { key, isSortable }: GridColumn<Row>): void {
  if (isSortable !== true) return;
  const sort = layout.sort.peek();
  if (sort?.column !== key) layout.sortBy({ column: key, descending: false });
  else layout.sortBy(sort.descending ? undefined : { column: key, descending: true });
}

function ariaSort<Row>({ key, isSortable }: GridColumn<Row>, sort: GridSort | undefined) {
  if (isSortable !== true) return undefined;
  return sort?.column !== key ? 'none' : sort.descending ? 'descending' : 'ascending';
}

/** The columns with one of them in the place of another. */
export function moved(columns: readonly string[], column: string, to: string): string[] {
  const rest = columns.filter((each) => each !== column);
  const at = columns.indexOf(to);
  return [...rest.slice(0, at), column, ...rest.slice(at)];
}
