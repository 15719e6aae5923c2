// Connectors and providers as in version 1, made from the state of the host.
import {
  type DeviceStatus,
  type ForwardingStatus,
  type InstanceState,
  type LiveConnector,
  type LiveProvider,
  type ScanGroupStatus,
  type Timestamp,
  toTimestamp,
} from '@telltale/schema';
import type { QualityCounts } from '../../points/index.ts';
import type { InstanceStatus } from '../../stacks/index.ts';

type StackDetail = InstanceStatus['detail'];

export function stateOf({ name, state, sinceUs, lastError, disabled }: InstanceStatus): InstanceState {
  return {
    name,
    state,
    since: timeOf(sinceUs),
    'last-error': lastError === undefined ? null : { text: lastError.text, t: timeOf(lastError.timeUs) },
    disabled:
      disabled === undefined ? null : { by: disabled.by, t: timeOf(disabled.timeUs), reason: disabled.reason ?? null },
  };
}

export function liveConnector(status: InstanceStatus, points: QualityCounts): LiveConnector {
  const { counters, roundTrip, detail } = status;
  return {
    ...commonOf(status),
    'requests-per-second': rounded(status.requestsPerSecond),
    'round-trip': roundTrip === undefined ? null : { p50: rounded(roundTrip.p50Ms), p99: rounded(roundTrip.p99Ms) },
    overruns: counters.overruns,
    counters: {
      ...commonCounters(status),
      dropped: counters.dropped,
      'writes-accepted': counters.writesAccepted,
      'writes-refused': counters.writesRefused,
      'writes-timed-out': counters.writesTimedOut,
      'writes-not-connected': counters.writesNotConnected,
      requests: counters.requests,
      'requests-failed': counters.requestsFailed,
      unread: counters.unread,
    },
    points,
    devices: detail.devices.map(deviceOf),
    'scan-groups': detail.scanGroups.map(
      ({ periodMs, tookMs, ...group }): ScanGroupStatus => ({
        period: rounded(periodMs),
        points: group.points,
        requests: group.requests,
        scans: group.scans,
        overruns: group.overruns,
        took: tookMs === undefined ? null : rounded(tookMs),
      }),
    ),
    'left-out': detail.leftOut,
  };
}

export function liveProvider(status: InstanceStatus, points: QualityCounts): LiveProvider {
  const { requests, held, unread } = status.counters;
  return {
    ...commonOf(status),
    counters: { ...commonCounters(status), requests, held, unread },
    points,
    clients: status.detail.clients ?? null,
    devices: status.detail.devices.map(deviceOf),
    forwarding: forwardingOf(status.detail.forwarding),
  };
}

function deviceOf({ name, isUp, sinceUs, lastError }: StackDetail['devices'][number]): DeviceStatus {
  return { name, state: isUp ? 'up' : 'down', since: timeOf(sinceUs), 'last-error': lastError ?? null };
}

function forwardingOf(given: StackDetail['forwarding']): ForwardingStatus | null {
  if (given === undefined) return null;
  const { sent, givenUp, waitingSinceUs } = given;
  return { sent, 'given-up': givenUp, 'waiting-since': waitingSinceUs === undefined ? null : timeOf(waitingSinceUs) };
}

/** The time of a stack may be invalid; then the epoch is shown, as where there never was a time. */
export function timeOf(us: number): Timestamp {
  const whole = Math.round(us);
  return toTimestamp(Number.isSafeInteger(whole) && whole >= 0 ? whole : 0);
}

function commonOf(status: InstanceStatus) {
  const { name, state, since, 'last-error': lastError, disabled } = stateOf(status);
  return {
    name,
    stack: status.stackName,
    state,
    since,
    'last-error': lastError,
    disabled,
    thread: status.thread,
    'values-per-second': rounded(status.valuesPerSecond),
  };
}

function commonCounters({ counters: { values, batches, connects, errors, conflated } }: InstanceStatus) {
  return { values, batches, connects, errors, conflated };
}

/** More than three decimals are of no use; and figures of a stack are never negative. */
export function rounded(number: number): number {
  return Math.max(0, number > 1e12 ? Math.round(number) : Math.round(number * 1000) / 1000);
}
