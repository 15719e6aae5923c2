// Leads to a moment of the past: what is later than now is now.
import { showMoment } from '../../data/moment.ts';
import { words } from '../../words/words.ts';
import { now } from '../now.ts';
import { clockText, dayText, momentOf } from '../times.ts';

/** Beyond the present there is nothing. */
export function travel(us: number): void {
  showMoment(us >= now.peek() ? undefined : us);
}

/** A day and a time in the zone that is shown. */
export function MomentField({ at }: { readonly at: number }) {
  return (
    <input
      type="datetime-local"
      step={1}
      aria-label={words.value.shell.travel}
      value={`${dayText(at)}T${clockText(at)}`}
      onChange={(event) => {
        const [day = '', time = ''] = event.currentTarget.value.split('T');
        const us = momentOf(day, time);
        if (us !== undefined) travel(us);
      }}
    />
  );
}
