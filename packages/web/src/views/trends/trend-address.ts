// A trend in the address of its view: what the model has is written there, and what is written there, also by the browser's buttons,
// goes into the model.
import { batch, effect, untracked } from '@preact/signals';
import { moment } from '../../data/moment.ts';
import { pensOf, penText } from '../../parts/trend/pen.ts';
import { type Cursors, TrendModel, type WindowChoice } from '../../parts/trend/trend-model.ts';
import { setViewQuery, viewPlace } from '../../router.ts';

export const defaultSpanS = 3600;
const writeMs = 250;
const overlayDaysMost = 3660;

type Query = URLSearchParams;

export function modelOf(query: Query): TrendModel {
  const model = new TrendModel(pensOf(query.get('pens') ?? ''), choiceOf(query));
  read(model, query);
  return model;
}

export interface KeptAddress {
  /** What the model has now is what the address without its query means: it is not written until it changes. */
  readonly settle: () => void;
  readonly stop: () => void;
}

/** Keeps both the same until it is stopped. */
export function keepInAddress(model: TrendModel): KeptAddress {
  let written = textOf(model);
  let seen = partOf(viewPlace.peek().query);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stopWriting = effect(() => {
    const text = textOf(model);
    clearTimeout(timer);
    if (text === written) return;
    timer = setTimeout(() => {
      written = text;
      const query = new URLSearchParams(text);
      seen = partOf(query);
      setViewQuery(Object.fromEntries(keys.map((key) => [key, query.get(key) ?? undefined])));
    }, writeMs);
  });
  const stopReading = effect(() => {
    const { path, query } = viewPlace.value;
    const part = partOf(query);
    if (!isOfTrends(path) || part === seen) return;
    clearTimeout(timer);
    seen = part;
    batch(() => {
      model.pens.value = pensOf(query.get('pens') ?? '');
      model.choice.value = choiceOf(query);
      read(model, query);
    });
    written = untracked(() => textOf(model));
  });
  let at = moment.peek();
  const stopTravel = moment.subscribe((next) => {
    if (next === at) return;
    at = next;
    // Another moment: the window ends there.
    const { from, until } = model.window();
    model.follow(until - from);
  });
  return {
    settle: () => {
      clearTimeout(timer);
      written = untracked(() => textOf(model));
    },
    stop: () => {
      clearTimeout(timer);
      stopWriting();
      stopReading();
      stopTravel();
    },
  };
}

function isOfTrends(path: string): boolean {
  return path === '/trends' || path.startsWith('/trends/');
}

/** What of an address is of the trend. */
function partOf(query: Query): string {
  return keys.map((key) => query.get(key) ?? '').join('\n');
}

const keys = ['pens', 'from', 'until', 'span', 'y', 'cursorA', 'cursorB', 'overlay', 'hide'] as const;

function textOf(model: TrendModel): string {
  const query = new URLSearchParams();
  const set = (key: (typeof keys)[number], value: string | undefined) => {
    if (value !== undefined && value !== '') query.set(key, value);
  };
  const choice = model.choice.value;
  const { a, b } = model.cursors.value;
  set('pens', penText(model.pens.value));
  if ('live' in choice) set('span', choice.live === defaultSpanS * 1e6 ? undefined : secondsText(choice.live));
  else {
    set('from', secondsText(choice.from));
    set('until', secondsText(choice.until));
  }
  set(
    'y',
    [...model.ranges.value]
      .map(([axis, [low, high]]) => `${encodeURIComponent(axis)}:${round(low)}:${round(high)}`)
      .join(),
  );
  set('cursorA', a === undefined ? undefined : secondsText(a));
  set('cursorB', b === undefined ? undefined : secondsText(b));
  set('overlay', model.overlayDays.value?.toString());
  set(
    'hide',
    [!model.hasMarks.value && 'marks', !model.hasLimits.value && 'limits'].filter((each) => each !== false).join(),
  );
  return query.toString();
}

/** What is not in the parameters of the constructor. What makes no sense is left out. */
function read(model: TrendModel, query: Query): void {
  const hidden = (query.get('hide') ?? '').split(',');
  const days = Number(query.get('overlay') ?? 0);
  model.hasMarks.value = !hidden.includes('marks');
  model.hasLimits.value = !hidden.includes('limits');
  model.overlayDays.value = Number.isInteger(days) && days > 0 && days <= overlayDaysMost ? days : undefined;
  model.cursors.value = cursorsOf(query);
  model.ranges.value = rangesOf(query.get('y') ?? '');
}

function choiceOf(query: Query): WindowChoice {
  const from = usOf(query.get('from'));
  const until = usOf(query.get('until'));
  if (from !== undefined && until !== undefined && until > from) return { from, until };
  const span = usOf(query.get('span'));
  return { live: span !== undefined && span > 0 ? span : defaultSpanS * 1e6 };
}

function cursorsOf(query: Query): Cursors {
  const a = usOf(query.get('cursorA'));
  const b = usOf(query.get('cursorB'));
  return { ...(a !== undefined && { a }), ...(b !== undefined && { b }) };
}

function rangesOf(text: string): TrendModel['ranges']['value'] {
  const found = new Map<string, readonly [number, number]>();
  for (const part of text.split(',')) {
    const [axis = '', low = '', high = ''] = part.split(':');
    const range = [Number(low), Number(high)] as const;
    if (low !== '' && range[1] > range[0] && Number.isFinite(range[1] - range[0])) found.set(decoded(axis), range);
  }
  return found;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function usOf(text: string | null): number | undefined {
  if (text === null || text === '') return undefined;
  const us = Math.round(Number(text) * 1e6);
  return Number.isSafeInteger(us) && us >= 0 ? us : undefined;
}

function secondsText(us: number): string {
  return String(us / 1e6);
}

/** More digits than a screen has pixels say nothing. */
function round(value: number): string {
  return String(Number(value.toPrecision(7)));
}
