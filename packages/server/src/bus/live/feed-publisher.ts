// Publishes the present states of the items of a site while somebody wants them: a snapshot, then what has changed, the newest of each.
// Nobody who is slow holds it up: what changes meanwhile goes with the next message.
import { randomInt } from 'node:crypto';
import { Batch, type Clock } from '@telltale/schema';
import type { BusConnection } from '../connection/bus-connection.ts';
import { type FeedKind, feeds } from '../subjects.ts';
import { decodeAsk, encodeFeed, type FeedDefinition, mostBytes } from './feed-message.ts';

export interface FeedSource {
  /** The numbers of all items. */
  items(): Iterable<number>;
  /** What it is, for JSON; undefined: it is gone. */
  definitionOf(item: number): object | undefined;
  /** Adds its present state to the batch, under its number. */
  write(item: number, batch: Batch): void;
}

export interface FeedPublisherOptions {
  readonly bus: Pick<BusConnection, 'subscribe' | 'publish' | 'flushed' | 'mostBytes'>;
  readonly clock: Clock;
  readonly site: string;
  readonly kind: FeedKind;
  readonly source: FeedSource;
}

/** Whoever wants it says so every second. */
const wantedMs = 15_000;
const tickMs = 200;
/** Where nothing changes: so that a message that was lost is noticed. */
const idleMs = 1000;
/** However many ask. */
const snapshotPauseMs = 2000;
/** Mirrors of one feed that are answered: more centres than there are. */
const mostHeard = 32;
/** Items of a message; fewer where they are long. */
const mostItems = 256;

export class FeedPublisher {
  readonly #options: FeedPublisherOptions;
  #leave: (() => Promise<void>) | undefined;
  #cancel = () => {};
  #untilMs = Number.NEGATIVE_INFINITY;
  #isOpen = false;
  #publication = 0;
  #number = 0;
  #sentMs = 0;
  #wantsSnapshot = false;
  #snapshotMs = Number.NEGATIVE_INFINITY;
  /** Of the snapshot that is under way. */
  #left: Iterator<number> | undefined;
  readonly #changed = new Set<number>();
  /** Of each mirror, its last word; those heard last stand last. */
  readonly #heard = new Map<number, number>();
  /** Since when something of `changed` has waited. */
  #behindMs = 0;

  constructor(options: FeedPublisherOptions) {
    this.#options = options;
  }

  /** Somebody wants it now. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  start(): void {
    const { bus, site, kind } = this.#options;
    this.#leave = bus.subscribe(feeds.ask(site, kind), ({ data }) => this.#hear(data));
  }

  async stop(): Promise<void> {
    this.#close();
    await this.#leave?.();
  }

  /** The state of an item is another one. */
  changed(item: number): void {
    if (this.#isOpen) this.#changed.add(item);
  }

  changedAll({ handles, count }: { readonly handles: Uint32Array; readonly count: number }): void {
    if (!this.#isOpen) return;
    for (let at = 0; at < count; at++) this.#changed.add(handles[at] as number);
  }

  /** An item came, went, or is another one: all is published again. */
  defined(): void {
    if (!this.#isOpen) return;
    this.#left = undefined;
    this.#wantsSnapshot = true;
  }

  #hear(data: Uint8Array): void {
    const asked = decodeAsk(data);
    if (asked === undefined) return;
    const { mirror, number, wantsSnapshot } = asked;
    this.#heard.delete(mirror);
    this.#heard.set(mirror, number);
    const [oldest] = this.#heard.keys();
    if (this.#heard.size > mostHeard && oldest !== undefined) this.#heard.delete(oldest);
    this.#asked(wantsSnapshot);
  }

  #asked(wantsSnapshot: boolean): void {
    this.#untilMs = this.#options.clock.monotonicMs() + wantedMs;
    if (this.#isOpen) {
      // One that is under way has begun without whoever asks now.
      this.#wantsSnapshot ||= wantsSnapshot;
      return;
    }
    this.#isOpen = true;
    this.#behindMs = this.#options.clock.monotonicMs();
    this.#publication = randomInt(2 ** 32);
    this.#number = 0;
    this.#wantsSnapshot = true;
    this.#snapshotMs = Number.NEGATIVE_INFINITY;
    void this.#tick();
  }

  #close(): void {
    this.#cancel();
    this.#isOpen = false;
    this.#left = undefined;
    this.#changed.clear();
    this.#heard.clear();
  }

  /** The next one comes when the server of the bus has taken what this one has sent. */
  async #tick(): Promise<void> {
    const { clock, bus } = this.#options;
    const beganMs = clock.monotonicMs();
    if (beganMs > this.#untilMs) {
      this.#close();
      return;
    }
    try {
      this.#publishNext(beganMs);
      await bus.flushed();
    } catch {
      // The bus is lost: whoever wants it later asks again, and gets a snapshot of another publication.
      this.#close();
      return;
    }
    if (!this.#isOpen) return;
    const waitMs = this.#left === undefined ? tickMs - (clock.monotonicMs() - beganMs) : 0;
    this.#cancel = clock.after(waitMs, () => void this.#tick());
  }

  /** What changes while a snapshot is under way goes beside it: what was sent of it stays as new as the rest. */
  #publishNext(nowMs: number): void {
    const begins = this.#left === undefined && this.#wantsSnapshot && nowMs - this.#snapshotMs >= snapshotPauseMs;
    if (begins) {
      this.#wantsSnapshot = false;
      this.#snapshotMs = nowMs;
      this.#left = this.#options.source.items()[Symbol.iterator]();
    }
    if (this.#left !== undefined) this.#publishItems(this.#left, true, begins);
    if (this.#changed.size > 0) this.#publishItems(this.#takeChanged(), false, false);
    else if (nowMs - this.#sentMs >= idleMs) this.#publish([], new Batch(), false, false);
    if (this.#changed.size === 0) this.#behindMs = nowMs;
  }

  *#takeChanged(): Generator<number> {
    for (const item of this.#changed) {
      this.#changed.delete(item);
      yield item;
    }
  }

  /** As many as fit; the next tick goes on. */
  #publishItems(items: Iterator<number>, isSnapshot: boolean, isFirst: boolean): void {
    const { source } = this.#options;
    const definitions: FeedDefinition[] = [];
    const states = new Batch();
    const mostTexts = Math.min(this.#options.bus.mostBytes, mostBytes) / 4;
    let texts = 0;
    while (states.count < mostItems && texts < mostTexts) {
      const { done, value: item } = items.next();
      if (done === true) {
        if (isSnapshot) this.#left = undefined;
        this.#publish(definitions, states, isFirst, isSnapshot);
        return;
      }
      const definition = source.definitionOf(item);
      if (definition === undefined) continue;
      if (isSnapshot) {
        definitions.push([item, definition]);
        texts += lengthOf(definition);
      }
      source.write(item, states);
      texts += 3 * (states.texts[states.count - 1]?.length ?? 0);
    }
    this.#publish(definitions, states, isFirst, false);
  }

  #publish(definitions: readonly FeedDefinition[], states: Batch, isFirst: boolean, isLast: boolean): void {
    const { bus, clock, site, kind } = this.#options;
    const message = encodeFeed({
      publication: this.#publication,
      number: this.#number++,
      isFirst,
      isLast,
      behindMs: this.#changed.size === 0 ? 0 : clock.monotonicMs() - this.#behindMs,
      heard: Array.from(this.#heard, ([mirror, number]) => ({ mirror, number })),
      definitions,
      states,
    });
    bus.publish(feeds.of(site, kind), message);
    this.#sentMs = clock.monotonicMs();
  }
}

/** In bytes, at the most. */
function lengthOf(definition: object): number {
  return 3 * JSON.stringify(definition).length;
}
