// What a site publishes of its items, at a centre: asks for it, notices what was lost, and says whether it is all of it.
import type { Batch, Clock } from '@telltale/schema';
import type { BusConnection } from '../connection/bus-connection.ts';
import { BusError } from '../connection/bus-error.ts';
import { type FeedKind, feeds } from '../subjects.ts';
import { decodeFeed, type FeedDefinition, type FeedMessage } from './feed-message.ts';
import { wantedMs } from './feed-publisher.ts';

/** Who is told. What it is told is what a site says, which may be anything. */
export interface FeedSink {
  define(definitions: readonly FeedDefinition[]): void;
  /** There are no others. */
  retain(items: ReadonlySet<number>): void;
  states(states: Batch): void;
  /** All of it is there, as it is at the site; or something is missing. */
  setWhole(isWhole: boolean): void;
}

export interface FeedMirrorOptions {
  readonly bus: Pick<BusConnection, 'subscribe' | 'publish'>;
  readonly clock: Clock;
  readonly site: string;
  readonly kind: FeedKind;
  readonly sink: FeedSink;
}

/** Where nothing comes for so long, something was lost: a site says something every second. */
const silentMs = 3000;
const checkMs = 1000;
/** Of a site: what goes beyond is not mirrored. */
const mostItems = 1_000_000;

export class FeedMirror {
  readonly #options: FeedMirrorOptions;
  #leave: (() => Promise<void>) | undefined;
  #cancel = () => {};
  #publication: number | undefined;
  #next = 0;
  #isWhole = false;
  /** Of the snapshot that is coming; undefined: none is. */
  #seen: Set<number> | undefined;
  #heardMs = 0;
  #askedMs = Number.NEGATIVE_INFINITY;

  constructor(options: FeedMirrorOptions) {
    this.#options = options;
  }

  get isWhole(): boolean {
    return this.#isWhole;
  }

  start(): void {
    const { bus, site, kind } = this.#options;
    this.#leave = bus.subscribe(feeds.of(site, kind), ({ data }) => this.#hear(data));
    this.#check();
  }

  /** Nobody is told anything more. */
  async stop(): Promise<void> {
    this.#cancel();
    const leave = this.#leave;
    this.#leave = undefined;
    this.#publication = undefined;
    this.#seen = undefined;
    this.#setWhole(false);
    await leave?.();
  }

  #hear(data: Uint8Array): void {
    if (this.#leave === undefined) return;
    const message = decodeFeed(data);
    if (message === undefined || this.#isMissed(message)) {
      this.#lose();
      return;
    }
    this.#heardMs = this.#options.clock.monotonicMs();
    if (message.isFirst) {
      this.#publication = message.publication;
      this.#seen = new Set();
    } else if (message.number < this.#next) return; // it has come before
    this.#next = message.number + 1;
    this.#take(message);
  }

  /** Something that was published before it has not come. */
  #isMissed({ isFirst, publication, number }: FeedMessage): boolean {
    return !isFirst && (publication !== this.#publication || number > this.#next);
  }

  #take({ definitions, states, isLast }: FeedMessage): void {
    const { sink } = this.#options;
    // Something between was lost: what comes is of no use before there is a snapshot.
    if (this.#seen === undefined && !this.#isWhole) return;
    for (const [item] of definitions) this.#seen?.add(item);
    if ((this.#seen?.size ?? 0) > mostItems) {
      this.#lose();
      return;
    }
    if (definitions.length > 0) sink.define(definitions);
    if (states.count > 0) sink.states(states);
    if (!isLast || this.#seen === undefined) return;
    sink.retain(this.#seen);
    this.#seen = undefined;
    this.#setWhole(true);
  }

  /** Until there is another snapshot. */
  #lose(): void {
    this.#publication = undefined;
    this.#seen = undefined;
    this.#setWhole(false);
    this.#ask(true);
  }

  #setWhole(isWhole: boolean): void {
    if (this.#isWhole === isWhole) return;
    this.#isWhole = isWhole;
    this.#options.sink.setWhole(isWhole);
  }

  #check(): void {
    const { clock } = this.#options;
    const nowMs = clock.monotonicMs();
    if (this.#isWhole && nowMs - this.#heardMs > silentMs) this.#lose();
    else if (!this.#isWhole && this.#seen === undefined) this.#ask(true);
    else if (nowMs - this.#heardMs > silentMs) this.#lose();
    else if (nowMs - this.#askedMs > wantedMs / 3) this.#ask(false);
    this.#cancel = clock.after(checkMs, () => this.#check());
  }

  #ask(wantsSnapshot: boolean): void {
    const { bus, clock, site, kind } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#askedMs < checkMs / 2) return;
    this.#askedMs = nowMs;
    try {
      bus.publish(feeds.ask(site, kind), wantsSnapshot ? 'snapshot' : '');
    } catch (error) {
      if (!(error instanceof BusError)) throw error; // it is asked again
    }
  }
}
