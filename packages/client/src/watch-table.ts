// Who reads which names of one kind, and what is watched at the service: each name is watched once, however many
// read it, and again after a loss. While all are watched, no name is watched by itself.
import type { ItemResult } from '@telltale/schema';
import { TelltaleProblem } from './errors.ts';
import type { NamedUpdate, UpdateQueue } from './update-queue.ts';

export type WatchedNames = readonly string[] | 'all';

export interface WatchAsker {
  /** Whether updates are states, of which the current one comes first; else they are lines of a log. */
  readonly sendsPresent: boolean;
  /** Asks the service; resolves where all is watched. Called only while there is a connection. */
  watch(names: WatchedNames): Promise<unknown>;
  unwatch(names: WatchedNames): void;
  /** Resolves when everything has come that the service sent before. */
  settled(): Promise<unknown>;
  /** The service did not say whether it watches: the connection is of no use. */
  onSilence(error: unknown): void;
}

interface Watched<Update extends NamedUpdate> {
  readonly readers: Set<UpdateQueue<Update>>;
  /** The service does not know it, or no longer, and has not been asked again. */
  isMissing: boolean;
}

interface Reader {
  readonly names: ReadonlySet<string> | 'all';
  readonly refused: Set<string>;
  hasUpdates: boolean;
}

/** A message with so many names is taken everywhere. */
const namesPerRequest = 1000;

export class WatchTable<Update extends NamedUpdate> {
  readonly #asker: WatchAsker;
  readonly #readers = new Map<UpdateQueue<Update>, Reader>();
  readonly #readersOfAll = new Set<UpdateQueue<Update>>();
  readonly #watched = new Map<string, Watched<Update>>();
  /** The last update of each name; empty while there is no connection, since it may be out of date. */
  readonly #last = new Map<string, Update>();
  /** Whether all are watched and the current values have arrived: any other name does not exist. */
  #isAllKnown = false;
  #isConnected = false;
  #wasConnected = false;

  constructor(asker: WatchAsker) {
    this.#asker = asker;
  }

  add(queue: UpdateQueue<Update>, names: WatchedNames): void {
    if (queue.hasEnded) return;
    if (names === 'all') {
      this.#readers.set(queue, { names, refused: new Set(), hasUpdates: false });
      this.#readersOfAll.add(queue);
      if (this.#readersOfAll.size === 1) this.#watchAll();
      else for (const update of this.#last.values()) queue.push(update);
    } else {
      const wanted = new Set(names);
      this.#readers.set(queue, { names: wanted, refused: new Set(), hasUpdates: false });
      const fresh = [...wanted].filter((name) => this.#read(queue, name));
      if (this.#readersOfAll.size === 0) this.#watch(fresh);
      else if (this.#isAllKnown) this.#refuseUnknown(fresh);
    }
    queue.wake();
  }

  /** Whether the service has yet to be asked for this name. */
  #read(queue: UpdateQueue<Update>, name: string): boolean {
    const last = this.#last.get(name);
    if (last !== undefined) queue.push(last);
    const watched = this.#watched.get(name);
    if (watched === undefined) {
      this.#watched.set(name, { readers: new Set([queue]), isMissing: false });
      return true;
    }
    watched.readers.add(queue);
    return watched.isMissing;
  }

  remove(queue: UpdateQueue<Update>): void {
    const reader = this.#readers.get(queue);
    if (reader === undefined) return;
    this.#readers.delete(queue);
    if (reader.names === 'all') this.#leaveAll(queue);
    else this.#leave(queue, reader.names);
  }

  #leaveAll(queue: UpdateQueue<Update>): void {
    this.#readersOfAll.delete(queue);
    if (this.#readersOfAll.size > 0) return;
    this.#isAllKnown = false;
    for (const name of this.#last.keys()) if (!this.#watched.has(name)) this.#last.delete(name);
    if (!this.#isConnected) return;
    this.#asker.unwatch('all');
    this.#watch([...this.#watched.keys()]);
  }

  #leave(queue: UpdateQueue<Update>, names: ReadonlySet<string>): void {
    const unread: string[] = [];
    for (const name of names) {
      const watched = this.#watched.get(name);
      watched?.readers.delete(queue);
      if (watched?.readers.size !== 0) continue;
      this.#watched.delete(name);
      if (!watched.isMissing) unread.push(name);
    }
    if (this.#readersOfAll.size > 0) return; // all of them stay watched
    for (const name of unread) this.#last.delete(name);
    if (!this.#isConnected) return;
    for (const list of inLists(unread)) this.#asker.unwatch(list);
  }

  connected(): void {
    this.#isConnected = true;
    if (this.#wasConnected) for (const queue of this.#readers.keys()) queue.resume();
    this.#wasConnected = true;
    if (this.#readersOfAll.size > 0) this.#watchAll();
    else this.#watch([...this.#watched.keys()]);
  }

  lost(): void {
    if (!this.#isConnected) return;
    this.#isConnected = false;
    this.#isAllKnown = false;
    this.#last.clear();
    for (const watched of this.#watched.values()) watched.isMissing = false;
    for (const reader of this.#readers.values()) reader.refused.clear();
  }

  /** Asks again for names that the service did not know: they may be configured by now. */
  retryMissing(): void {
    if (this.#readersOfAll.size > 0) return; // the service reports removals to them
    this.#watch([...this.#watched].filter(([, { isMissing }]) => isMissing).map(([name]) => name));
  }

  notify(updates: readonly Update[], skipped: number): void {
    const touched = new Set(skipped > 0 ? this.#readers.keys() : this.#readersOfAll);
    for (const update of updates) {
      const watched = this.#watched.get(update.name);
      // Without a reader the value is no longer updated, and would be stale for the next reader.
      const isRead = watched !== undefined || this.#readersOfAll.size > 0;
      if (update.removed || !isRead || !this.#asker.sendsPresent) this.#last.delete(update.name);
      else this.#last.set(update.name, update);
      for (const queue of this.#readersOfAll) queue.push(update);
      if (watched === undefined) continue;
      watched.isMissing = update.removed === true;
      for (const queue of watched.readers) {
        if (!this.#readersOfAll.has(queue)) queue.push(update);
        touched.add(queue);
      }
    }
    for (const queue of touched) {
      const reader = this.#readers.get(queue);
      if (reader !== undefined) reader.hasUpdates = true;
      if (skipped > 0) queue.skip(skipped);
      queue.wake();
    }
  }

  close(): void {
    for (const queue of [...this.#readers.keys()]) queue.close();
  }

  #watch(names: readonly string[]): void {
    if (!this.#isConnected) return;
    for (const name of names) {
      const watched = this.#watched.get(name);
      if (watched !== undefined) watched.isMissing = false;
    }
    for (const list of inLists(names)) this.#asker.watch(list).catch((error: unknown) => this.#failed(list, error));
  }

  #watchAll(): void {
    if (!this.#isConnected) return;
    this.#asker
      .watch('all')
      .then(() => this.#asker.settled())
      .then(
        () => {
          this.#isAllKnown = this.#asker.sendsPresent && this.#isConnected && this.#readersOfAll.size > 0;
          if (this.#isAllKnown) this.#refuseUnknown([...this.#watched.keys()]);
        },
        (error: unknown) => this.#failed('all', error),
      );
  }

  #refuseUnknown(names: readonly string[]): void {
    const unknown = names.filter((name) => !this.#last.has(name));
    const [first] = unknown;
    if (first === undefined) return;
    const error = TelltaleProblem.of('unknown-object', `There is no ${JSON.stringify(first.slice(0, 80))}.`);
    this.#refused(
      unknown.map((name) => failure(name, error)),
      error,
    );
  }

  #failed(list: WatchedNames, error: unknown): void {
    if (!(error instanceof TelltaleProblem)) this.#asker.onSilence(error);
    else if (list === 'all') for (const queue of [...this.#readersOfAll]) queue.fail(error);
    else this.#refused(error.results.length > 0 ? error.results : list.map((name) => failure(name, error)), error);
  }

  #refused(results: readonly ItemResult[], error: TelltaleProblem): void {
    const refusedOf = new Map<UpdateQueue<Update>, ItemResult[]>();
    for (const result of results) {
      const watched = this.#watched.get(result.name);
      if (watched === undefined || result.result) continue;
      watched.isMissing = true;
      for (const queue of watched.readers) {
        const of = refusedOf.get(queue);
        if (of === undefined) refusedOf.set(queue, [result]);
        else of.push(result);
      }
    }
    for (const [queue, refused] of refusedOf) this.#notify(queue, refused, error);
  }

  /** Where there is nothing to wait for, the iteration fails; else what is known goes on. */
  #notify(queue: UpdateQueue<Update>, results: readonly ItemResult[], error: TelltaleProblem): void {
    const reader = this.#readers.get(queue);
    if (reader === undefined || reader.names === 'all') return;
    const fresh = results.filter(({ name }) => !reader.refused.has(name));
    for (const { name } of fresh) reader.refused.add(name);
    if (!reader.hasUpdates && reader.refused.size === reader.names.size) {
      queue.fail(error);
      return;
    }
    for (const result of fresh) queue.refuse(result);
    queue.wake();
  }
}

function failure(name: string, error: TelltaleProblem): ItemResult {
  return { name, result: false, error: error.toJSON() };
}

function inLists(names: readonly string[]): string[][] {
  const lists: string[][] = [];
  for (let at = 0; at < names.length; at += namesPerRequest) lists.push(names.slice(at, at + namesPerRequest));
  return lists;
}
