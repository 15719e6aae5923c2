// A map of texts in a form, such as properties: a line for each key, and one to add another. Keys that mean something to the
// service are suggested, with what they mean.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { type Field, keyField, suggestNames } from '../../data/fields.ts';
import { words } from '../../words/words.ts';
import { FormField } from './form-field.tsx';
import { titleOf } from './typed-text.ts';

export interface MapFieldProps {
  readonly field: Field;
  /** The keys that it has, or is about to get. */
  readonly keys: readonly string[];
  readonly textOf: (column: string) => string;
  readonly onInput: (column: string, text: string) => void;
  readonly faultOf: (column: string) => string | undefined;
  readonly isChanged: (column: string) => boolean;
  readonly asideOf?: (column: string) => ComponentChildren;
  readonly isDisabled: boolean;
}

export function MapField({ field, keys, textOf, onInput, faultOf, isChanged, asideOf, isDisabled }: MapFieldProps) {
  const { common, config } = words.value;
  const id = useId();
  const added = useSignal<readonly string[]>([]);
  const typed = useSignal('');
  const names = useSignal<readonly string[]>([]);
  const suggest = () => {
    void suggestNames(field.keyReferences, '').then((found) => {
      names.value = [...field.keys.keys(), ...found].filter((key) => !keys.includes(key));
    });
  };
  const add = (event: Event) => {
    event.preventDefault();
    const key = typed.value.trim();
    if (key === '') return;
    added.value = [...added.value, key];
    typed.value = '';
  };
  const all = [...new Set([...keys, ...added.value])];
  return (
    <fieldset class="map-field" data-field={field.key}>
      <legend>
        {titleOf(field)} {faultOf(field.key) !== undefined && <span class="form-fault">✕ {faultOf(field.key)}</span>}
      </legend>
      {all.map((key) => {
        const each = keyField(field, key);
        return (
          <FormField
            key={key}
            field={each}
            value={textOf(each.key)}
            onInput={(text) => onInput(each.key, text)}
            fault={faultOf(each.key)}
            isChanged={isChanged(each.key)}
            isDisabled={isDisabled}
            aside={asideOf?.(each.key)}
            actions={
              !isDisabled && (
                <button
                  type="button"
                  class="plain"
                  onClick={() => {
                    onInput(each.key, '');
                    added.value = added.value.filter((other) => other !== key);
                  }}
                >
                  {common.remove}
                </button>
              )
            }
          />
        );
      })}
      {!isDisabled && (
        <form class="form-line" onSubmit={add}>
          <input
            aria-label={config.newKey(titleOf(field))}
            placeholder={config.newKey(titleOf(field))}
            value={typed.value}
            list={id}
            autocomplete="off"
            onFocus={suggest}
            onInput={(event) => {
              typed.value = event.currentTarget.value;
            }}
          />
          <datalist id={id}>
            {names.value.map((name) => (
              <option key={name} value={name} label={field.keys.get(name)} />
            ))}
          </datalist>
          <button type="submit">{common.add}</button>
        </form>
      )}
    </fieldset>
  );
}
