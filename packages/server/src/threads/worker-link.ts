// The link to a thread or process that this side has started: its death fails open calls, and it is closed in order, or
// by force after a time limit.
import { inspect } from 'node:util';
import type { Worker } from 'node:worker_threads';
import { type Clock, ProblemError, systemClock } from '@telltale/schema/values';
import { type Handlers, Link, type Port } from './link.ts';
import { messagePort } from './thread-link.ts';

/** A port to what this side has started. */
export interface WorkerPort extends Port {
  /** Once, after its last message, with the reason. */
  onEnd(ended: (error: Error) => void): void;
  /** At once; `onEnd` follows. No effect where it has ended. */
  kill(): void;
}

export interface WorkerLinkOptions<Local> {
  readonly handlers: Handlers<Local>;
  /** It ended without being closed or killed; open calls have been rejected with the same error. */
  readonly onDeath?: (error: Error) => void;
  /** It has ended, whatever the reason, after `onDeath`. */
  readonly onEnd?: (error: Error) => void;
  readonly clock?: Clock;
}

export class WorkerLink<Remote extends object, Local extends object = Record<never, never>> extends Link<
  Remote,
  Local
> {
  /** Resolves when it is gone, however it ended. */
  readonly ended: Promise<void>;
  readonly #port: WorkerPort;
  readonly #clock: Clock;
  #isClosing = false;

  constructor(port: WorkerPort, { handlers, onDeath, onEnd, clock = systemClock }: WorkerLinkOptions<Local>) {
    super(port, handlers);
    this.#port = port;
    this.#clock = clock;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    port.onEnd((error) => {
      this.end(this.#isClosing ? new ProblemError('stopping', 'The service is stopping.') : error);
      resolve();
      if (!this.#isClosing) onDeath?.(error);
      onEnd?.(error);
    });
  }

  /** Resolves when it is gone. It ends when `sayLast` is settled, and after `patienceMs` at the latest. */
  async close(patienceMs: number, sayLast: () => Promise<unknown>): Promise<void> {
    this.#isClosing = true;
    const cancel = this.#clock.after(patienceMs, () => this.#port.kill());
    sayLast()
      .catch(() => undefined)
      .then(() => this.#port.kill());
    await this.ended;
    cancel();
  }

  /** Resolves when it is gone. */
  kill(): Promise<void> {
    this.#isClosing = true;
    this.#port.kill();
    return this.ended;
  }
}

export function threadPort(thread: Worker): WorkerPort {
  return {
    ...messagePort(thread),
    onEnd(ended) {
      let reason: Error | undefined;
      thread.on('error', (error: unknown) => {
        reason ??= error instanceof Error ? error : new Error(inspect(error, { depth: 1 }));
      });
      thread.once('exit', (code) => ended(reason ?? new Error(`it ended with exit code ${code}`)));
    },
    kill: () => void thread.terminate(),
  };
}
