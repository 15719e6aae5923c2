// The subscriptions of one connection after the other: brought in line with what is wanted, as often as that changes.
import type { Clock } from '@telltale/schema';
import { NotConnected } from '@telltale/stack-kit';
import type { BrokerLink } from './broker-link.ts';

export interface SubscriptionsOptions {
  readonly clock: Clock;
  readonly qos: 0 | 1 | 2;
  /** In the order in which they are made. */
  readonly wanted: () => Iterable<string>;
  readonly onRefused: (subscription: string, why: string) => void;
}

/** What the broker has refused is asked for again after so long. */
const refusedAgainMs = 60_000;

export class Subscriptions {
  /** Why the broker will not. */
  readonly refused = new Map<string, string>();
  readonly #options: SubscriptionsOptions;
  readonly #made = new Set<string>();
  readonly #again = new Set<string>();
  #link: BrokerLink | undefined;
  #isSyncing = false;
  #cancel = () => {};

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  has(subscription: string): boolean {
    return this.#made.has(subscription);
  }

  /** The next `sync` subscribes again, so that its retained messages are sent again. */
  renew(subscription: string): void {
    this.#again.add(subscription);
  }

  /** Over a new connection. Throws where it is lost. */
  async begin(link: BrokerLink): Promise<void> {
    this.#link = link;
    this.#made.clear();
    this.#again.clear();
    this.refused.clear();
    await this.#sync();
  }

  end(): void {
    this.#link = undefined;
    this.#cancel();
  }

  /** The wanted subscriptions have changed. A connection that is lost meanwhile is reported elsewhere. */
  changed(): void {
    if (this.#link !== undefined) this.#sync().catch(() => undefined);
  }

  async #sync(): Promise<void> {
    if (this.#isSyncing) return;
    this.#isSyncing = true;
    try {
      while (await this.#syncOnce());
    } finally {
      this.#isSyncing = false;
    }
  }

  /** Returns whether there was something to do. */
  async #syncOnce(): Promise<boolean> {
    const { qos, wanted: asked } = this.#options;
    const link = this.#link;
    if (link === undefined) throw new NotConnected('the broker is not connected');
    const wanted = new Set(asked());
    const gone = [...this.#made].filter((each) => !wanted.has(each));
    const added = [...wanted].filter((each) => !this.#made.has(each) || this.#again.has(each));
    this.#again.clear();
    for (const each of gone) this.#made.delete(each);
    for (const each of added) this.#made.add(each);
    if (gone.length > 0) await link.unsubscribe(gone);
    const refused = await link.subscribe(added, qos);
    for (const each of [...gone, ...added]) this.refused.delete(each);
    for (const [each, why] of refused) this.#refuse(each, why);
    return gone.length + added.length > 0;
  }

  #refuse(subscription: string, why: string): void {
    const { clock, onRefused } = this.#options;
    this.refused.set(subscription, why);
    onRefused(subscription, why);
    this.#cancel();
    this.#cancel = clock.after(refusedAgainMs, () => {
      for (const each of this.refused.keys()) this.#made.delete(each);
      this.changed();
    });
  }
}
