// Who reads what a selector selects, and which selectors are watched at the service: each once, however many read it, and
// again after a loss. What matched before and does not any more by then is reported as left.
import { TelltaleProblem } from './errors.ts';
import type { NamedUpdate, UpdateQueue } from './update-queue.ts';

/** As a request has it. */
export type WireSelector = Readonly<Record<string, unknown>>;

export interface SelectionAsker {
  /** Resolves to the number that its notifications have. Called only while there is a connection. */
  watch(selector: WireSelector): Promise<number>;
  unwatch(selector: WireSelector): void;
  /** Resolves when everything has come that the service sent before. */
  settled(): Promise<unknown>;
  /** The service did not say whether it watches: the connection is of no use. */
  onSilence(error: unknown): void;
}

class Selected<Update extends NamedUpdate> {
  readonly selector: WireSelector;
  readonly readers = new Set<UpdateQueue<Update>>();
  /** The last update of each object that matches. */
  last = new Map<string, Update>();
  /** Of before it was asked again, and not reported since. */
  before = new Map<string, Update>();
  id: number | undefined;
  /** How often the service was asked. */
  asked = 0;

  constructor(selector: WireSelector) {
    this.selector = selector;
  }
}

interface Notified<Update> {
  readonly updates: readonly Update[];
  readonly skipped: number;
}

export class SelectionTable<Update extends NamedUpdate> {
  readonly #asker: SelectionAsker;
  readonly #selected = new Map<string, Selected<Update>>();
  readonly #byId = new Map<number, Selected<Update>>();
  readonly #keyOf = new Map<UpdateQueue<Update>, string>();
  /** What has come before the answer was read that says of which selector it is. */
  readonly #early = new Map<number, Notified<Update>[]>();
  #asking = 0;
  #isConnected = false;
  #wasConnected = false;

  constructor(asker: SelectionAsker) {
    this.#asker = asker;
  }

  add(queue: UpdateQueue<Update>, selector: WireSelector): void {
    if (queue.hasEnded) return;
    const key = JSON.stringify(selector);
    const known = this.#selected.get(key);
    const selected = known ?? new Selected<Update>(selector);
    this.#selected.set(key, selected);
    this.#keyOf.set(queue, key);
    selected.readers.add(queue);
    if (known === undefined && this.#isConnected) this.#ask(selected);
    if (known === undefined || !this.#isConnected) return;
    for (const update of selected.last.values()) queue.push(update);
    queue.wake();
  }

  remove(queue: UpdateQueue<Update>): void {
    const key = this.#keyOf.get(queue);
    const selected = key === undefined ? undefined : this.#selected.get(key);
    if (key === undefined || selected === undefined) return;
    this.#keyOf.delete(queue);
    selected.readers.delete(queue);
    if (selected.readers.size > 0) return;
    this.#selected.delete(key);
    if (selected.id !== undefined) this.#byId.delete(selected.id);
    if (this.#isConnected) this.#asker.unwatch(selected.selector);
  }

  connected(): void {
    this.#isConnected = true;
    if (this.#wasConnected) for (const queue of this.#keyOf.keys()) queue.resume();
    this.#wasConnected = true;
    this.askAgain();
  }

  lost(): void {
    this.#isConnected = false;
    this.#byId.clear();
    this.#early.clear();
  }

  /** The service watches none of them any more. */
  askAgain(): void {
    this.#byId.clear();
    for (const selected of this.#selected.values()) this.#ask(selected);
  }

  notify(id: number, updates: readonly Update[], skipped: number): void {
    const selected = this.#byId.get(id);
    if (selected !== undefined) this.#take(selected, { updates, skipped });
    else if (this.#asking > 0) this.#early.set(id, [...(this.#early.get(id) ?? []), { updates, skipped }]);
  }

  close(): void {
    for (const queue of [...this.#keyOf.keys()]) queue.close();
  }

  async #ask(selected: Selected<Update>): Promise<void> {
    for (const [name, update] of selected.last) selected.before.set(name, update);
    selected.last.clear();
    const asked = ++selected.asked;
    this.#asking++;
    try {
      const id = await this.#asker.watch(selected.selector);
      if (selected.asked !== asked || selected.readers.size === 0) return;
      selected.id = id;
      this.#byId.set(id, selected);
      for (const early of this.#early.get(id) ?? []) this.#take(selected, early);
    } catch (error) {
      if (!(error instanceof TelltaleProblem)) this.#asker.onSilence(error);
      else for (const queue of [...selected.readers]) queue.fail(error);
      return;
    } finally {
      if (--this.#asking === 0) this.#early.clear();
    }
    await this.#asker.settled().then(
      () => selected.asked === asked && this.#takeLeft(selected),
      (error: unknown) => this.#asker.onSilence(error),
    );
  }

  /** What matched before the connection was lost, and was not reported since, matches no longer. */
  #takeLeft(selected: Selected<Update>): void {
    if (selected.before.size === 0) return;
    const updates = [...selected.before.values()].map((update) => ({ ...update, left: true as const }));
    this.#take(selected, { updates, skipped: 0 });
  }

  #take({ readers, last, before }: Selected<Update>, { updates, skipped }: Notified<Update>): void {
    for (const update of updates) {
      before.delete(update.name);
      if (update.removed || update.left) last.delete(update.name);
      else last.set(update.name, update);
    }
    for (const queue of readers) {
      for (const update of updates) queue.push(update);
      if (skipped > 0) queue.skip(skipped);
      queue.wake();
    }
  }
}
