// Counts the requests of a connector, and how long their answers took of late; of a provider, those of its clients.
import type { Meter, ServingMeter } from '../connector.ts';

export interface RequestCounts {
  requests: number;
  requestsFailed: number;
  overruns: number;
  /** How often a client of a provider had to wait, since it, or all together, asked more often than allowed. */
  held: number;
  /** Messages to us that nobody has looked at: more came than could be stored until it was their turn. */
  unread: number;
}

export function zeroRequestCounts(): RequestCounts {
  return { requests: 0, requestsFailed: 0, overruns: 0, held: 0, unread: 0 };
}

export interface RoundTrip {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Round trips are kept for one to two of these. */
const windowMs = 30_000;
/** Eight a doubling, from a microsecond on: within 9 % of the truth. */
const bucketsADoubling = 8;
const buckets = 32 * bucketsADoubling;

export class RequestMeter implements Meter, ServingMeter {
  readonly counts: RequestCounts = zeroRequestCounts();
  readonly #nowMs: () => number;
  #before = new Uint32Array(buckets);
  #present = new Uint32Array(buckets);
  #turnMs: number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#turnMs = nowMs() + windowMs;
  }

  answered(roundTripMs: number): void {
    this.counts.requests++;
    this.#turn();
    const doublings = Math.log2(Math.max(1, roundTripMs * 1000));
    const bucket = Math.min(buckets - 1, Math.floor(doublings * bucketsADoubling));
    this.#present[bucket] = (this.#present[bucket] as number) + 1;
  }

  failed(): void {
    this.counts.requests++;
    this.counts.requestsFailed++;
  }

  overrun(): void {
    this.counts.overruns++;
  }

  served(): void {
    this.counts.requests++;
  }

  held(): void {
    this.counts.held++;
  }

  unread(count: number): void {
    this.counts.unread += count;
  }

  /** Undefined where nothing was answered of late. */
  roundTrip(): RoundTrip | undefined {
    this.#turn();
    let total = 0;
    for (let at = 0; at < buckets; at++) total += this.#count(at);
    if (total === 0) return undefined;
    return { p50Ms: this.#quantile(0.5 * total), p99Ms: this.#quantile(0.99 * total) };
  }

  #quantile(rank: number): number {
    let below = 0;
    let at = 0;
    while (at < buckets - 1 && below + this.#count(at) < rank) below += this.#count(at++);
    return 2 ** ((at + 0.5) / bucketsADoubling) / 1000;
  }

  #count(bucket: number): number {
    return (this.#before[bucket] as number) + (this.#present[bucket] as number);
  }

  #turn(): void {
    const passedMs = this.#nowMs() - this.#turnMs;
    if (passedMs < 0) return;
    const isLong = passedMs >= windowMs;
    [this.#before, this.#present] = [this.#present, this.#before.fill(0)];
    if (isLong) this.#before.fill(0);
    this.#turnMs = this.#nowMs() + windowMs;
  }
}
