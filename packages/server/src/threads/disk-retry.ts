// What is known of a disk that refuses what is written: why, and that it is retried each second until it does not. Each
// change is reported once.
import type { Clock } from '@telltale/schema/values';

export interface DiskRetryOptions {
  readonly clock: Clock;
  /** Writes something, or what changes nothing, and notes what came of it. */
  readonly retry: () => void;
  /** The disk refuses, for this reason; undefined: it takes what is written again. */
  readonly onChange: (reason: string | undefined) => void;
}

const periodMs = 1000;

export class DiskRetry {
  readonly #options: DiskRetryOptions;
  #reason: string | undefined;
  #takeBack: (() => void) | undefined;
  #isStopped = false;

  constructor(options: DiskRetryOptions) {
    this.#options = options;
  }

  /** Why the newest write failed; undefined where it did not. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** What came of a write: why the disk refused it, or undefined. */
  note(reason: string | undefined): void {
    const { clock, retry, onChange } = this.#options;
    const isChange = (this.#reason === undefined) !== (reason === undefined);
    this.#reason = reason;
    this.#takeBack?.();
    this.#takeBack = reason === undefined || this.#isStopped ? undefined : clock.after(periodMs, retry);
    if (isChange) onChange(reason);
  }

  /** It is not tried again. */
  stop(): void {
    this.#isStopped = true;
    this.#takeBack?.();
  }
}
