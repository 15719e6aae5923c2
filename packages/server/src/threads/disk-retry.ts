// The state of a disk that refuses writes: the reason, and a retry each second until it accepts them. Each change is
// reported once.
import type { Clock } from '@telltale/schema/values';

export interface DiskRetryOptions {
  readonly clock: Clock;
  /** Writes something, or makes a write without effect, and passes the outcome to `note`. */
  readonly retry: () => void;
  /** The disk refuses writes, for this reason; undefined: it accepts them again. */
  readonly onChange: (reason: string | undefined) => void;
}

const periodMs = 1000;

export class DiskRetry {
  readonly #options: DiskRetryOptions;
  #reason: string | undefined;
  #cancel: (() => void) | undefined;
  #isStopped = false;

  constructor(options: DiskRetryOptions) {
    this.#options = options;
  }

  /** Why the newest write failed; undefined where it did not. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** The outcome of a write: why the disk refused it, or undefined. */
  note(reason: string | undefined): void {
    const { clock, retry, onChange } = this.#options;
    const isChange = (this.#reason === undefined) !== (reason === undefined);
    this.#reason = reason;
    this.#cancel?.();
    this.#cancel = reason === undefined || this.#isStopped ? undefined : clock.after(periodMs, retry);
    if (isChange) onChange(reason);
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }
}
