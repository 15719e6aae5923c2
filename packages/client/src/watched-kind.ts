// All who read objects of one kind over the channel: by names, all there are, or by selector.
import { SelectionTable, type WireSelector } from './selection-table.ts';
import type { NamedUpdate, UpdateQueue } from './update-queue.ts';
import { type WatchedNames, WatchTable } from './watch-table.ts';

export type WatchedObjects = WatchedNames | WireSelector;

export interface KindAsker {
  /** Whether updates are states, of which the current one comes first; else they are lines of a log. */
  readonly sendsPresent: boolean;
  watch(what: WatchedObjects): Promise<{ readonly selection?: number }>;
  unwatch(what: WatchedObjects): void;
  settled(): Promise<unknown>;
  onSilence(error: unknown): void;
}

export class WatchedKind<Update extends NamedUpdate> {
  readonly #names: WatchTable<Update>;
  readonly #selections: SelectionTable<Update>;

  constructor(asker: KindAsker) {
    const shared = {
      settled: () => asker.settled(),
      onSilence: (error: unknown) => asker.onSilence(error),
    };
    this.#selections = new SelectionTable({
      ...shared,
      watch: async (selector) => (await asker.watch(selector)).selection ?? 0,
      unwatch: (selector) => asker.unwatch(selector),
    });
    this.#names = new WatchTable({
      ...shared,
      sendsPresent: asker.sendsPresent,
      watch: (names) => asker.watch(names),
      unwatch: (names) => {
        asker.unwatch(names);
        if (names === 'all') this.#selections.askAgain(); // it ends every watch of the kind
      },
    });
  }

  add(queue: UpdateQueue<Update>, what: WatchedObjects): void {
    if (isNames(what)) this.#names.add(queue, what);
    else this.#selections.add(queue, what);
  }

  remove(queue: UpdateQueue<Update>): void {
    this.#names.remove(queue);
    this.#selections.remove(queue);
  }

  connected(): void {
    this.#names.connected();
    this.#selections.connected();
  }

  lost(): void {
    this.#names.lost();
    this.#selections.lost();
  }

  retryMissing(): void {
    this.#names.retryMissing();
  }

  /** With the number of the selection, where it is of one. */
  notify(updates: readonly Update[], skipped: number, selection: unknown): void {
    if (typeof selection === 'number') this.#selections.notify(selection, updates, skipped);
    else this.#names.notify(updates, skipped);
  }

  close(): void {
    this.#names.close();
    this.#selections.close();
  }
}

function isNames(what: WatchedObjects): what is WatchedNames {
  return what === 'all' || Array.isArray(what);
}
