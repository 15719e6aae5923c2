// Open calls, by number. Each has exactly one outcome: its answer, its failure, an abort by its signal or its time
// limit, or the loss of the other side. How calls and answers travel is left to the caller.
import { onAbort } from './abort.ts';
import type { Clock } from './clock.ts';

export interface CallOptions<Progress = never> {
  /** Gives it up: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Gives it up after so long: it rejects with this error. */
  readonly limit?: { readonly clock: Clock; readonly ms: number; readonly error: () => Error } | undefined;
  /** Gets what is reported before the answer. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

interface OpenCall {
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
  readonly onProgress: ((progress: never) => void) | undefined;
  /** Of the signal and the timer. */
  readonly release: () => void;
}

export class OpenCalls {
  readonly #calls = new Map<number, OpenCall>();
  #lastId = 0;

  get size(): number {
    return this.#calls.size;
  }

  has(id: number): boolean {
    return this.#calls.has(id);
  }

  /**
   * `send` gets the number of the call; its exceptions pass through. It is not called where the signal is aborted
   * already. `onGivenUp` is called where the signal or the limit ends the call: the other side need not go on.
   */
  open<Result, Progress = never>(
    send: (id: number) => void,
    { signal, limit, onProgress }: CallOptions<Progress> = {},
    onGivenUp: (id: number) => void = () => {},
  ): Promise<Result> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const giveUp = (error: unknown) => {
      if (this.fail(id, error)) onGivenUp(id);
    };
    const stopListening = onAbort(signal, giveUp);
    const stopTimer = limit?.clock.after(limit.ms, () => giveUp(limit.error()));
    const release = () => {
      stopListening();
      stopTimer?.();
    };
    this.#calls.set(id, { resolve, reject, onProgress, release });
    try {
      send(id);
    } catch (error) {
      this.#take(id);
      throw error;
    }
    return promise;
  }

  /** False where no call is open for it: it is a second answer, or the call was abandoned. */
  answer(id: number, result: unknown): boolean {
    const call = this.#take(id);
    call?.resolve(result as never);
    return call !== undefined;
  }

  /** False where no call is open for it. */
  fail(id: number, error: unknown): boolean {
    const call = this.#take(id);
    call?.reject(error);
    return call !== undefined;
  }

  progress(id: number, progress: unknown): void {
    this.#calls.get(id)?.onProgress?.(progress as never);
  }

  endAll(error: Error): void {
    for (const id of [...this.#calls.keys()]) this.fail(id, error);
  }

  #take(id: number): OpenCall | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    call?.release();
    return call;
  }
}
