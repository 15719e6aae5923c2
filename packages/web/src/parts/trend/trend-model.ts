// The state of one trend: its pens, the window of time, the ranges of its axes, and its cursors. Who draws it, reads records for it or
// keeps it in the address is elsewhere.
import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { moment } from '../../data/moment.ts';
import { presentUs } from '../now.ts';
import { freeColour, keyOfPen, mostPens, type Pen, penOf } from './pen.ts';

/** Microseconds since 1970. */
export interface TimeWindow {
  readonly from: number;
  readonly until: number;
}

/** `live` ends now, or at the moment of the past that the page shows. */
export type WindowChoice = { readonly live: number } | TimeWindow;

export type Cursor = 'a' | 'b';
export type Cursors = { readonly [Each in Cursor]?: number };

/** The numbers at the lower and upper end of an axis, by the key of the axis. */
export type AxisRanges = ReadonlyMap<string, readonly [low: number, high: number]>;

const calmMs = 150;
const shortestUs = 1e3;
const longestUs = 50 * 365.25 * 86_400e6;
/** The year 2200. */
const latestUs = 7_258_118_400e6;

export class TrendModel {
  readonly pens: Signal<readonly Pen[]>;
  readonly choice: Signal<WindowChoice>;
  readonly ranges: Signal<AxisRanges> = signal(new Map());
  readonly cursors: Signal<Cursors> = signal({});
  /** Another day under the present one: so many days before. */
  readonly overlayDays: Signal<number | undefined> = signal(undefined);
  /** Of a named trend. */
  readonly title: Signal<string | undefined> = signal(undefined);
  readonly hasMarks: Signal<boolean> = signal(true);
  readonly hasLimits: Signal<boolean> = signal(true);
  /** Whether a drag draws a box to zoom to. */
  readonly isBoxing: Signal<boolean> = signal(false);
  /** Where the pointer is in the plot. */
  readonly pointer: Signal<number | undefined> = signal(undefined);
  /** The key of the pen that is brought out. */
  readonly selected: Signal<string | undefined> = signal(undefined);
  readonly isLive: ReadonlySignal<boolean>;
  readonly #calm: Signal<WindowChoice>;

  constructor(pens: readonly Pen[], choice: WindowChoice) {
    this.pens = signal(pens);
    this.choice = signal(choice);
    this.#calm = signal(choice);
    let isWaiting = false;
    this.choice.subscribe(() => {
      if (isWaiting) return;
      isWaiting = true;
      setTimeout(() => {
        isWaiting = false;
        this.#calm.value = this.choice.peek();
      }, calmMs);
    });
    this.isLive = computed(() => 'live' in this.choice.value && moment.value === undefined);
  }

  /** The choice, a few times a second at most: for what need not follow each frame of a pan. */
  get calm(): ReadonlySignal<WindowChoice> {
    return this.#calm;
  }

  /** As it is at this moment. */
  window(): TimeWindow {
    const choice = this.choice.peek();
    if (!('live' in choice)) return choice;
    const until = moment.peek() ?? presentUs();
    return { from: until - choice.live, until };
  }

  /** From now on the window stays where it is put. */
  show(from: number, until: number): void {
    const span = Math.min(longestUs, Math.max(shortestUs, until - from));
    const start = Math.max(0, Math.min(latestUs - span, (from + until - span) / 2));
    this.choice.value = { from: Math.round(start), until: Math.round(start + span) };
  }

  /** The last so many microseconds, and it follows the time. */
  follow(spanUs = this.#span()): void {
    this.choice.value = { live: Math.min(longestUs, Math.max(shortestUs, Math.round(spanUs))) };
  }

  /** By a share of its length; to the right is later. */
  pan(share: number): void {
    const { from, until } = this.window();
    const by = (until - from) * share;
    this.show(from + by, until + by);
  }

  /** `factor` below 1 shows less. A live window stays live where its end stays. */
  zoom(factor: number, aroundUs?: number): void {
    const { from, until } = this.window();
    if ('live' in this.choice.peek() && aroundUs === undefined) {
      this.follow((until - from) * factor);
      return;
    }
    const around = aroundUs ?? (from + until) / 2;
    this.show(around - (around - from) * factor, around + (until - around) * factor);
  }

  setCursor(cursor: Cursor, us: number | undefined): void {
    const { [cursor]: _, ...others } = this.cursors.peek();
    this.cursors.value = us === undefined ? others : { ...others, [cursor]: Math.round(us) };
  }

  setRange(axis: string, range: readonly [number, number] | undefined): void {
    const next = new Map(this.ranges.peek());
    if (range === undefined) next.delete(axis);
    else if (range[1] > range[0] && Number.isFinite(range[1] - range[0])) next.set(axis, range);
    this.ranges.value = next;
  }

  /** Says whether there was room. */
  add(kind: Pen['kind'], name: string): boolean {
    const pens = this.pens.peek();
    if (pens.some((pen) => keyOfPen(pen) === keyOfPen({ kind, name }))) return true;
    if (pens.length >= mostPens) return false;
    this.pens.value = [...pens, penOf(kind, name, freeColour(pens))];
    return true;
  }

  change(key: string, changes: Partial<Omit<Pen, 'kind' | 'name'>>): void {
    this.pens.value = this.pens.peek().map((pen) => (keyOfPen(pen) === key ? { ...pen, ...changes } : pen));
  }

  remove(key: string): void {
    batch(() => {
      this.pens.value = this.pens.peek().filter((pen) => keyOfPen(pen) !== key);
      if (this.selected.peek() === key) this.selected.value = undefined;
    });
  }

  #span(): number {
    const { from, until } = this.window();
    return until - from;
  }
}
