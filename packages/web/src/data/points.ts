// What does not change with every reading: unit, range, description, datatype and area of points, read once for each name
// that is shown, and again when another configuration runs.
import { batch, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Datatype } from '@telltale/schema/values';
import type { PointKind } from './live-value.ts';
import { revision } from './overview.ts';
import { client } from './service.ts';

export interface PointFacts {
  readonly kind: PointKind;
  readonly name: string;
  readonly datatype: Datatype;
  readonly address: string;
  /** With their prefixes; null where an end is not set. */
  readonly range: readonly [string | null, string | null];
  readonly eu: string;
  /** How many decimals people are shown; null: as many as the value has. */
  readonly precision: number | null;
  readonly description: string;
  readonly area: string;
}

/** `unknown`: no such point. */
export type Facts = PointFacts | 'pending' | 'unknown';

const fields = ['name', 'datatype', 'address', 'eu-range', 'eu', 'precision', 'description', 'area'] as const;
const gatherMs = 20;
const refreshMs = 60_000;

class FactsCache {
  readonly #kind: PointKind;
  readonly #known = new Map<string, Signal<Facts>>();
  readonly #asked = new Set<string>();
  #isGathering = false;

  constructor(kind: PointKind) {
    this.#kind = kind;
    let ran = revision.peek();
    effect(() => {
      const runs = revision.value;
      if (ran !== undefined && runs !== ran) for (const name of this.#known.keys()) this.#ask(name);
      ran = runs ?? ran;
    });
    // Who may not read the configuration is not told when another one runs.
    setInterval(() => {
      if (revision.peek() === undefined && !document.hidden) for (const name of this.#known.keys()) this.#ask(name);
    }, refreshMs);
  }

  of(name: string): ReadonlySignal<Facts> {
    let facts = this.#known.get(name);
    if (facts === undefined) {
      facts = signal<Facts>('pending');
      this.#known.set(name, facts);
      this.#ask(name);
    }
    return facts;
  }

  #ask(name: string): void {
    this.#asked.add(name);
    if (this.#isGathering) return;
    this.#isGathering = true;
    setTimeout(() => {
      this.#isGathering = false;
      const names = [...this.#asked];
      this.#asked.clear();
      void this.#read(names);
    }, gatherMs);
  }

  async #read(names: readonly string[]): Promise<void> {
    const options = { names, fields };
    try {
      const found = await (this.#kind === 'measurements'
        ? client.measurements.list(options)
        : client.commands.list(options));
      batch(() => {
        for (const name of names) {
          const item = found[name];
          const facts = this.#known.get(name);
          if (facts !== undefined) facts.value = item === undefined ? 'unknown' : factsOf(this.#kind, item);
        }
      });
    } catch {
      // While there is no link: asked again with the next name, or when the view is opened again.
      for (const name of names) if (this.#known.get(name)?.peek() === 'pending') this.#known.delete(name);
    }
  }
}

type ListedPoint = Awaited<ReturnType<typeof client.measurements.list<(typeof fields)[number]>>>[string];

function factsOf(kind: PointKind, item: ListedPoint): PointFacts {
  const { name, datatype, address, eu = '', precision = null, description = '', area = '' } = item;
  return { kind, name, datatype, address, range: item['eu-range'], eu, precision, description, area };
}

const caches: Readonly<Record<PointKind, FactsCache>> = {
  measurements: new FactsCache('measurements'),
  commands: new FactsCache('commands'),
};

export function factsOfPoint(kind: PointKind, name: string): ReadonlySignal<Facts> {
  return caches[kind].of(name);
}
