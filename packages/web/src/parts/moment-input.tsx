// A day and a time in the zone that times are shown in.
import { clockText, dayText, momentOf } from './times.ts';

export interface MomentInputProps {
  readonly label: string;
  /** Microseconds since 1970. */
  readonly us: number | undefined;
  /** Seconds since 1970, as addresses have them; undefined where the field is empty. */
  readonly onChoose: (seconds: string | undefined) => void;
}

export function MomentInput({ label, us, onChoose }: MomentInputProps) {
  return (
    <label class="row">
      {label}
      <input
        type="datetime-local"
        step={1}
        value={us === undefined ? '' : `${dayText(us)}T${clockText(us)}`}
        onChange={(event) => {
          const [day = '', time = ''] = event.currentTarget.value.split('T');
          const chosen = momentOf(day, time);
          onChoose(chosen === undefined ? undefined : `${chosen / 1e6}`);
        }}
      />
    </label>
  );
}
