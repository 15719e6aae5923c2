// What a stack gives its poller: how to plan requests, and how to carry one out.
import type { Batch, Clock } from '@telltale/schema';
import type { Meter, StackLog, StackPoint } from '../connector.ts';

/** One request to a device; a stack extends it with what it sends. */
export interface PollRequest {
  readonly points: readonly StackPoint[];
}

export interface PollerOptions<R extends PollRequest> {
  readonly clock: Clock;
  readonly meter: Omit<Meter, 'unread'>;
  readonly log: StackLog;
  readonly publish: (batch: Batch) => void;
  /** A device that is silent is asked again after this long at most, where the line has room; as `ConnectorOptions` has it. */
  readonly reconnectMaxMs: number;
  /** 0 to 1; where it is not given, by chance. */
  readonly random?: () => number;
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
