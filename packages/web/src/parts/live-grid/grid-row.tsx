// One row of a grid's pool: shows another row of the list when its own is out of sight, by moving and filling the same
// elements. Its cells follow what they show by themselves.
import { useComputed } from '@preact/signals';
import type { GridState } from './grid-state.ts';

export interface GridRowProps<Row> {
  readonly id: string;
  readonly state: GridState<Row>;
  readonly slot: number;
  readonly isSelectable: boolean;
  readonly isByCell: boolean;
  readonly rowClass: ((row: Row) => string | undefined) | undefined;
}

export function GridRow<Row>({ id, state, slot, isSelectable, isByCell, rowClass }: GridRowProps<Row>) {
  const index = useComputed(() => state.rowOfSlot(slot)).value;
  const offset = useComputed(() => state.window.value.offset).value;
  const activeColumn = useComputed(() => {
    const { row, column } = state.cursor.value;
    return row === state.rowOfSlot(slot) ? column : -1;
  }).value;
  const isSelected = useComputed(() => {
    const row = state.rowOfSlot(slot);
    return row < state.rows.value.length && state.selection.value.has(state.rows.value.keyAt(row));
  }).value;
  const rows = state.rows.value;
  if (index >= rows.length) return null;
  const row = rows.at(index);
  const isNarrow = state.isNarrow.value;
  const isActive = activeColumn >= 0;
  return (
    <div
      id={`${id}-${index}`}
      class={`grid-row ${isActive ? 'active' : ''} ${rowClass?.(row) ?? ''}`}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelectable ? isSelected : undefined}
      style={{ transform: `translateY(${index * state.rowHeight.value + offset}px)` }}
    >
      {isSelectable && (
        <div class="grid-cell grid-check" role="gridcell">
          <span aria-hidden="true" />
        </div>
      )}
      {state.columns.value.map(({ key, align, narrow, cell }, column) => (
        <div
          key={key}
          id={isByCell ? `${id}-${index}-${column}` : undefined}
          class={`grid-cell ${align === 'end' ? 'end' : ''} ${isByCell && column === activeColumn ? 'active' : ''}`}
          data-column={key}
          data-narrow={narrow}
          role="gridcell"
        >
          {cell(row, { isNarrow })}
        </div>
      ))}
    </div>
  );
}
