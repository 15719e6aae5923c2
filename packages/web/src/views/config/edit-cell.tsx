// One cell of the table of a family: its text, whether it is changed or wrong, and its control while it is edited.
import type { Signal } from '@preact/signals';
import type { Field } from '../../data/fields.ts';
import { FieldInput } from '../../parts/schema-form/field-input.tsx';
import { shownText, titleOf } from '../../parts/schema-form/typed-text.ts';
import { words } from '../../words/words.ts';
import { type FamilyDraft, isNew, type Objects, type RowKey } from './draft.ts';

/** What is being typed; not yet in the draft. */
export interface Editing {
  readonly key: RowKey;
  readonly column: string;
  readonly text: string;
  readonly focus: 'all' | 'end';
}

export interface EditCellProps {
  readonly rowKey: RowKey;
  readonly field: Field;
  readonly draft: FamilyDraft;
  readonly objects: Objects;
  readonly editing: Signal<Editing | undefined>;
  readonly onEditKey: (event: KeyboardEvent) => void;
  readonly onLeave: () => void;
}

/** A text may be a mebibyte long; nobody reads more of it in a cell. */
const mostShown = 300;

export function EditCell({ rowKey, field, draft, objects, editing, onEditKey, onLeave }: EditCellProps) {
  draft.turn.value; // Shown anew with each change.
  const { config } = words.value;
  const typed = editing.value;
  const fault = draft.faultOf(rowKey, field.key);
  if (typed !== undefined && typed.key === rowKey && typed.column === field.key) {
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: the keys of its control.
      <span class="edit-control" onKeyDown={onEditKey} onFocusOut={onLeave}>
        <FieldInput
          field={field}
          value={typed.text}
          focus={typed.focus}
          label={`${titleOf(field)} ${draft.nameOf(rowKey)}`}
          isInvalid={fault !== undefined}
          onInput={(text) => {
            editing.value = { ...typed, text };
          }}
        />
      </span>
    );
  }
  const isName = field.key === 'name';
  const text = isName ? draft.nameOf(rowKey) : draft.text(rowKey, field.key, objects);
  const shown = shownText(field, text.length > mostShown ? `${text.slice(0, mostShown).toWellFormed()}…` : text);
  const before = draft.before(rowKey, field.key);
  const isChanged = before !== undefined && !isNew(rowKey);
  const state = fault !== undefined ? 'faulty' : isChanged ? 'changed' : '';
  return (
    <span
      class={`edit-cell ${state}`}
      title={fault ?? (isChanged ? config.was(before === '' ? config.notSet : before) : undefined)}
    >
      {fault !== undefined && (
        <b class="edit-fault">
          ✕<span class="hidden-text"> {fault} </span>
        </b>
      )}
      {isChanged && fault === undefined && (
        <b class="edit-changed">
          ✎<span class="hidden-text"> {config.changed} </span>
        </b>
      )}
      {isName && isNew(rowKey) && <b class="edit-new">{config.newRow}</b>}
      {isName && !isNew(rowKey) ? (
        <a href={`/config/${draft.family}/${text}`} tabIndex={-1}>
          {shown}
        </a>
      ) : (
        <span class="edit-text">{shown}</span>
      )}
    </span>
  );
}
