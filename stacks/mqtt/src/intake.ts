// Lets so many messages a second through; of more, the newest of each topic. What waits is bounded: beyond, the broker
// has to wait.
import type { Clock } from '@telltale/schema';
import type { Delivery } from './tap.ts';

export interface Message extends Delivery {
  readonly topic: string;
  /** Undefined: it was too large. */
  readonly payload: Buffer | undefined;
}

export interface IntakeOptions {
  readonly clock: Clock;
  readonly maxPerSecond: number;
  readonly take: (message: Message) => void;
  /** Once for each while in which messages were passed over. */
  readonly onOverrun: () => void;
}

const windowMs = 100;
const maxPendingBytes = 16 * 1024 * 1024;
const messageBytes = 256;

export class Intake {
  readonly #options: IntakeOptions;
  readonly #perWindow: number;
  #taken = 0;
  readonly #pending = new Map<string, Message>();
  #pendingBytes = 0;
  #cancel: (() => void) | undefined;
  #full: PromiseWithResolvers<void> | undefined;

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#perWindow = Math.max(1, Math.round((options.maxPerSecond * windowMs) / 1000));
  }

  /** The promise: no more before it is fulfilled. */
  offer(message: Message): Promise<void> | undefined {
    const { clock, take, onOverrun } = this.#options;
    this.#cancel ??= clock.after(windowMs, () => this.#turn());
    const waits = this.#pending.get(message.topic);
    if (this.#taken < this.#perWindow && waits === undefined) {
      this.#taken++;
      take(message);
      return undefined;
    }
    if (waits !== undefined) {
      onOverrun();
      this.#pendingBytes -= cost(waits);
    }
    this.#pending.set(message.topic, message);
    this.#pendingBytes += cost(message);
    if (this.#pendingBytes < maxPendingBytes) return undefined;
    this.#full ??= Promise.withResolvers();
    return this.#full.promise;
  }

  /** What waits is passed over. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#pending.clear();
    this.#pendingBytes = 0;
    this.#taken = 0;
    this.#release();
  }

  #turn(): void {
    this.#cancel = undefined;
    this.#taken = 0;
    for (const [topic, message] of this.#pending) {
      if (this.#taken >= this.#perWindow) break;
      this.#taken++;
      this.#pending.delete(topic);
      this.#pendingBytes -= cost(message);
      this.#options.take(message);
    }
    if (this.#pending.size > 0) this.#cancel = this.#options.clock.after(windowMs, () => this.#turn());
    if (this.#pendingBytes < maxPendingBytes) this.#release();
  }

  #release(): void {
    this.#full?.resolve();
    this.#full = undefined;
  }
}

function cost({ topic, payload }: Message): number {
  return messageBytes + topic.length + (payload?.length ?? 0);
}
