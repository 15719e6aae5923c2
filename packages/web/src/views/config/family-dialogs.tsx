// What is done to many rows at once: another value in a field, rows pasted as text.
import { type Signal, useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { Field } from '../../data/fields.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { FieldInput } from '../../parts/schema-form/field-input.tsx';
import { titleOf } from '../../parts/schema-form/typed-text.ts';
import { words } from '../../words/words.ts';
import type { FamilyDraft, Objects, RowKey } from './draft.ts';

interface BulkProps {
  readonly draft: FamilyDraft;
  readonly objects: Objects;
  readonly fields: readonly Field[];
  readonly keys: readonly RowKey[];
  readonly onClose: () => void;
}

/** Goes into the draft as if it were typed into each of the rows. */
export function BulkDialog({ draft, objects, fields, keys, onClose }: BulkProps) {
  const { common, config } = words.value;
  const settable = fields.filter(({ key }) => key !== 'name');
  const chosen = useSignal(settable[0]?.key ?? '');
  const value = useSignal('');
  const [fieldId, valueId, formId] = [useId(), useId(), useId()];
  const field = settable.find(({ key }) => key === chosen.value);
  const apply = (event: Event) => {
    event.preventDefault();
    if (field === undefined) return;
    draft.together(() => {
      for (const key of keys) draft.set(key, field.key, value.value, objects);
    });
    onClose();
  };
  return (
    <Dialog
      title={config.bulkTitle(keys.length)}
      onClose={onClose}
      actions={
        <>
          <button type="button" onClick={onClose}>
            {common.cancel}
          </button>
          <button type="submit" form={formId} class="main">
            {common.apply}
          </button>
        </>
      }
    >
      <form id={formId} class="dialog-form" onSubmit={apply}>
        <label for={fieldId}>{config.field}</label>
        <select
          id={fieldId}
          value={chosen.value}
          onInput={(event) => {
            chosen.value = event.currentTarget.value;
            value.value = '';
          }}
        >
          {settable.map((each) => (
            <option key={each.key} value={each.key}>
              {titleOf(each)} ({each.key})
            </option>
          ))}
        </select>
        <label for={valueId}>{common.value}</label>
        {field !== undefined && (
          <FieldInput
            key={field.key}
            id={valueId}
            field={field}
            value={value.value}
            onInput={(text) => {
              value.value = text;
            }}
          />
        )}
        <p class="quiet wide">{config.bulkHelp}</p>
      </form>
    </Dialog>
  );
}

interface PasteProps {
  readonly columns: readonly Field[];
  readonly unknown: Signal<readonly string[]>;
  /** False where the headings are wrong: it stays open. */
  readonly onPaste: (text: string) => boolean;
  readonly onClose: () => void;
}

/** For whoever has no clipboard at the table, and to see what is pasted. */
export function PasteDialog({ columns, unknown, onPaste, onClose }: PasteProps) {
  const { common, config } = words.value;
  const text = useSignal('');
  const id = useId();
  const take = () => {
    if (onPaste(text.value)) onClose();
  };
  return (
    <Dialog
      title={config.pasteTitle}
      class="dialog-wide"
      onClose={onClose}
      actions={
        <>
          <button type="button" onClick={onClose}>
            {common.cancel}
          </button>
          <button type="button" class="main" disabled={text.value === ''} onClick={take}>
            {config.paste}
          </button>
        </>
      }
    >
      <p id={id}>{config.pasteHelp(columns.map(({ key }) => key).slice(0, 4))}</p>
      {unknown.value.length > 0 && (
        <p class="form-fault" role="alert">
          ✕ {config.unknownHeadings(unknown.value)}
        </p>
      )}
      <textarea
        class="mono paste-text"
        rows={12}
        aria-label={config.pasteTitle}
        aria-describedby={id}
        value={text.value}
        spellcheck={false}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          unknown.value = [];
        }}
        onKeyDown={(event) => {
          // A tab stands between cells here; Escape leaves.
          if (event.key !== 'Tab' || event.shiftKey) return;
          event.preventDefault();
          event.currentTarget.setRangeText(
            '\t',
            event.currentTarget.selectionStart,
            event.currentTarget.selectionEnd,
            'end',
          );
          text.value = event.currentTarget.value;
        }}
      />
    </Dialog>
  );
}
