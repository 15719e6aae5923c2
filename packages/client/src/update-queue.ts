// A bounded queue of updates for one reader: if the reader does not keep up, only the newest of each name is kept,
// and what was passed over is counted. Of what must not be passed over, too much ends the iteration.
import type { ItemResult } from '@telltale/schema';
import { onAbort } from '@telltale/schema/values';
import { Overrun } from './errors.ts';

export interface NamedUpdate {
  readonly name: string;
  /** The object is no longer configured. */
  readonly removed?: true;
  /** Of a watch by selector: the object no longer matches. */
  readonly left?: true;
}

/** Everything that has arrived since the reader asked last, in order. */
export interface Updates<Update extends NamedUpdate> {
  readonly updates: readonly Update[];
  /** How many updates were passed over, by the service or here, because somebody did not keep up. */
  readonly skipped: number;
  /** Names that cannot be watched, and why; they are tried again from time to time. */
  readonly refused: readonly ItemResult[];
  /** The connection was lost and is back: the present values follow, and what happened in between was not seen. */
  readonly resumed: boolean;
}

export interface UpdateQueueOptions {
  readonly maxPending: number;
  /** Whether the newest of each name may stand for those before it. */
  readonly conflates: boolean;
  /** Called once, when the iteration ends, however it does. */
  readonly onEnd: () => void;
  readonly signal?: AbortSignal | undefined;
}

interface Waiter<Update extends NamedUpdate> {
  readonly resolve: (result: IteratorResult<Updates<Update>, undefined>) => void;
  readonly reject: (error: Error) => void;
}

export class UpdateQueue<Update extends NamedUpdate> implements AsyncIterableIterator<Updates<Update>, undefined> {
  readonly #options: UpdateQueueOptions;
  readonly #waiters: Waiter<Update>[] = [];
  readonly #stopListening: () => void;
  #updates: Update[] = [];
  /** Instead of `#updates`, from when there were too many until the reader comes. */
  #newest: Map<string, Update> | undefined;
  #skipped = 0;
  #refused: ItemResult[] = [];
  #isResumed = false;
  #hasEnded = false;
  #error: Error | undefined;

  constructor(options: UpdateQueueOptions) {
    this.#options = options;
    this.#hasEnded = options.signal?.aborted === true;
    this.#stopListening = onAbort(options.signal, () => this.#end());
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The reader learns of it at the next `wake`. */
  push(update: Update): void {
    if (this.#newest !== undefined) {
      this.#conflate(this.#newest, update);
      return;
    }
    this.#updates.push(update);
    if (this.#updates.length <= this.#options.maxPending) return;
    if (!this.#options.conflates) {
      this.fail(new Overrun(`${this.#updates.length} updates wait that may not be passed over: read them faster.`));
      return;
    }
    this.#newest = new Map();
    for (const pending of this.#updates) this.#conflate(this.#newest, pending);
    this.#updates = [];
  }

  skip(count: number): void {
    this.#skipped += count;
  }

  refuse(result: ItemResult): void {
    this.#refused.push(result);
  }

  resume(): void {
    this.#isResumed = true;
  }

  wake(): void {
    if (!this.#hasSomething()) return;
    const waiter = this.#waiters.shift();
    waiter?.resolve({ done: false, value: this.#take() });
  }

  /** What waits is read first. */
  fail(error: Error): void {
    if (this.#hasEnded) return;
    this.#error = error;
    const waiter = this.#waiters.shift();
    if (waiter !== undefined) {
      waiter.reject(error);
      this.#error = undefined;
    }
    this.#finish();
  }

  /** The service or the caller has no more to say. */
  close(): void {
    this.#finish();
  }

  next(): Promise<IteratorResult<Updates<Update>, undefined>> {
    if (this.#hasSomething()) return Promise.resolve({ done: false, value: this.#take() });
    if (this.#error !== undefined) {
      const error = this.#error;
      this.#error = undefined;
      return Promise.reject(error);
    }
    if (this.#hasEnded) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
  }

  async return(): Promise<IteratorResult<Updates<Update>, undefined>> {
    this.#end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #conflate(newest: Map<string, Update>, update: Update): void {
    if (newest.delete(update.name)) this.#skipped++;
    newest.set(update.name, update);
  }

  #hasSomething(): boolean {
    return this.#updates.length > 0 || this.#newest !== undefined || this.#skipped > 0 || this.#refused.length > 0;
  }

  #take(): Updates<Update> {
    const updates = this.#newest === undefined ? this.#updates : [...this.#newest.values()];
    const taken = { updates, skipped: this.#skipped, refused: this.#refused, resumed: this.#isResumed };
    this.#updates = [];
    this.#newest = undefined;
    this.#skipped = 0;
    this.#refused = [];
    this.#isResumed = false;
    return taken;
  }

  /** The reader wants no more: what waits is of no use. */
  #end(): void {
    this.#take();
    this.#error = undefined;
    this.#finish();
  }

  #finish(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#stopListening();
    for (const { resolve } of this.#waiters.splice(0)) resolve({ done: true, value: undefined });
    this.#options.onEnd();
  }
}
