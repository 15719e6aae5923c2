// Reads the points of a polling stack in scan groups, an even rhythm each. Devices are independent: what one of them does
// not answer leaves the others alone.
import type { Batch, Clock } from '@telltale/schema';
import type { InstanceDetail, Meter, StackLog, StackPoint } from '../connector.ts';
import { scanPeriodOf } from './scan-period.ts';

/** One request to a device; a stack extends it with what it sends. */
export interface PollRequest {
  readonly points: readonly StackPoint[];
}

export interface PollerOptions<R extends PollRequest> {
  readonly clock: Clock;
  readonly meter: Meter;
  readonly log: StackLog;
  readonly publish: (batch: Batch) => void;
  /** Of points without the property `scanPeriod`. */
  readonly scanPeriodMs: number;
  /** One that does not answer leaves the others alone. */
  readonly deviceOf: (point: StackPoint) => string;
  /**
   * Few requests for many points, all of one device and one scan group. Points that cannot be read at all are left out of
   * every request: they turn bad, configuration error. Also called with some of the points, down to a single one.
   */
  readonly plan: (points: readonly StackPoint[]) => readonly R[];
  /**
   * Reads once, within its own time limit, and adds one reading for every point of the request. Throws `NoAnswer` where
   * the device is silent; `Refused` where it answers that it will not: the request is split until the culprit is alone,
   * which turns bad, configuration error, and is tried again about once a minute; `NotConnected` where the link is lost,
   * which ends `run`, as does anything else. What it has added before it throws does not count.
   */
  readonly read: (request: R, batch: Batch, signal: AbortSignal) => Promise<void>;
  /** Of one device; 1. */
  readonly requestsAtOnce?: number;
  /** Of all devices together, for a line that they share; as many as there are. */
  readonly requestsAtOnceInAll?: number;
}

export class Poller<R extends PollRequest> {
  readonly #options: PollerOptions<R>;

  constructor(options: PollerOptions<R>) {
    this.#options = options;
  }

  /** Also while it runs: everything is planned and read anew at once. */
  setPoints(_measurements: readonly StackPoint[]): void {
    throw new Error('not yet');
  }

  /**
   * For `connect`: resolves when any device has answered one request, if only to refuse it, or where there is nothing to
   * read. Throws `NotConnected` where none has.
   */
  async probe(_signal: AbortSignal): Promise<void> {
    throw new Error('not yet');
  }

  /** Until aborted, then resolves when no request is under way any more; throws what `read` throws but its two. */
  async run(_signal: AbortSignal): Promise<void> {
    throw new Error('not yet');
  }

  detail(): InstanceDetail {
    throw new Error('not yet');
  }

  /** Its period in milliseconds, for `explain`. */
  groupOf(point: StackPoint): number {
    return scanPeriodOf(point, this.#options.scanPeriodMs);
  }
}
