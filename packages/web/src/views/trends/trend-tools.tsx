// What is done to the window of a trend and to what is drawn in it: move, zoom, follow, compare, and take it away as CSV or PNG.
import { useSignal } from '@preact/signals';
import { MomentField } from '../../parts/moment-input.tsx';
import { notify, notifyFailure } from '../../parts/notices.tsx';
import { now, presentUs } from '../../parts/now.ts';
import { offsetText } from '../../parts/times.ts';
import type { TrendModel } from '../../parts/trend/trend-model.ts';
import type { TrendParts } from '../../parts/trend/trend-parts.ts';
import { localNumber, words } from '../../words/words.ts';
import { saveCsv, savePng, TooLarge } from './save-trend.ts';

const minuteS = 60;
const hourS = 60 * minuteS;
const dayS = 24 * hourS;
const spans = [
  { s: minuteS, text: '1 min' },
  { s: 10 * minuteS, text: '10 min' },
  { s: hourS, text: '1 h' },
  { s: 8 * hourS, text: '8 h' },
  { s: dayS, text: '1 d' },
  { s: 7 * dayS, text: '7 d' },
  { s: 30 * dayS, text: '30 d' },
  { s: 365 * dayS, text: '1 a' },
] as const;
const overlays = ['1', '7', '28', '364'] as const;

export function TrendTools({ parts }: { readonly parts: TrendParts }) {
  const { model } = parts;
  const { trends } = words.value;
  const isOpen = useSignal(false);
  return (
    <div class="trend-tools row">
      <SpanChoice model={model} />
      <div class="trend-buttons">
        <Tool text="◀" label={trends.earlier} onClick={() => model.pan(-0.5)} />
        <Tool text="▶" label={trends.later} onClick={() => model.pan(0.5)} />
        <Tool text="−" label={trends.zoomOut} onClick={() => model.zoom(2)} />
        <Tool text="+" label={trends.zoomIn} onClick={() => model.zoom(0.5)} />
      </div>
      <button
        type="button"
        aria-pressed={model.isLive.value}
        title={model.isLive.value ? trends.following : trends.stopped}
        onClick={() => toggleLive(model)}
      >
        {trends.live}
      </button>
      <WindowFields parts={parts} />
      <button
        type="button"
        class="trend-more"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        {words.value.common.more}
      </button>
      <div class={`row trend-others ${isOpen.value ? 'open' : ''}`}>
        <OverlayChoice model={model} />
        <Toggle model={model} of="isBoxing" text={trends.box} />
        <button type="button" onClick={() => parts.drawing?.fitValues()}>
          {trends.fitValues}
        </button>
        <Toggle model={model} of="hasMarks" text={trends.marks} />
        <Toggle model={model} of="hasLimits" text={trends.limits} />
        <button type="button" onClick={() => void takeCsv(parts)}>
          {trends.csv}
        </button>
        <button type="button" onClick={() => void savePng(parts).catch(notifyFailure)}>
          {trends.png}
        </button>
      </div>
    </div>
  );
}

function toggleLive(model: TrendModel): void {
  const { from, until } = model.window();
  if (model.isLive.peek()) model.show(from, until);
  else model.follow();
}

function Tool({
  text,
  label,
  onClick,
}: {
  readonly text: string;
  readonly label: string;
  readonly onClick: () => void;
}) {
  return (
    <button type="button" aria-label={label} title={label} onClick={onClick}>
      {text}
    </button>
  );
}

interface ToggleProps {
  readonly model: TrendModel;
  readonly of: 'isBoxing' | 'hasMarks' | 'hasLimits';
  readonly text: string;
}

function Toggle({ model, of, text }: ToggleProps) {
  const state = model[of];
  return (
    <button
      type="button"
      aria-pressed={state.value}
      onClick={() => {
        state.value = !state.value;
      }}
    >
      {text}
    </button>
  );
}

/** Around the end of the window, or up to now while it follows. */
function SpanChoice({ model }: { readonly model: TrendModel }) {
  const choice = model.calm.value;
  const spanUs = 'live' in choice ? choice.live : choice.until - choice.from;
  const chosen = spans.find(({ s }) => Math.abs(s * 1e6 - spanUs) < 1e3);
  return (
    <select
      aria-label={words.value.trends.span}
      value={chosen?.s ?? ''}
      onChange={(event) => {
        const us = Number(event.currentTarget.value) * 1e6;
        const { until } = model.window();
        if ('live' in choice) model.follow(us);
        else model.show(until - us, until);
      }}
    >
      {chosen === undefined && <option value="">{spanText(spanUs / 1e6)}</option>}
      {spans.map(({ s, text }) => (
        <option key={s} value={s}>
          {text}
        </option>
      ))}
    </select>
  );
}

/** `15 min`, `2.5 h`: of a span that is none of the choices. */
function spanText(s: number): string {
  const [size, unit] = s >= dayS ? [dayS, 'd'] : s >= hourS ? [hourS, 'h'] : s >= minuteS ? [minuteS, 'min'] : [1, 's'];
  return `${localNumber(String(Math.round((s / size) * 10) / 10))} ${unit}`;
}

function OverlayChoice({ model }: { readonly model: TrendModel }) {
  const { trends } = words.value;
  const days = model.overlayDays.value;
  const own = days !== undefined && !overlays.some((each) => each === String(days));
  return (
    <select
      aria-label={trends.overlay}
      value={days ?? ''}
      onChange={(event) => {
        const chosen = Number(event.currentTarget.value);
        model.overlayDays.value = chosen > 0 ? chosen : undefined;
      }}
    >
      <option value="">{`${trends.overlay} ${trends.overlays.none}`}</option>
      {own && <option value={days}>{`${trends.overlay} ${trends.overlayDays(days)}`}</option>}
      {overlays.map((each) => (
        <option key={each} value={each}>{`${trends.overlay} ${trends.overlays[each]}`}</option>
      ))}
    </select>
  );
}

/** From and until, on the clock of the zone that is shown. */
function WindowFields({ parts }: { readonly parts: TrendParts }) {
  const { model } = parts;
  const { trends } = words.value;
  // While it follows, the fields go on each second.
  void ('live' in model.calm.value ? now.value : 0);
  const { from, until } = model.window();
  const set = (field: 'from' | 'until', us: number | undefined) => {
    if (us === undefined) return;
    if (field === 'from') model.show(us, until > us ? until : us + (until - from));
    else model.show(from < us ? from : us - (until - from), us);
  };
  return (
    <span class="trend-window">
      {(['from', 'until'] as const).map((field) => (
        <MomentField
          key={field}
          label={trends[field]}
          us={field === 'from' ? from : until}
          onChoose={(us) => set(field, us)}
        />
      ))}
      <span class="quiet">{offsetText(until)}</span>
    </span>
  );
}

async function takeCsv({ model }: TrendParts): Promise<void> {
  const { from, until } = model.window();
  try {
    await saveCsv(model.pens.peek(), from, Math.min(until, presentUs()));
  } catch (error) {
    if (error instanceof TooLarge) notify(words.peek().trends.csvTooLarge(error.limit), { isFailure: true });
    else notifyFailure(error);
  }
}
