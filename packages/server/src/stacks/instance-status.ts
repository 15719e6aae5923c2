// What is known of a connector or provider that is configured to run, for the people who look after it.
import type { ConnectionStatus, Counters, RequestCounts, Role, RoundTrip, StackDetail } from '@telltale/stack-kit/host';
import type { DisabledLink } from '../points/index.ts';

export type InstanceCounters = Counters & RequestCounts;

/** As its thread reports it. */
export interface InstanceReport extends ConnectionStatus {
  readonly counters: InstanceCounters;
  readonly points: number;
  /** Over the last 10 s or so. */
  readonly valuesPerSecond: number;
  readonly requestsPerSecond: number;
  /** Of the last half minute or so; undefined where nothing was answered. */
  readonly roundTrip: RoundTrip | undefined;
  /** The shortest of its measurements; undefined where devices report some of them by themselves. */
  readonly scanPeriodMs: number | undefined;
  /** What the stack reported about itself, empty where it reported nothing. */
  readonly detail: StackDetail;
}

/** `disabled`: it does not run until somebody enables it. */
export type InstanceState = ConnectionStatus['state'] | 'disabled';

/** The counters are over all its starts. */
export interface InstanceStatus extends Omit<InstanceReport, 'state'> {
  readonly state: InstanceState;
  /** Undefined while it is in service. */
  readonly disabled: DisabledLink | undefined;
  readonly role: Role;
  readonly name: string;
  readonly stackName: string;
  /** The number of its thread, from 1 on. */
  readonly thread: number;
  /** When its thread answered last; undefined while it answers. */
  readonly silentSinceUs: number | undefined;
}

/** On each change of the state; undefined: it is not configured any more. */
export type StateListener = (role: Role, name: string, status: InstanceStatus | undefined) => void;
