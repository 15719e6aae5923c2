// Which alarms a measurement triggers, or a device raises about it: read once for each measurement that is shown, and again when
// another configuration runs.
import { batch, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { revision } from './overview.ts';
import { client } from './service.ts';

const gatherMs = 30;
const retryMs = 5000;

class AlarmIndex {
  readonly #known = new Map<string, Signal<readonly string[]>>();
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

  of(measurement: string): ReadonlySignal<readonly string[]> {
    let found = this.#known.get(measurement);
    if (found === undefined) {
      found = signal<readonly string[]>([]);
      this.#known.set(measurement, found);
      this.#ask(measurement);
    }
    return found;
  }

  #ask(measurement: string, delayMs = gatherMs): void {
    this.#asked.add(measurement);
    if (this.#isGathering) return;
    this.#isGathering = true;
    setTimeout(() => {
      this.#isGathering = false;
      const names = [...this.#asked];
      this.#asked.clear();
      void this.#read(names);
    }, delayMs);
  }

  async #read(measurements: readonly string[]): Promise<void> {
    try {
      const found = new Map<string, string[]>();
      for (const { name, measurement } of Object.values(await client.alarms.triggers({ measurements }))) {
        if (measurement === null) continue;
        const names = found.get(measurement) ?? [];
        found.set(measurement, names);
        names.push(name);
      }
      batch(() => {
        for (const name of measurements) {
          const known = this.#known.get(name);
          if (known !== undefined) known.value = found.get(name) ?? [];
        }
      });
    } catch {
      // A picture without the marks of its alarms would say that there are none: asked again until it is known.
      for (const name of measurements) this.#ask(name, retryMs);
    }
  }
}

const index = new AlarmIndex();

export function alarmsAt(measurement: string): ReadonlySignal<readonly string[]> {
  return index.of(measurement);
}
