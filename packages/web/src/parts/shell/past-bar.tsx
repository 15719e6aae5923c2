// The moment shown: a frame that cannot be overlooked while it is one of the past, and the bar to travel in time.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { moment, showMoment } from '../../data/moment.ts';
import { words } from '../../words/words.ts';
import { now } from '../now.ts';
import { momentText } from '../times.ts';
import { TravelField, travel } from './travel-field.tsx';

const minuteUs = 60e6;
const hourUs = 60 * minuteUs;
const dayUs = 24 * hourUs;
const steps = [
  { us: dayUs, text: '1 d' },
  { us: hourUs, text: '1 h' },
  { us: 10 * minuteUs, text: '10 min' },
  { us: minuteUs, text: '1 min' },
] as const;

export function PastBar() {
  const { shell } = words.value;
  const at = moment.value;
  useEffect(() => {
    document.documentElement.classList.toggle('past', at !== undefined);
  }, [at !== undefined]);
  if (at === undefined) return null;
  return (
    <section class="past-bar" aria-label={shell.past}>
      <strong>◀ {shell.past}</strong>
      <span class="past-moment" role="status">
        <span class="past-words">{shell.pastMoment}</span> {momentText(at)}
      </span>
      <button type="button" class="main" onClick={() => showMoment(undefined)}>
        {shell.backToNow}
      </button>
      <TimeSlider at={at} />
      <div class="past-steps">
        {steps.map(({ us, text }) => (
          <button key={`-${us}`} type="button" aria-label={`${shell.earlier} ${text}`} onClick={() => travel(at - us)}>
            −{text}
          </button>
        ))}
        {steps.toReversed().map(({ us, text }) => (
          <button key={us} type="button" aria-label={`${shell.later} ${text}`} onClick={() => travel(at + us)}>
            +{text}
          </button>
        ))}
        <TravelField at={at} />
      </div>
    </section>
  );
}

/** Drags over the day around the moment. */
function TimeSlider({ at }: { readonly at: number }) {
  const center = useSignal(at);
  if (Math.abs(at - center.value) > dayUs / 2) center.value = at;
  const from = center.value - dayUs / 2;
  const until = Math.min(center.value + dayUs / 2, now.peek());
  return (
    <input
      class="time-slider"
      type="range"
      aria-label={words.value.shell.moment}
      aria-valuetext={momentText(at)}
      min={from / 1e6}
      max={until / 1e6}
      step={1}
      value={at / 1e6}
      onInput={(event) => travel(Number(event.currentTarget.value) * 1e6)}
    />
  );
}
