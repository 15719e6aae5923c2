// What the service says of names, as signals: asked for once for each name that is shown, many names in one request, and again when
// another configuration runs.
import { batch, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { revision } from './overview.ts';
import { TelltaleProblem } from './service.ts';
import { soon } from './soon.ts';

const gatherMs = 30;
const retryMs = 5000;
const refreshMs = 60_000;
/** Beyond these, the oldest are asked for again when they are shown again. */
const mostKnown = 20_000;

export interface GatheredOptions<T> {
  /** What is shown of a name until the service has answered. */
  readonly pending: T;
  readonly read: (names: readonly string[]) => Promise<(name: string) => T>;
}

export class Gathered<T> {
  readonly #options: GatheredOptions<T>;
  readonly #known = new Map<string, Signal<T>>();
  readonly #asked = new Set<string>();
  readonly #readSoon = soon(() => void this.#read(), gatherMs);

  constructor(options: GatheredOptions<T>) {
    this.#options = options;
    let ran = revision.peek();
    effect(() => {
      const runs = revision.value;
      if (ran !== undefined && runs !== ran) this.#ask(this.#known.keys());
      ran = runs ?? ran;
    });
    // Who may not read the configuration is not told when another one runs.
    setInterval(() => {
      if (revision.peek() === undefined && !document.hidden) this.#ask(this.#known.keys());
    }, refreshMs);
  }

  of(name: string): ReadonlySignal<T> {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const [oldest] = this.#known.keys();
    if (this.#known.size >= mostKnown && oldest !== undefined) this.#known.delete(oldest);
    const made = signal(this.#options.pending);
    this.#known.set(name, made);
    this.#ask([name]);
    return made;
  }

  #ask(names: Iterable<string>): void {
    for (const name of names) this.#asked.add(name);
    if (this.#asked.size > 0) this.#readSoon();
  }

  async #read(): Promise<void> {
    const names = [...this.#asked];
    this.#asked.clear();
    try {
      const found = await this.#options.read(names);
      batch(() => {
        for (const name of names) {
          const known = this.#known.get(name);
          if (known !== undefined) known.value = found(name);
        }
      });
    } catch (error) {
      // A refusal stays one; anything else is asked again until it is known: nothing to show would say that there is nothing.
      const isRefused = error instanceof TelltaleProblem && error.status < 500;
      if (!isRefused) setTimeout(() => this.#ask(names), retryMs);
    }
  }
}
