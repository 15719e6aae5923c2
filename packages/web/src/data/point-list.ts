// All points that the caller sees, with what does not change with readings: read once in the life of a configuration, and
// kept in columns rather than objects, since there may be 100,000. No values: those are the live stores'.
import { effect, type ReadonlySignal, signal } from '@preact/signals';
import type { Datatype } from '@telltale/schema';
import type { PointKind } from './live-value.ts';
import { revision } from './overview.ts';
import { client } from './service.ts';

const fields = ['description', 'area', 'connector', 'datatype', 'eu', 'precision'] as const;
type Listed = Awaited<ReturnType<typeof client.measurements.list<(typeof fields)[number]>>>;

/** Texts of which there are few different ones: each is stored once. */
export class TextColumn {
  readonly texts: readonly string[];
  readonly #numbers: Uint32Array;

  constructor(values: readonly string[]) {
    const numberOf = new Map<string, number>();
    this.#numbers = Uint32Array.from(values, (text) => {
      const known = numberOf.get(text) ?? numberOf.size;
      numberOf.set(text, known);
      return known;
    });
    this.texts = [...numberOf.keys()];
  }

  /** The place of its text in `texts`. */
  numberAt(id: number): number {
    return this.#numbers[id] ?? 0;
  }

  at(id: number): string {
    return this.texts[this.numberAt(id)] ?? '';
  }
}

/** A point is its place in here, which is of this list alone. */
export class PointList {
  readonly length: number;
  readonly names: readonly string[];
  readonly descriptions: readonly string[];
  readonly area: TextColumn;
  readonly connector: TextColumn;
  readonly datatype: TextColumn;
  readonly eu: TextColumn;
  /** Measurements come first. */
  readonly measurements: number;
  readonly #precision: Int8Array;
  /** Names and descriptions in small letters, one after the other: one long text is searched several times as fast. */
  readonly #searched: string;
  /** Where those of each point begin. */
  readonly #starts: Uint32Array;

  constructor(measurements: Listed, commands: Listed) {
    const items = [...Object.values(measurements), ...Object.values(commands)];
    this.names = [...Object.keys(measurements), ...Object.keys(commands)];
    this.length = this.names.length;
    this.measurements = Object.keys(measurements).length;
    this.descriptions = items.map(({ description = '' }) => description);
    const searched = this.names.map((name, id) => `${name}\n${this.descriptions[id]}\n`.toLowerCase());
    this.#starts = new Uint32Array(this.length + 1);
    for (const [id, text] of searched.entries()) this.#starts[id + 1] = (this.#starts[id] ?? 0) + text.length;
    this.#searched = searched.join('');
    this.area = new TextColumn(items.map(({ area = '' }) => area));
    this.connector = new TextColumn(items.map(({ connector = '' }) => connector));
    this.datatype = new TextColumn(items.map(({ datatype }) => datatype));
    this.eu = new TextColumn(items.map(({ eu = '' }) => eu));
    this.#precision = Int8Array.from(items, ({ precision }) => precision ?? -1);
  }

  /** 1 for each point with the word, in small letters and without line breaks, in its name or description. */
  having(word: string): Uint8Array {
    const found = new Uint8Array(this.length);
    let id = 0;
    for (let at = this.#searched.indexOf(word); at >= 0; at = this.#searched.indexOf(word, this.#starts[id])) {
      while ((this.#starts[id + 1] ?? Number.POSITIVE_INFINITY) <= at) id++;
      found[id] = 1;
      id++;
      if (id >= this.length) break;
    }
    return found;
  }

  kindAt(id: number): PointKind {
    return id < this.measurements ? 'measurements' : 'commands';
  }

  nameAt(id: number): string {
    return this.names[id] ?? '';
  }

  descriptionAt(id: number): string {
    return this.descriptions[id] ?? '';
  }

  datatypeAt(id: number): Datatype {
    return this.datatype.at(id) as Datatype;
  }

  /** Those that there are. */
  get datatypes(): readonly Datatype[] {
    return this.datatype.texts as readonly Datatype[];
  }

  /** What a value is shown with. */
  factsAt(id: number): { readonly eu: string; readonly precision: number | null } {
    const precision = this.#precision[id] ?? -1;
    return { eu: this.eu.at(id), precision: precision < 0 ? null : precision };
  }

  /** The same for the same point in any list: a measurement and a command may have one name. */
  keyAt(id: number): string {
    return id < this.measurements ? this.nameAt(id) : `!${this.nameAt(id)}`;
  }

  isCommandKey(key: string): boolean {
    return key.startsWith('!');
  }
}

interface Loaded {
  readonly list: PointList | undefined;
  readonly error: unknown;
}

class PointListStore {
  readonly loaded = signal<Loaded>({ list: undefined, error: undefined });
  #readers = 0;
  #ran: number | undefined;
  #reading: AbortController | undefined;
  #stop: (() => void) | undefined;

  use(): () => void {
    this.#readers++;
    if (this.#readers === 1) this.#stop = effect(() => this.#follow(revision.value));
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      this.#readers--;
      if (this.#readers === 0) this.#stop?.();
    };
  }

  #follow(runs: number | undefined): void {
    const isKnown = this.loaded.peek().list !== undefined && runs !== undefined && runs === this.#ran;
    this.#ran = runs;
    if (!isKnown) void this.read();
  }

  async read(): Promise<void> {
    this.#reading?.abort();
    const end = new AbortController();
    this.#reading = end;
    const { signal } = end;
    try {
      // One after the other: both at once would be in memory twice over.
      const measurements = await client.measurements.list({ fields, signal });
      const commands = await client.commands.list({ fields, signal });
      if (!signal.aborted) this.loaded.value = { list: new PointList(measurements, commands), error: undefined };
    } catch (error) {
      if (!signal.aborted) this.loaded.value = { list: this.loaded.peek().list, error };
    }
  }
}

const store = new PointListStore();

/** Undefined until it has been read for the first time. */
export const pointList: ReadonlySignal<Loaded> = store.loaded;

/** Keeps the list up to date for as long as the returned function has not been called. */
export function followPointList(): () => void {
  return store.use();
}

/** Reads it anew; what was there stays until then. */
export function readPointList(): Promise<void> {
  return store.read();
}
