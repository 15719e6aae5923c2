// Publishes what has changed, so many at once: what changes while the broker is slow waits, once, for its newest value.
import { type Clock, untilAborted } from '@telltale/schema';
import type { StackLog } from '@telltale/stack-kit';
import type { BrokerLink } from './broker-link.ts';
import { codeText, isFailure } from './reason-code.ts';

export interface PublishingOptions<Item> {
  readonly link: BrokerLink;
  readonly clock: Clock;
  readonly log: StackLog;
  readonly limit: number;
  /** Filled by others; an item leaves it when it is published. */
  readonly queue: Set<Item>;
  /** Undefined: not to be published. Resolves with the reason code of the broker. */
  readonly publish: (item: Item) => Promise<number> | undefined;
}

/** A broker that acknowledges nothing for so long is given up. */
const stuckMs = 10_000;
const warnEveryMs = 60_000;

export class Publishing<Item> {
  readonly #options: PublishingOptions<Item>;
  #inFlight = 0;
  #movedMs: number;
  #warnedMs = Number.NEGATIVE_INFINITY;
  #cancel = () => {};
  #isStopped = false;

  constructor(options: PublishingOptions<Item>) {
    this.#options = options;
    this.#movedMs = options.clock.monotonicMs();
  }

  pump(): void {
    const { link, limit, queue, publish } = this.#options;
    for (const item of queue) {
      if (this.#inFlight >= limit || !link.isUp || !link.hasRoom || this.#isStopped) return;
      queue.delete(item);
      const published = publish(item);
      if (published === undefined) continue;
      if (this.#inFlight++ === 0) this.#movedMs = this.#options.clock.monotonicMs();
      published.then(
        (code) => this.#settled(code),
        () => this.#settled(0),
      );
    }
  }

  /** Until aborted; throws when the link is lost. */
  async run(signal: AbortSignal): Promise<void> {
    this.#watch();
    const reason = await untilAborted(signal, this.#options.link.ended);
    this.stop();
    if (reason !== undefined) throw reason;
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  #settled(code: number): void {
    this.#inFlight--;
    this.#movedMs = this.#options.clock.monotonicMs();
    if (isFailure(code) && this.#movedMs - this.#warnedMs > warnEveryMs) {
      this.#warnedMs = this.#movedMs;
      this.#options.log.warn(`the broker rejects published messages: ${codeText(code)}`);
    }
    this.pump();
  }

  #watch(): void {
    const { clock, link } = this.#options;
    if (this.#inFlight > 0 && clock.monotonicMs() - this.#movedMs > stuckMs) {
      link.reset(`the broker has acknowledged nothing for ${stuckMs} ms`);
    }
    this.#cancel = clock.after(stuckMs / 4, () => this.#watch());
  }
}
