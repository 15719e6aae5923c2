// Leads to a moment of the past: what is later than now is now.
import { showMoment } from '../../data/moment.ts';
import { words } from '../../words/words.ts';
import { MomentField } from '../moment-input.tsx';
import { now } from '../now.ts';

/** Beyond the present there is nothing. */
export function travel(us: number): void {
  showMoment(us >= now.peek() ? undefined : us);
}

export function TravelField({ at }: { readonly at: number }) {
  return (
    <MomentField
      label={words.value.shell.travel}
      us={at}
      onChoose={(us) => {
        if (us !== undefined) travel(us);
      }}
    />
  );
}
