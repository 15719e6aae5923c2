// What a site publishes of its items, at a centre: asks for it, notices what was lost, and says whether it is all of it.
import { randomInt } from 'node:crypto';
import type { Batch, Clock } from '@telltale/schema';
import type { BusConnection } from '../connection/bus-connection.ts';
import { BusError } from '../connection/bus-error.ts';
import { type FeedKind, feeds } from '../subjects.ts';
import { decodeFeed, encodeAsk, type FeedDefinition, type FeedMessage, noItem } from './feed-message.ts';

/** Who is told. What it is told is what a site says, which may be anything. */
export interface FeedSink {
  /** False: it is more than is kept of a site, and all that was kept is dropped. */
  define(definitions: readonly FeedDefinition[]): boolean;
  /** There are no others. */
  retain(items: ReadonlySet<number>): void;
  /** As `define`. */
  states(states: Batch): boolean;
  /** All of it is as it is at the site. */
  whole(): void;
  /** What there is counts no longer, but for these, which have come anew. */
  lose(but: ReadonlySet<number>): void;
}

export interface FeedMirrorOptions {
  readonly bus: Pick<BusConnection, 'subscribe' | 'publish'>;
  readonly clock: Clock;
  readonly site: string;
  readonly kind: FeedKind;
  readonly sink: FeedSink;
}

/** Where nothing comes for so long, something was lost: a site says something every second. */
const silentMs = 2500;
/** What was lost is made good within this time, or what there is counts no longer. */
const graceMs = 1000;
/** A site that has had a change for so long, and not sent it, does not keep up. */
const mostBehindMs = 3500;
const checkMs = 500;
/** As often it says that it wants the feed, or that it wants a snapshot. */
const askMs = 1000;
const snapshotAskMs = 500;
/** What is answered later than this counts no longer: everything is at most as old as the word that it answers. */
const mostAgeMs = 4000;
const askedBefore = 16;
/** Of a site: what goes beyond is not mirrored. */
export const mostItems = 1_000_000;
const none: ReadonlySet<number> = new Set();

export class FeedMirror {
  readonly #options: FeedMirrorOptions;
  #leave: (() => Promise<void>) | undefined;
  #cancelCheck = () => {};
  #cancelGrace = () => {};
  #state: 'whole' | 'grace' | 'lost' = 'lost';
  #publication: number | undefined;
  #next = 0;
  /** Of the snapshot that is coming, what has come; undefined: none is. */
  #seen: Set<number> | undefined;
  #heardMs = 0;
  readonly #mirror = randomInt(2 ** 32);
  /** When the last words were said; the newest stands last, and has this number. */
  readonly #askedMs: number[] = [];
  #asked = 0;
  /** When the newest word was said that was heard at the site before it sent what came last. */
  #provenMs = Number.NEGATIVE_INFINITY;

  constructor(options: FeedMirrorOptions) {
    this.#options = options;
  }

  /** What there is counts. */
  get isGood(): boolean {
    return this.#state !== 'lost';
  }

  start(): void {
    const { bus, site, kind } = this.#options;
    this.#leave = bus.subscribe(feeds.of(site, kind), ({ data }) => this.#hear(data));
    this.#check();
  }

  /** What there is counts no longer, and nobody is told anything more. */
  async stop(): Promise<void> {
    this.#cancelCheck();
    const leave = this.#leave;
    this.#leave = undefined;
    this.#forget();
    this.#lost();
    await leave?.();
  }

  #hear(data: Uint8Array): void {
    if (this.#leave === undefined) return;
    const message = decodeFeed(data);
    if (message === undefined || this.#isMissed(message)) {
      this.#lose();
      return;
    }
    this.#prove(message);
    // Late ones, and all behind them, count for nothing.
    if (this.#isOld) {
      this.#lose();
      return;
    }
    this.#heardMs = this.#options.clock.monotonicMs();
    if (message.isFirst) {
      this.#publication = message.publication;
      this.#seen = new Set();
    } else if (message.number < this.#next) return; // it has come before
    this.#next = message.number + 1;
    if (message.behindMs > mostBehindMs) this.#lose();
    else this.#take(message);
  }

  /** The message was sent after the site had heard a word of ours, and so is no older than that. */
  #prove({ heard }: FeedMessage): void {
    const own = heard.find(({ mirror }) => mirror === this.#mirror);
    const saidMs = own && this.#askedMs.at(-1 - (this.#asked - own.number));
    if (own !== undefined && own.number <= this.#asked && saidMs !== undefined) this.#provenMs = saidMs;
  }

  get #isOld(): boolean {
    return this.#options.clock.monotonicMs() - this.#provenMs > mostAgeMs;
  }

  /** Something that was published before it has not come. */
  #isMissed({ isFirst, publication, number }: FeedMessage): boolean {
    return !isFirst && (publication !== this.#publication || number > this.#next);
  }

  #take({ definitions, states, isLast }: FeedMessage): void {
    const { sink } = this.#options;
    for (const [item] of definitions) this.#seen?.add(item);
    // What comes, goes or is another one comes with a snapshot.
    if ((definitions.length > 0 && this.#seen === undefined) || (this.#seen?.size ?? 0) > mostItems) {
      this.#lose();
      return;
    }
    if (this.#state !== 'whole') this.#leaveOutUnseen(states);
    if (!sink.define(definitions) || !sink.states(states)) {
      // Nothing is there that could count for some time yet.
      this.#state = 'lost';
      this.#lose();
      return;
    }
    if (!isLast || this.#seen === undefined) return;
    sink.retain(this.#seen);
    this.#seen = undefined;
    this.#cancelGrace();
    this.#state = 'whole';
    sink.whole();
  }

  /** Behind a loss, a number may be another item's by now; and nothing but a snapshot makes anything count again. */
  #leaveOutUnseen({ points, count }: Batch): void {
    for (let at = 0; at < count; at++) {
      if (this.#seen?.has(points[at] as number) !== true) points[at] = noItem;
    }
  }

  /** Until there is another snapshot. */
  #lose(): void {
    this.#forget();
    if (this.#state === 'lost') this.#lost();
    else if (this.#state === 'whole') {
      this.#state = 'grace';
      this.#cancelGrace = this.#options.clock.after(graceMs, () => this.#lost());
    }
    this.#ask(true);
  }

  #lost(): void {
    this.#cancelGrace();
    this.#state = 'lost';
    this.#options.sink.lose(this.#seen ?? none);
  }

  #forget(): void {
    this.#publication = undefined;
    this.#seen = undefined;
  }

  #check(): void {
    const { clock } = this.#options;
    const nowMs = clock.monotonicMs();
    const isSilent = nowMs - this.#heardMs > silentMs;
    if (this.#publication !== undefined && (isSilent || this.#isOld)) this.#lose();
    else this.#ask(this.#publication === undefined);
    if (this.#state !== 'lost' && this.#isOld) this.#lost();
    this.#cancelCheck = clock.after(checkMs, () => this.#check());
  }

  #ask(wantsSnapshot: boolean): void {
    const { bus, clock, site, kind } = this.#options;
    const nowMs = clock.monotonicMs();
    const lastMs = this.#askedMs.at(-1) ?? Number.NEGATIVE_INFINITY;
    if (nowMs - lastMs < (wantsSnapshot ? snapshotAskMs : askMs)) return;
    this.#askedMs.push(nowMs);
    if (this.#askedMs.length > askedBefore) this.#askedMs.shift();
    const asked = { mirror: this.#mirror, number: ++this.#asked };
    try {
      bus.publish(feeds.ask(site, kind), encodeAsk(asked, wantsSnapshot));
    } catch (error) {
      if (!(error instanceof BusError)) throw error; // it is asked again
    }
  }
}
