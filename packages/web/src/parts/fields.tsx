// What forms are made of: a text with its title and hint, a box to tick, one of few, and the way of what is typed into a signal.
import type { Signal } from '@preact/signals';
import type { TargetedEvent } from 'preact';
import { useId } from 'preact/hooks';

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** The attributes of a control whose text is that of the signal. */
export function typedInto(text: Signal<string>) {
  return {
    value: text.value,
    onInput: ({ currentTarget }: TargetedEvent<Control>) => {
      text.value = currentTarget.value;
    },
  };
}

/** Of a form that is sent by the page. */
export function submits(run: () => unknown) {
  return (event: Event) => {
    event.preventDefault();
    void run();
  };
}

export interface TextFieldProps {
  readonly label: string;
  readonly text: Signal<string>;
  readonly hint?: string | undefined;
  readonly placeholder?: string | undefined;
  /** The hint says what is wrong with it. */
  readonly isWrong?: boolean;
  readonly type?: 'text' | 'password' | 'number';
  readonly autocomplete?: string;
  readonly isRequired?: boolean;
  readonly isFixed?: boolean;
  readonly maxLength?: number;
}

export function TextField(props: TextFieldProps) {
  const { label, text, hint, placeholder, isWrong = false, type = 'text', autocomplete = 'off' } = props;
  const id = useId();
  return (
    <label>
      <span>{label}</span>
      <input
        {...typedInto(text)}
        {...(type === 'password' ? { type } : { type: 'text' as const })}
        inputMode={type === 'number' ? 'numeric' : undefined}
        required={props.isRequired}
        readOnly={props.isFixed}
        maxLength={props.maxLength ?? 256}
        placeholder={placeholder}
        autocomplete={autocomplete}
        spellcheck={false}
        aria-invalid={isWrong}
        aria-describedby={hint === undefined ? undefined : id}
      />
      {hint !== undefined && (
        <small id={id} class={isWrong ? 'error' : undefined}>
          {hint}
        </small>
      )}
    </label>
  );
}

export interface FlagProps {
  readonly text: string;
  readonly flag: Signal<boolean>;
  readonly isWrong?: boolean;
}

export function Flag({ text, flag, isWrong = false }: FlagProps) {
  return (
    <label class={`flag ${isWrong ? 'error' : ''}`}>
      <input
        type="checkbox"
        checked={flag.value}
        onChange={({ currentTarget }) => {
          flag.value = currentTarget.checked;
        }}
      />
      {text}
    </label>
  );
}

export interface ChoicesProps<T> {
  readonly title: string;
  readonly choice: Signal<T>;
  readonly choices: readonly (readonly [value: NoInfer<T>, text: string])[];
}

/** One of few. */
export function Choices<T>({ title, choice, choices }: ChoicesProps<T>) {
  const id = useId();
  return (
    <fieldset class="form-choices">
      <legend>{title}</legend>
      {choices.map(([value, text]) => (
        <label key={text}>
          <input
            type="radio"
            name={id}
            checked={choice.value === value}
            onChange={() => {
              choice.value = value;
            }}
          />{' '}
          {text}
        </label>
      ))}
    </fieldset>
  );
}

export interface FileFieldProps {
  readonly label: string;
  readonly accept: string;
  readonly file: Signal<File | undefined>;
}

export function FileField({ label, accept, file }: FileFieldProps) {
  return (
    <label>
      <span>{label}</span>
      <input
        type="file"
        accept={accept}
        onChange={({ currentTarget }) => {
          file.value = currentTarget.files?.[0];
        }}
      />
    </label>
  );
}
