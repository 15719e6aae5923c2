// The last minutes of points, as few numbers as a small picture has room for: read for the rows that are seen, together, one
// request at a time, and again after a while.
import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { isBad, toTimestamp } from '@telltale/schema/values';
import type { PointKind } from './live-value.ts';
import { moment } from './moment.ts';
import { client } from './service.ts';

export const sparkSpanS = 600;
const maxPoints = 60;
/** What rushes past in scrolling is not asked for. */
const gatherMs = 250;
const againMs = 30_000;
/** Beyond these, those that were not seen for longest are forgotten. */
const mostKept = 500;
const namesARequest = 60;

export interface Spark {
  /** Microseconds since 1970. */
  readonly times: Float64Array;
  /** NaN where quality was bad. */
  readonly values: Float64Array;
}

interface Entry {
  readonly spark: Signal<Spark | undefined>;
  isShown: boolean;
  /** When it is due again, on the clock of the page. */
  dueMs: number;
}

class Sparklines {
  readonly #kind: PointKind;
  readonly #entries = new Map<string, Entry>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isReading = false;

  constructor(kind: PointKind) {
    this.#kind = kind;
    effect(() => {
      void moment.value;
      for (const entry of this.#entries.values()) {
        entry.dueMs = 0;
        entry.spark.value = undefined;
      }
      if (this.#entries.size > 0) this.#soon();
    });
  }

  /** Kept up to date for as long as something follows the signal; ask for it anew each time it is shown. */
  show(name: string): ReadonlySignal<Spark | undefined> {
    const entry = this.#entries.get(name) ?? this.#made();
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    return entry.spark;
  }

  #made(): Entry {
    const spark = signal<Spark | undefined>(undefined, {
      watched: () => {
        entry.isShown = true;
        this.#soon();
      },
      unwatched: () => {
        entry.isShown = false;
      },
    });
    const entry: Entry = { spark, isShown: false, dueMs: 0 };
    return entry;
  }

  #soon(ms = gatherMs): void {
    if (this.#timer !== undefined && ms > gatherMs) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#read();
    }, ms);
  }

  async #read(): Promise<void> {
    if (this.#isReading) return;
    this.#forget();
    const nowMs = performance.now();
    const due = [...this.#entries].filter(([, { isShown, dueMs }]) => isShown && dueMs <= nowMs);
    const names = due.slice(0, namesARequest).map(([name]) => name);
    if (names.length > 0 && !document.hidden) {
      this.#isReading = true;
      await this.#ask(names).catch(() => undefined);
      this.#isReading = false;
      for (const [, entry] of due.slice(0, namesARequest)) entry.dueMs = performance.now() + againMs;
    }
    if (due.length > namesARequest) this.#soon();
    else if (this.#entries.size > 0) this.#soon(againMs / 6);
  }

  async #ask(names: readonly string[]): Promise<void> {
    const at = moment.peek();
    const interval =
      at === undefined
        ? { since: -sparkSpanS }
        : { since: toTimestamp(Math.max(0, at - sparkSpanS * 1e6)), until: toTimestamp(at + 1) };
    const found = new Map<string, { times: number[]; values: number[] }>();
    const options = { ...interval, names, maxPoints, warpHead: true };
    for await (const { name, times, values, qualities } of client.archive.columns(this.#kind, options)) {
      const spark = found.get(name) ?? { times: [], values: [] };
      found.set(name, spark);
      for (const [row, t] of times.entries()) {
        const value = values[row];
        spark.times.push(t);
        // The qualities of commands say nothing.
        const isGap = typeof value === 'string' || (this.#kind === 'measurements' && isBad(qualities[row] ?? 0));
        spark.values.push(isGap ? Number.NaN : Number(value));
      }
    }
    if (moment.peek() !== at) return;
    for (const name of names) {
      const { times = [], values = [] } = found.get(name) ?? {};
      const entry = this.#entries.get(name);
      if (entry !== undefined)
        entry.spark.value = { times: Float64Array.from(times), values: Float64Array.from(values) };
    }
  }

  #forget(): void {
    let over = this.#entries.size - mostKept;
    for (const [name, { isShown }] of this.#entries) {
      if (over <= 0) return;
      if (isShown) continue;
      this.#entries.delete(name);
      over--;
    }
  }
}

export const sparklines: Readonly<Record<PointKind, Sparklines>> = {
  measurements: new Sparklines('measurements'),
  commands: new Sparklines('commands'),
};
