// Where a trend has its records from: tiles of the archive, and what has come since. It reads what the window needs as long as the
// trend is on the page.
import { batch, type ReadonlySignal, signal } from '@preact/signals';
import { systemClock } from '@telltale/schema/values';
import { LiveTail } from './live-tail.ts';
import type { PointKind } from './live-value.ts';
import { moment } from './moment.ts';
import { clockOffset } from './overview.ts';
import { link } from './service.ts';
import { indexAt, type Piece, prefixedAt, qualityAt, type Trace } from './trace.ts';
import { type TilePen, TraceTiles, type Wanted } from './trace-tiles.ts';

/** Requests follow a window that moves no more often than this. */
const wantMs = 100;

export class TrendSource {
  readonly #tiles = new TraceTiles({ onChange: () => this.#changed() });
  readonly #tails = new Map<PointKind, { readonly names: string; readonly tail: LiveTail }>();
  readonly #version = signal(0);
  readonly #error = signal<unknown>(undefined);
  readonly #isLoading = signal(false);
  #wanted: readonly Wanted[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #askedMs = 0;

  /** Grows with everything that has come. */
  readonly version: ReadonlySignal<number> = this.#version;
  readonly error: ReadonlySignal<unknown> = this.#error;
  readonly isLoading: ReadonlySignal<boolean> = this.#isLoading;

  /** Reads what is missing of windows of the same pens, soon. */
  want(windows: readonly Wanted[]): void {
    this.#wanted = windows;
    this.#follow(windows[0]?.pens ?? []);
    if (this.#timer !== undefined) return;
    const waitMs = Math.max(0, this.#askedMs + wantMs - systemClock.monotonicMs());
    this.#timer = setTimeout(() => this.#ask(), waitMs);
  }

  /** What is known of a pen between two times, in time order. */
  pieces(pen: TilePen, from: number, until: number, width: number): Piece[] {
    const known = Math.min(until, knownUntil());
    const pieces = this.#tiles.pieces(pen, from, known, width);
    const last = pieces.at(-1);
    const tail = this.#tails.get(pen.kind)?.tail.trace(pen.name);
    if (tail === undefined || (last !== undefined && last.isOpen !== true)) return pieces;
    const archived = last?.trace.times.at(-1) ?? 0;
    const first = indexAt(tail, archived) + 1;
    const begin = tail.times[first];
    if (begin === undefined || begin >= known) {
      if (last !== undefined) pieces[pieces.length - 1] = { ...last, until: known };
      return pieces;
    }
    const start = Math.max(begin, from);
    if (last !== undefined) pieces[pieces.length - 1] = { ...last, until: start };
    pieces.push({ trace: partOf(tail, first), from: start, until: known });
    return pieces;
  }

  /** What was in force, as far as it is known here: of a window of many records it may be one of the same pixel. */
  valueAt(pen: TilePen, us: number, window: { readonly from: number; readonly until: number }, width: number) {
    for (const { trace, from, until } of this.pieces(pen, window.from, window.until, width)) {
      if (us < from || us >= until) continue;
      const at = indexAt(trace, us);
      if (at < 0) return undefined;
      return { value: prefixedAt(trace, at), t: trace.times[at] ?? us, quality: qualityAt(trace, at) };
    }
    return undefined;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#tiles.close();
    for (const { tail } of this.#tails.values()) tail.close();
    this.#tails.clear();
  }

  /** How many records are held. */
  get records(): number {
    return this.#tiles.records;
  }

  #ask(): void {
    this.#timer = undefined;
    this.#askedMs = systemClock.monotonicMs();
    this.#tiles.want(this.#wanted);
    this.#isLoading.value = this.#tiles.isLoading;
  }

  #changed(): void {
    batch(() => {
      this.#version.value++;
      this.#error.value = this.#tiles.error;
      this.#isLoading.value = this.#tiles.isLoading;
    });
  }

  /** Nothing is followed while a moment of the past is shown. */
  #follow(pens: readonly TilePen[]): void {
    for (const kind of ['measurements', 'commands'] as const) {
      const names = pens.filter((pen) => pen.kind === kind).map(({ name }) => name);
      const text = moment.peek() === undefined ? names.join() : '';
      const present = this.#tails.get(kind);
      if ((present?.names ?? '') === text) continue;
      present?.tail.close();
      this.#tails.delete(kind);
      if (text === '') continue;
      const tail = new LiveTail({
        kind,
        names,
        onChange: () => this.#changed(),
        onResume: () => this.#tiles.invalidate(),
      });
      this.#tails.set(kind, { names: text, tail });
    }
  }
}

/** Until now, or until the link was lost, or until the moment that is shown: nothing is known of what comes after. */
function knownUntil(): number {
  const { state, since } = link.peek();
  const at = state === 'connected' || state === 'connecting' ? systemClock.now() : since;
  return moment.peek() ?? at + clockOffset.peek();
}

function partOf(trace: Trace, first: number): Trace {
  if (first === 0) return trace;
  const { datatype, times, values, qualities, flags, exact } = trace;
  return {
    datatype,
    times: times.subarray(first),
    values: values.subarray(first),
    qualities: qualities.subarray(first),
    flags: flags.subarray(first),
    exact: exact?.slice(first),
  };
}
