// The requests that a scan of one device's points of one period takes, as the device's answers have shaped them: a request
// that it will not answer is split until what is wrong stands alone.
import { quality } from '@telltale/schema';
import type { StackPoint } from '../connector.ts';
import type { PollRequest } from './poller-options.ts';

/** A request that got no usable answer while its device was alive. */
export interface FailedRequest<R> {
  readonly request: R;
  /** Of its points, once they stand alone, and meanwhile. */
  readonly quality: number;
  readonly reason: string;
}

/** A point that the device will not give, asked for again from time to time. */
interface Culprit {
  readonly point: StackPoint;
  retryMs: number;
}

const retryAfterMs = 60_000;
/** A plan that was split is tried whole again: what made the device refuse may have passed. */
const remakeAfterMs = 3_600_000;

export class GroupPlan<R extends PollRequest> {
  readonly #plan: (points: readonly StackPoint[]) => readonly R[];
  /** Of every scan. */
  requests: R[];
  /** Still to be split; tried beside the scans, as far as there is time. */
  failed: FailedRequest<R>[] = [];
  readonly readable: readonly StackPoint[];
  /** For which the stack has no request: their addresses are wrong. */
  readonly unreadable: readonly StackPoint[];
  #culprits: Culprit[] = [];
  /** How many culprits may be tried in one scan: more and more while they turn out well. */
  #retriesAtOnce = 1;
  #culpritsFound = 0;
  #remakeMs = Number.POSITIVE_INFINITY;

  constructor(points: readonly StackPoint[], plan: (points: readonly StackPoint[]) => readonly R[]) {
    this.#plan = plan;
    this.requests = points.length === 0 ? [] : [...plan(points)];
    const planned = new Set(this.requests.flatMap((request) => request.points));
    this.readable = points.filter((point) => planned.has(point));
    this.unreadable = points.filter((point) => !planned.has(point));
  }

  /** Takes requests out of the scans, to be split. */
  takeOut(failed: readonly FailedRequest<R>[]): void {
    if (failed.length === 0) return;
    const taken = new Set(failed.map(({ request }) => request));
    this.requests = this.requests.filter((request) => !taken.has(request));
    this.failed = [...this.failed, ...failed];
  }

  /** The requests to try instead: none where it is of one point, which is a culprit from now on. */
  split({ request: { points } }: FailedRequest<R>, nowMs: number): readonly R[] {
    const [first] = points;
    if (points.length <= 1) {
      if (first !== undefined) this.#culprits.push({ point: first, retryMs: nowMs + retryAfterMs });
      this.#culpritsFound++;
      return [];
    }
    const middle = points.length >> 1;
    return [...this.#plan(points.slice(0, middle)), ...this.#plan(points.slice(middle))];
  }

  /** The parts of a split have been answered, or stand alone: what is good is put together again, but not for ever. */
  settle(nowMs: number): void {
    if (this.failed.length > 0) return;
    if (this.#culpritsFound > 0) this.#remake();
    this.#culpritsFound = 0;
    this.#remakeMs = nowMs + remakeAfterMs;
  }

  /** Before a scan. */
  freshen(nowMs: number): void {
    if (nowMs < this.#remakeMs || this.failed.length > 0) return;
    this.#remake();
    this.#remakeMs = Number.POSITIVE_INFINITY;
  }

  /** The culprits to try in this scan, a request each. */
  retries(nowMs: number): { readonly culprit: StackPoint; readonly request: R }[] {
    const due = this.#culprits.filter(({ retryMs }) => retryMs <= nowMs).slice(0, this.#retriesAtOnce);
    for (const culprit of due) culprit.retryMs = nowMs + retryAfterMs;
    return due.flatMap(({ point }) => this.#plan([point]).map((request) => ({ culprit: point, request })));
  }

  /** How a culprit did. One that answers lets the others be tried soon. */
  retried(point: StackPoint, request: R, isAnswered: boolean): void {
    if (!isAnswered) {
      this.#retriesAtOnce = 1;
      return;
    }
    this.#retriesAtOnce *= 2;
    this.#culprits = this.#culprits.filter((culprit) => culprit.point !== point);
    for (const culprit of this.#culprits) culprit.retryMs = 0;
    if (this.#culprits.length > 0) this.requests.push(request);
    else this.#remake();
  }

  #remake(): void {
    const apart = new Set(this.failed.flatMap(({ request }) => request.points));
    for (const { point } of this.#culprits) apart.add(point);
    const points = this.readable.filter((point) => !apart.has(point));
    this.requests = points.length === 0 ? [] : [...this.#plan(points)];
  }
}

export const refusedQuality = quality.bad.configurationError;
export const silentQuality = quality.bad.communicationFailure;
