// Live values by name: watched at the service as long as somebody shows them, and as signals that change five times a second
// at most. While a moment of the past is shown, they are those of that moment.
import { batch, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Vt, Vtq } from '@telltale/schema';
import { fromTimestamp } from '@telltale/schema/values';
import { valuesAt } from './history.ts';
import type { LiveValue, PointKind, Shown } from './live-value.ts';
import { moment } from './moment.ts';
import { channel, client } from './service.ts';
import { isAway, whileAway } from './sites.ts';
import { soon } from './soon.ts';

interface Entry {
  readonly shown: Signal<Shown>;
  isShown: boolean;
  group: Group | undefined;
}

/** Names that are watched by one request; it ends when few of them are still shown. */
interface Group {
  readonly names: readonly string[];
  readonly end: AbortController;
  shown: number;
}

/** People see no more changes than these, and each costs a frame. */
const flushMs = 200;
/** Names that come and go within this, as in scrolling, are asked for together. */
const gatherMs = 30;

export class LiveStore {
  readonly #kind: PointKind;
  readonly #entries = new Map<string, Entry>();
  readonly #fresh = new Set<string>();
  readonly #changed = new Map<string, Shown>();
  readonly #gather = soon(() => this.#ask(), gatherMs);
  readonly #flushLater = soon(() => this.#flush(), flushMs);
  #reading: AbortController | undefined;

  constructor(kind: PointKind) {
    this.#kind = kind;
    effect(() => {
      const at = moment.value;
      this.#reading?.abort();
      this.#reading = undefined;
      if (at === undefined) this.#watchAgain();
      else this.#readAll(at);
    });
    whileAway(() => this.#readLast());
  }

  /** The value of a name, live for as long as something follows the signal; ask for it anew each time it is shown. */
  show(name: string): ReadonlySignal<Shown> {
    const known = this.#entries.get(name);
    if (known !== undefined) return known.shown;
    const shown = signal<Shown>('pending', {
      watched: () => {
        entry.isShown = true;
      },
      unwatched: () => {
        entry.isShown = false;
        this.#gather();
      },
    });
    const entry: Entry = { shown, isShown: false, group: undefined };
    this.#entries.set(name, entry);
    this.#fresh.add(name);
    this.#gather();
    return shown;
  }

  #ask(): void {
    this.#drop();
    const names = [...this.#fresh];
    this.#fresh.clear();
    if (names.length === 0) return;
    const at = moment.value;
    if (at === undefined) {
      this.#watch(names);
      if (isAway.peek()) this.#readLast().catch(() => undefined);
      return;
    }
    this.#reading ??= new AbortController();
    void this.#read(names, at, this.#reading.signal);
  }

  #drop(): void {
    const thinned = new Set<Group>();
    for (const [name, entry] of this.#entries) {
      if (entry.isShown) continue;
      this.#entries.delete(name);
      // What was computed of it is computed again where it is shown again: it asks for the name anew.
      entry.shown.value = entry.shown.peek() === 'pending' ? 'unknown' : 'pending';
      this.#fresh.delete(name);
      if (entry.group === undefined) continue;
      entry.group.shown--;
      thinned.add(entry.group);
    }
    for (const group of thinned) {
      if (group.shown * 2 > group.names.length) continue;
      const rest = group.names.filter((name) => this.#entries.get(name)?.group === group);
      if (rest.length > 0) this.#watch(rest);
      group.end.abort();
    }
  }

  #watchAgain(): void {
    const names = [...this.#entries.keys()].filter((name) => !this.#fresh.has(name));
    for (const entry of this.#entries.values()) entry.shown.value = 'pending';
    if (names.length > 0) this.#watch(names);
  }

  #watch(names: readonly string[]): void {
    const group: Group = { names, end: new AbortController(), shown: names.length };
    for (const name of names) {
      const entry = this.#entries.get(name);
      if (entry !== undefined) entry.group = group;
    }
    void this.#follow(names, group.end.signal);
  }

  async #follow(names: readonly string[], signal: AbortSignal): Promise<void> {
    const watch =
      this.#kind === 'measurements'
        ? channel.watchMeasurements(names, { signal })
        : channel.watchCommands(names, { signal });
    try {
      for await (const { updates, refused } of watch) {
        for (const update of updates) this.#changed.set(update.name, update.removed ? 'unknown' : shownOf(update));
        for (const { name, result } of refused) if (!result) this.#changed.set(name, 'unknown');
        this.#flushSoon();
      }
    } catch {
      for (const name of names) this.#changed.set(name, 'unknown');
      this.#flushSoon();
    }
  }

  /** What is shown for the first time is shown at once. */
  #flushSoon(): void {
    for (const [name, shown] of this.#changed) {
      const entry = this.#entries.get(name);
      if (entry?.shown.peek() !== 'pending') continue;
      this.#changed.delete(name);
      if (moment.peek() === undefined) entry.shown.value = shown;
    }
    if (this.#changed.size > 0) this.#flushLater();
  }

  #flush(): void {
    if (moment.peek() === undefined) {
      batch(() => {
        for (const [name, shown] of this.#changed) {
          const entry = this.#entries.get(name);
          if (entry !== undefined) entry.shown.value = shown;
        }
      });
    }
    this.#changed.clear();
  }

  #readAll(at: number): void {
    const groups = new Set([...this.#entries.values()].map(({ group }) => group));
    for (const group of groups) group?.end.abort();
    for (const entry of this.#entries.values()) entry.group = undefined;
    this.#changed.clear();
    this.#reading = new AbortController();
    const names = [...this.#entries.keys()].filter((name) => !this.#fresh.has(name));
    if (names.length > 0) void this.#read(names, at, this.#reading.signal);
  }

  /** What a centre has of a site that is away. */
  async #readLast(): Promise<void> {
    const names = [...this.#entries.keys()];
    if (names.length === 0) return;
    const found =
      this.#kind === 'measurements'
        ? await client.measurements.list({ names, fields: ['vtq'] })
        : await client.commands.list({ names, fields: ['vt'] });
    if (!isAway.peek() || moment.peek() !== undefined) return;
    batch(() => {
      for (const [name, update] of Object.entries(found)) {
        const entry = this.#entries.get(name);
        if (entry !== undefined) entry.shown.value = shownOf(update);
      }
    });
  }

  async #read(names: readonly string[], at: number, signal: AbortSignal): Promise<void> {
    const found = await valuesAt(this.#kind, names, at, signal).catch(() => undefined);
    if (signal.aborted) return;
    batch(() => {
      for (const name of names) {
        const entry = this.#entries.get(name);
        if (entry !== undefined) entry.shown.value = found?.get(name) ?? 'none';
      }
    });
  }
}

function shownOf(update: { readonly vtq: Vtq } | { readonly vt: Vt }): LiveValue {
  if ('vt' in update) return { value: update.vt[0], t: fromTimestamp(update.vt[1]), quality: undefined };
  const [value, t, quality] = update.vtq;
  return { value, t: fromTimestamp(t), quality };
}

export const liveStores: Readonly<Record<PointKind, LiveStore>> = {
  measurements: new LiveStore('measurements'),
  commands: new LiveStore('commands'),
};
