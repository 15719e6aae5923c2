// Which measurement triggers an alarm, or is what an alarm of a device is about. Read once for each name that is shown, and again
// when another configuration runs.
import { batch, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { revision } from './overview.ts';
import { client } from './service.ts';

const gatherMs = 50;
/** Beyond these, the oldest are read again when they are shown again. */
const mostKnown = 20_000;

class TriggerCache {
  readonly #known = new Map<string, Signal<string | undefined>>();
  readonly #asked = new Set<string>();
  #isGathering = false;

  constructor() {
    let ran = revision.peek();
    effect(() => {
      const runs = revision.value;
      if (ran !== undefined && runs !== ran) for (const name of this.#known.keys()) this.#ask(name);
      ran = runs ?? ran;
    });
  }

  of(name: string): ReadonlySignal<string | undefined> {
    let found = this.#known.get(name);
    if (found === undefined) {
      found = signal<string | undefined>(undefined);
      const [oldest] = this.#known.keys();
      if (this.#known.size >= mostKnown && oldest !== undefined) this.#known.delete(oldest);
      this.#known.set(name, found);
      this.#ask(name);
    }
    return found;
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
    try {
      const found = await client.alarms.triggers({ names });
      batch(() => {
        for (const name of names) {
          const known = this.#known.get(name);
          if (known !== undefined) known.value = found[name]?.measurement ?? undefined;
        }
      });
    } catch {
      // Without it, a column is empty: asked for again when the alarm is shown again.
      for (const name of names) if (this.#known.get(name)?.peek() === undefined) this.#known.delete(name);
    }
  }
}

const cache = new TriggerCache();

/** Undefined until it is known, and where there is none. */
export function triggerOf(name: string): ReadonlySignal<string | undefined> {
  return cache.of(name);
}
