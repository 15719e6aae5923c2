// The table in which a family is edited: the grid, with a cell that is typed into. What is typed goes into the draft; what is
// pasted is the view's.
import { type Signal, useSignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import type { Field } from '../../data/fields.ts';
import type { GridLayout } from '../../parts/live-grid/grid-layout.ts';
import type { GridColumn, GridKey, GridRows } from '../../parts/live-grid/grid-model.ts';
import type { GridState } from '../../parts/live-grid/grid-state.ts';
import { LiveGrid } from '../../parts/live-grid/live-grid.tsx';
import { titleOf } from '../../parts/schema-form/typed-text.ts';
import { words } from '../../words/words.ts';
import { type FamilyDraft, isNew, type Objects, type RowKey } from './draft.ts';
import { EditCell, type Editing } from './edit-cell.tsx';

export interface EditTableProps {
  readonly label: string;
  readonly rows: GridRows<RowKey>;
  readonly fields: readonly Field[];
  readonly layout: GridLayout;
  readonly draft: FamilyDraft;
  readonly objects: Objects;
  readonly state: GridState<RowKey>;
  readonly selection: Signal<ReadonlySet<GridKey>>;
  readonly isEditable: boolean;
  readonly empty: string;
  /** The form of a row. */
  readonly onForm: (key: RowKey) => void;
  readonly onPaste: (text: string) => void;
}

export function EditTable(props: EditTableProps) {
  const { label, rows, fields, layout, draft, objects, state, selection, isEditable, empty, onForm, onPaste } = props;
  const wrapper = useRef<HTMLDivElement>(null);
  const editing = useSignal<Editing | undefined>(undefined);
  const byKey = useMemo(() => new Map(fields.map((field) => [field.key, field])), [fields]);

  const begin = (key: RowKey, column: string, typed?: string) => {
    const field = byKey.get(column);
    if (field === undefined) return;
    if (state.isNarrow.peek() || (column === 'name' && !isNew(key))) return onForm(key);
    if (!isEditable) return;
    const isTyped = typed !== undefined && field.kind !== 'choice' && field.kind !== 'boolean';
    const underWay = editing.peek();
    if (underWay?.key === key && underWay.column === column) {
      // Its control does not have the focus yet.
      if (typed === undefined) end(true, [1, 0]);
      else if (isTyped) editing.value = { ...underWay, text: underWay.text + typed };
      return;
    }
    const text = column === 'name' ? draft.nameOf(key) : draft.text(key, column, objects);
    editing.value = { key, column, text: isTyped ? typed : text, focus: isTyped ? 'end' : 'all' };
  };
  /** Takes what was typed, or leaves it, and goes on by so many rows and columns. */
  const end = (isTaken: boolean, [down, right]: readonly [number, number] = [0, 0]) => {
    const typed = editing.peek();
    if (typed === undefined) return;
    editing.value = undefined;
    if (isTaken) draft.set(typed.key, typed.column, typed.text, objects);
    wrapper.current?.querySelector<HTMLElement>('.grid-scroll')?.focus();
    const { row, column } = state.cursor.peek();
    const last = state.columns.peek().length - 1;
    if (column + right > last) state.moveTo(row + 1, { column: 0 });
    else if (column + right < 0) state.moveTo(row - 1, { column: last });
    else state.moveTo(row + down, { column: column + right });
    if (right === 0) return;
    const next = state.cursor.peek();
    const key = next.row < rows.length ? rows.at(next.row) : undefined;
    const nextColumn = state.columns.peek()[next.column]?.key ?? '';
    if (key !== undefined && (nextColumn !== 'name' || isNew(key))) begin(key, nextColumn);
  };
  const onEditKey = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const { key, shiftKey, altKey } = event;
    if (key === 'Escape') end(false);
    else if (key === 'Enter' && !shiftKey && !altKey) end(true, [1, 0]);
    else if (key === 'Tab') end(true, [0, shiftKey ? -1 : 1]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onKey = (event: KeyboardEvent, key: RowKey, column: string) => {
    const { key: pressed } = event;
    const isControl = event.ctrlKey || event.metaKey;
    const canEdit = isEditable && (column !== 'name' || isNew(key));
    if (editing.peek() !== undefined && (pressed === 'Escape' || pressed === 'Tab')) return onEditKey(event);
    if (pressed === 'F2') begin(key, column);
    else if (!canEdit || event.altKey) return;
    else if (pressed === 'Delete' || pressed === 'Backspace') draft.set(key, column, '', objects);
    else if (isControl && pressed === 'z') draft.set(key, column, draft.before(key, column) ?? '', objects);
    else if (pressed.length === 1 && !isControl) begin(key, column, pressed);
    else return;
    event.preventDefault();
  };
  const columns = useMemo(
    () =>
      fields.map(
        (field): GridColumn<RowKey> => ({
          ...placeOf(field),
          key: field.key,
          title: field.unit === '' ? titleOf(field) : `${titleOf(field)} (${field.unit})`,
          isSortable: true,
          cell: (key) => (
            <EditCell
              rowKey={key}
              field={field}
              draft={draft}
              objects={objects}
              editing={editing}
              onEditKey={onEditKey}
              onLeave={() => end(true)}
            />
          ),
        }),
      ),
    [fields, objects, rows, isEditable, words.value],
  );
  /** Clipboard events reach what has the focus; while a cell is typed into, they are its own. */
  const isOwn = (event: Event) => event.target instanceof HTMLElement && event.target.matches('.grid-scroll');
  return (
    <div
      ref={wrapper}
      class="edit-table"
      onPaste={(event) => {
        if (!isOwn(event) || !isEditable) return;
        event.preventDefault();
        onPaste(event.clipboardData?.getData('text/plain') ?? '');
      }}
      onCopy={(event) => {
        if (!isOwn(event)) return;
        event.preventDefault();
        event.clipboardData?.setData('text/plain', copiedText(props));
      }}
    >
      <LiveGrid
        label={label}
        columns={columns}
        layout={layout}
        rows={rows}
        state={state}
        selection={selection}
        isByCell
        onOpen={begin}
        onKey={onKey}
        rowClass={(key) => (isNew(key) ? 'new' : undefined)}
        empty={empty}
      />
    </div>
  );
}

function placeOf({ key, kind }: Field): Omit<GridColumn<RowKey>, 'key' | 'title' | 'cell'> {
  if (key === 'name') return { width: 200, isFixed: true, narrow: 'name' };
  if (key === 'description') return { width: 200, grows: true, narrow: 'note' };
  if (key === 'address') return { width: 190, grows: true };
  if (key === 'datatype' || key === 'severity' || key === 'stackName') return { width: 110, narrow: 'aside' };
  return kind === 'integer' || kind === 'number' ? { width: 115, align: 'end' } : { width: 130 };
}

/** The rows that are selected, with their columns; or the cell. */
function copiedText({ rows, state, selection, draft, objects }: EditTableProps): string {
  const columns = state.columns.peek().map(({ key }) => key);
  const textOf = (key: RowKey, column: string) =>
    column === 'name' ? draft.nameOf(key) : draft.text(key, column, objects);
  const { row, column } = state.cursor.peek();
  const here = rows.length > row && row >= 0 ? textOf(rows.at(row), columns[column] ?? 'name') : '';
  if (selection.peek().size === 0) return here;
  const lines: string[] = [columns.join('\t')];
  for (let at = 0; at < rows.length; at++) {
    const key = rows.at(at);
    if (selection.peek().has(key)) lines.push(columns.map((each) => tabCell(textOf(key, each))).join('\t'));
  }
  return lines.join('\n');
}

function tabCell(text: string): string {
  return /[\t\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
