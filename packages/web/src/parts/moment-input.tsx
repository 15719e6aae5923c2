// A day and a time in the zone that times are shown in, typed as `2026-11-19 14:03:00`: of 24 hours in every browser, and whole in
// every width.
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { words } from '../words/words.ts';
import { clockText, dayText, momentOf } from './times.ts';

const form = /^\s*(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2})?)\s*$/;

function momentTyped(text: string): number | undefined {
  const [, day = '', time = ''] = form.exec(text) ?? [];
  return momentOf(day, time);
}

export interface MomentFieldProps {
  /** Where no label has its `id`. */
  readonly label?: string;
  readonly id?: string;
  /** Microseconds since 1970. */
  readonly us: number | undefined;
  /** Undefined where it was emptied, which is wrong where it may not be empty. */
  readonly onChoose: (us: number | undefined) => void;
  readonly mayBeEmpty?: boolean;
}

/** What is typed stands until it is left: it is taken then, or by Enter, and marked where it is no moment. */
export function MomentField({ label, id, us, onChoose, mayBeEmpty = false }: MomentFieldProps) {
  const { values } = words.value;
  const wrongId = useId();
  const typed = useSignal<string | undefined>(undefined);
  const isWrong = useSignal(false);
  const shown = us === undefined ? '' : `${dayText(us)} ${clockText(us)}`;
  const take = () => {
    const text = typed.peek();
    if (text === undefined) return;
    const isEmpty = text.trim() === '';
    const moment = momentTyped(text);
    isWrong.value = moment === undefined && !(isEmpty && mayBeEmpty);
    if (isWrong.value) return;
    typed.value = undefined;
    onChoose(moment);
  };
  return (
    <span class="moment-text">
      <input
        id={id}
        value={typed.value ?? shown}
        size={19}
        placeholder={values.momentForm}
        autocomplete="off"
        spellcheck={false}
        aria-label={label}
        aria-invalid={isWrong.value}
        aria-describedby={isWrong.value ? wrongId : undefined}
        onInput={({ currentTarget }) => {
          typed.value = currentTarget.value;
        }}
        onChange={take}
        onKeyDown={(event) => {
          if (event.key === 'Enter') take();
          if (event.key !== 'Escape' || typed.peek() === undefined) return;
          event.preventDefault();
          typed.value = undefined;
          isWrong.value = false;
        }}
      />
      {isWrong.value && (
        <small id={wrongId} class="error" role="alert">
          {values.noMoment}
        </small>
      )}
    </span>
  );
}

export interface MomentInputProps {
  readonly label: string;
  /** Microseconds since 1970. */
  readonly us: number | undefined;
  /** Seconds since 1970, as addresses have them; undefined where the field is empty. */
  readonly onChoose: (seconds: string | undefined) => void;
}

export function MomentInput({ label, us, onChoose }: MomentInputProps) {
  const id = useId();
  return (
    <span class="row">
      <label for={id}>{label}</label>
      <MomentField
        id={id}
        us={us}
        mayBeEmpty
        onChoose={(chosen) => onChoose(chosen === undefined ? undefined : `${chosen / 1e6}`)}
      />
    </span>
  );
}
