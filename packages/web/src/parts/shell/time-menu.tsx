// The time of the plant, and the way into its past.
import { useMemo } from 'preact/hooks';
import { words } from '../../words/words.ts';
import { now } from '../now.ts';
import { ageText, clockText, dayText, offsetText, zone } from '../times.ts';
import { TravelField, travel } from './travel-field.tsx';

const agesS = [10 * 60, 3600, 8 * 3600, 24 * 3600, 7 * 24 * 3600] as const;

export function TimeMenu() {
  const { shell, values } = words.value;
  // Not each second anew: somebody types in it.
  const opened = useMemo(() => now.peek(), []);
  return (
    <>
      <button type="button" class="plain clock" popovertarget="time-menu" title={`${zone.value}: ${shell.travel}`}>
        <span class="quiet clock-day">{dayText(now.value)}</span> <time>{clockText(now.value)}</time>{' '}
        <span class="quiet clock-offset">{offsetText(now.value)}</span>
      </button>
      <div id="time-menu" popover="auto" class="person-menu">
        <fieldset class="choices">
          <legend>{shell.travel}</legend>
          {agesS.map((age) => (
            <button key={age} type="button" popovertarget="time-menu" onClick={() => travel(now.peek() - age * 1e6)}>
              {values.ago(ageText(age))}
            </button>
          ))}
          <TravelField at={opened} />
        </fieldset>
      </div>
    </>
  );
}
