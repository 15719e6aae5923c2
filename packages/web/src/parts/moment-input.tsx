// A day and a time in the zone that times are shown in.
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { clockText, dayText, momentOf } from './times.ts';

export interface MomentFieldProps {
  /** Of a field that no label stands around. */
  readonly label?: string;
  /** Microseconds since 1970. */
  readonly us: number | undefined;
  /** Undefined where the field is empty. */
  readonly onChoose: (us: number | undefined) => void;
}

/** What is picked counts at once; what is typed, at Enter or when the field is left: each digit would be another moment. */
export function MomentField({ label, us, onChoose }: MomentFieldProps) {
  const entered = useSignal<string | undefined>(undefined);
  const isTyping = useRef(false);
  const choose = () => {
    const text = entered.peek();
    isTyping.current = false;
    entered.value = undefined;
    if (text === undefined) return;
    const [day = '', time = ''] = text.split('T');
    onChoose(momentOf(day, time));
  };
  return (
    <input
      type="datetime-local"
      step={1}
      aria-label={label}
      value={entered.value ?? (us === undefined ? '' : `${dayText(us)}T${clockText(us)}`)}
      onInput={({ currentTarget }) => {
        entered.value = currentTarget.value;
      }}
      onChange={() => {
        if (!isTyping.current) choose();
      }}
      onKeyDown={({ key }) => {
        if (key === 'Enter') choose();
        else isTyping.current = true;
      }}
      onBlur={choose}
    />
  );
}

export interface MomentInputProps {
  readonly label: string;
  readonly us: number | undefined;
  /** Seconds since 1970, as addresses have them; undefined where the field is empty. */
  readonly onChoose: (seconds: string | undefined) => void;
}

/** With its label before it. */
export function MomentInput({ label, us, onChoose }: MomentInputProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the field is in it
    <label class="row">
      {label}
      <MomentField us={us} onChoose={(chosen) => onChoose(chosen === undefined ? undefined : `${chosen / 1e6}`)} />
    </label>
  );
}
