// Acknowledging from the list: which alarms are asked for, when a person has to confirm that, and what was refused of each.
import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { acknowledge } from '../../data/alarm-actions.ts';
import { alarms, isUnacknowledged } from '../../data/alarms.ts';
import { notify, notifyFailure } from '../../parts/notices.tsx';
import { words } from '../../words/words.ts';

/** More at once are confirmed: as many as somebody reads at a glance. */
const mostUnasked = 20;

export class Acknowledging {
  readonly #refusals: Signal<ReadonlyMap<string, string>> = signal(new Map());
  readonly #underWay: Signal<ReadonlySet<string>> = signal(new Set());
  readonly #asked: Signal<readonly string[] | undefined> = signal(undefined);
  readonly #onDone: (names: readonly string[]) => void;

  /** Why, by name, of the last attempt at each. */
  readonly refusals: ReadonlySignal<ReadonlyMap<string, string>> = this.#refusals;
  readonly underWay: ReadonlySignal<ReadonlySet<string>> = this.#underWay;
  /** What waits for a confirmation. */
  readonly asked: ReadonlySignal<readonly string[] | undefined> = this.#asked;

  /** Told of those that were acknowledged. */
  constructor(onDone: (names: readonly string[]) => void) {
    this.#onDone = onDone;
  }

  /** Exactly these, of which those that are acknowledged already are left out. */
  ask(names: readonly string[]): void {
    const wanted = names.filter((name) => {
      const state = alarms.peek().get(name)?.state;
      return state !== undefined && isUnacknowledged(state) && !this.#underWay.peek().has(name);
    });
    if (wanted.length === 0) notify(words.peek().alarms.nothingToAcknowledge);
    else if (wanted.length > mostUnasked) this.#asked.value = wanted;
    else void this.#run(wanted);
  }

  confirm(): void {
    const names = this.#asked.peek();
    this.#asked.value = undefined;
    if (names !== undefined) void this.#run(names);
  }

  cancel(): void {
    this.#asked.value = undefined;
  }

  async #run(names: readonly string[]): Promise<void> {
    const texts = words.peek().alarms;
    this.#underWay.value = new Set([...this.#underWay.peek(), ...names]);
    try {
      const refused = await acknowledge(names);
      const next = new Map(this.#refusals.peek());
      for (const name of names) next.delete(name);
      for (const [name, why] of refused) next.set(name, why);
      this.#refusals.value = next;
      const done = names.filter((name) => !refused.has(name));
      if (refused.size > 0) notify(texts.someRefused(refused.size, names.length), { isFailure: true });
      else notify(texts.acknowledged(done.length));
      this.#onDone(done);
    } catch (error) {
      notifyFailure(error);
    } finally {
      const next = new Set(this.#underWay.peek());
      for (const name of names) next.delete(name);
      this.#underWay.value = next;
    }
  }
}
