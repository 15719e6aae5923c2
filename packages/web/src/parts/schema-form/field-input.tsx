// The control in which one field is typed or chosen, by its kind; in a form, and in a cell of a table. What is right is left
// to the service.
import { useSignal } from '@preact/signals';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { choiceText, type Field, suggestNames } from '../../data/fields.ts';
import { words } from '../../words/words.ts';
import { shownText, typedText } from './typed-text.ts';

export interface FieldInputProps {
  readonly field: Field;
  /** As the service has it; empty: not set. */
  readonly value: string;
  readonly onInput: (text: string) => void;
  readonly id?: string;
  readonly label?: string;
  readonly describedBy?: string | undefined;
  readonly isInvalid?: boolean;
  readonly isDisabled?: boolean;
  /** Takes the focus, with its text selected unless something was typed already. */
  readonly focus?: 'all' | 'end';
}

/** What stands for a secret that is set. */
export const hiddenSecret = '***';

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

export function FieldInput(props: FieldInputProps) {
  const { field, value, onInput, id, label, describedBy, isInvalid = false, isDisabled = false, focus } = props;
  const ref = useRef<Control>(null);
  // Before the next key comes.
  useLayoutEffect(() => {
    if (focus === undefined) return;
    const control = ref.current;
    control?.focus();
    if (control instanceof HTMLSelectElement || control === null) return;
    if (focus === 'all') control.select();
    else control.setSelectionRange(control.value.length, control.value.length);
  }, []);
  const common = {
    ref: ref as never,
    id,
    'aria-label': label,
    'aria-describedby': describedBy,
    'aria-invalid': isInvalid,
    'aria-required': field.isRequired,
    disabled: isDisabled,
    onInput: (event: Event) => onInput(typedText(field, (event.currentTarget as Control).value)),
  };
  const { common: texts } = words.value;
  if (field.kind === 'boolean') {
    return (
      <Choices
        common={common}
        value={value}
        choices={['true', 'false']}
        textOf={{ true: texts.yes, false: texts.no }}
      />
    );
  }
  if (field.kind === 'choice') {
    const textOf = Object.fromEntries(field.choices.map((choice) => [choice, choiceText(field.key, choice)]));
    return <Choices common={common} value={value} choices={field.choices} textOf={textOf} unset={field.default} />;
  }
  if (field.isSecret) return <SecretInput common={common} value={value} />;
  const shown = field.kind === 'number' ? shownText(field, value) : value;
  if (field.references.length > 0) return <NameInput common={common} field={field} value={shown} />;
  if (value.includes('\n') || field.key === 'description') {
    const lines = Math.min(6, value.split('\n').length);
    return <textarea {...common} value={shown} rows={lines} spellcheck={false} />;
  }
  const inputMode = field.kind === 'text' ? undefined : ('decimal' as const);
  return (
    <input
      {...common}
      value={shown}
      inputMode={inputMode}
      placeholder={field.default}
      autocomplete="off"
      spellcheck={false}
      class={field.kind === 'text' ? '' : 'field-number'}
    />
  );
}

interface PartProps {
  readonly common: object;
  readonly value: string;
}

interface ChoicesProps extends PartProps {
  readonly choices: readonly string[];
  readonly textOf: Readonly<Record<string, string>>;
  readonly unset?: string;
}

/** What the object has stays among them, even where it is none of them. */
function Choices({ common, value, choices, textOf, unset = '' }: ChoicesProps) {
  const { config } = words.value;
  const all = value === '' || choices.includes(value) ? choices : [value, ...choices];
  return (
    <select {...common} value={value}>
      <option value="">{unset === '' ? config.notSet : config.defaultIs(unset)}</option>
      {all.map((choice) => (
        <option key={choice} value={choice} selected={choice === value}>
          {textOf[choice] ?? choice}
        </option>
      ))}
    </select>
  );
}

/** Never shown; what is typed takes its place. A reference to a file is no secret. */
function SecretInput({ common, value }: PartProps) {
  const { config } = words.value;
  const isReference = value.startsWith('file:');
  return (
    <input
      {...common}
      type={(isReference ? 'text' : 'password') as 'password'}
      value={value === hiddenSecret ? '' : value}
      placeholder={value === hiddenSecret ? config.secretSet : config.notSet}
      autocomplete="new-password"
      spellcheck={false}
    />
  );
}

function NameInput({ common, field, value }: PartProps & { readonly field: Field }) {
  const list = useId();
  const names = useSignal<readonly string[]>([]);
  useEffect(() => {
    let isOver = false;
    void suggestNames(field.references, value).then((found) => {
      if (!isOver) names.value = found;
    });
    return () => {
      isOver = true;
    };
  }, [value, field.key]);
  return (
    <>
      <input {...common} value={value} list={list} autocomplete="off" spellcheck={false} />
      <datalist id={list}>
        {names.value.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
