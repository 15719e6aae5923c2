// The keys of a grid, as the grid pattern of WAI-ARIA has them: one stop of the Tab key, everything else inside by arrows.
import type { GridState } from './grid-state.ts';

export interface GridKeyActions<Row> {
  readonly state: GridState<Row>;
  /** Whether single cells have the cursor, or whole rows. */
  readonly isByCell: boolean;
  readonly isSelectable: boolean;
  readonly open: ((row: number, column: number) => void) | undefined;
  readonly sort: (column: number) => void;
  readonly moveColumn: (column: number, by: number) => void;
  readonly resizeColumn: (column: number, by: number) => void;
}

const resizeStep = 16;

/** Whether the key was one of the grid's. */
export function pressed<Row>(event: KeyboardEvent, actions: GridKeyActions<Row>): boolean {
  if (event.altKey || event.metaKey) return false;
  const { row } = actions.state.cursor.peek();
  return row < 0 ? pressedInHeader(event, actions) : pressedInRows(event, actions);
}

function pressedInHeader<Row>(event: KeyboardEvent, actions: GridKeyActions<Row>): boolean {
  const { state } = actions;
  const { column } = state.cursor.peek();
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (step !== undefined) {
    if (event.ctrlKey) actions.moveColumn(column, step);
    else if (event.shiftKey) actions.resizeColumn(column, step * resizeStep);
    else state.moveTo(-1, { column: column + step, lowest: -1 });
    return true;
  }
  switch (event.key) {
    case 'ArrowDown':
      state.moveTo(state.window.peek().first);
      return true;
    case 'Enter':
    case ' ':
      actions.sort(column);
      return true;
    case 'Home':
      state.moveTo(-1, { column: 0, lowest: -1 });
      return true;
    case 'End':
      state.moveTo(-1, { column: Number.MAX_SAFE_INTEGER, lowest: -1 });
      return true;
    default:
      return false;
  }
}

function pressedInRows<Row>(event: KeyboardEvent, actions: GridKeyActions<Row>): boolean {
  const { state, isByCell, isSelectable } = actions;
  const { row, column } = state.cursor.peek();
  const target = targetOf(event, actions);
  if (target !== undefined) {
    state.moveTo(target.row, { column: target.column, extend: event.shiftKey && isSelectable, lowest: target.lowest });
    return true;
  }
  switch (event.key) {
    case 'Enter':
      if (actions.open === undefined || row >= state.rows.peek().length) return false;
      actions.open(row, isByCell ? column : 0);
      return true;
    case ' ':
      if (!isSelectable) return false;
      state.toggle(row);
      return true;
    case 'a':
      if (!event.ctrlKey || !isSelectable) return false;
      state.selectAll();
      return true;
    case 'Escape':
      if (state.selection.peek().size === 0) return false;
      state.selectNone();
      return true;
    default:
      return false;
  }
}

interface Target {
  readonly row: number;
  readonly column?: number;
  readonly lowest: number;
}

/** Above the first row is the header. */
function targetOf<Row>(event: KeyboardEvent, { state, isByCell }: GridKeyActions<Row>): Target | undefined {
  const { row, column } = state.cursor.peek();
  const end = state.rows.peek().length - 1;
  const lowest = event.shiftKey ? 0 : -1;
  const isRowEnd = isByCell && !event.ctrlKey;
  switch (event.key) {
    case 'ArrowDown':
      return { row: row + 1, lowest: 0 };
    case 'ArrowUp':
      return { row: row - 1, lowest };
    case 'PageDown':
      return { row: row + state.pageRows, lowest: 0 };
    case 'PageUp':
      return { row: row - state.pageRows, lowest: 0 };
    case 'Home':
      return isRowEnd ? { row, column: 0, lowest: 0 } : { row: 0, lowest: 0 };
    case 'End':
      return isRowEnd ? { row, column: Number.MAX_SAFE_INTEGER, lowest: 0 } : { row: end, lowest: 0 };
    case 'ArrowLeft':
      return isByCell ? { row, column: column - 1, lowest: 0 } : undefined;
    case 'ArrowRight':
      return isByCell ? { row, column: column + 1, lowest: 0 } : undefined;
    default:
      return undefined;
  }
}
