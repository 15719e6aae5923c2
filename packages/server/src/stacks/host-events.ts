// The events that the stack host sends to the rest of the server, and what it asks of it.
import type { Batch, Value } from '@telltale/schema';
import type { DeviceAlarmState, PastOutcome, UserCredentials } from '@telltale/stack-kit';
import type { Role } from '@telltale/stack-kit/host';
import type { Silence } from '../points/index.ts';
import type { HistoryAsked } from './protocol.ts';
import type { ProviderSession } from './provider-users.ts';

export interface InstanceName {
  readonly role: Role;
  readonly name: string;
}

/** Called one at a time, in the order in which things happened to a connector or provider. */
export interface HostEvents {
  /** Readings of a connector whose link is up; the batch is there until it returns, and not after. */
  readings(connector: string, batch: Batch): void;
  /** What alarms of a connector's devices have become, in order. */
  deviceAlarms(connector: string, states: readonly DeviceAlarmState[]): void;
  /**
   * On each change between up and not up, and when the first attempt has failed: readings from before a loss come
   * before it, and none of that link after it. A provider that came up expects the present values of all its points by
   * `publish`, and the states of its alarms.
   */
  link(role: Role, name: string, up: boolean, reason: string, timeUs: number): void;
  /**
   * Nothing is heard of an instance that is up, since its thread does not answer; undefined: it answers again, and all is as
   * it was, except for what was read meanwhile. Reported again where it is silent again. A change of the link ends it.
   */
  silent(role: Role, name: string, silence: Silence | undefined, timeUs: number): void;
  /** A client of a provider writes a command. A `ProblemError` becomes the refusal that the client sees. */
  providerWrite(provider: string, commandId: number, value: Value, user?: number): Promise<void>;
  /** A client of a provider acknowledges an alarm; as `providerWrite`. */
  providerAcknowledge(provider: string, alarm: string, authority: string, user?: number): Promise<void>;
  /**
   * A client of a provider signs in as a user of the service. It writes and acknowledges as `user`, its session, until that is
   * signed out, or ended by `endUser`; or the provider is down. A `ProblemError` refuses it.
   */
  providerSignIn(provider: string, credentials: UserCredentials): Promise<ProviderSession>;
  providerSignOut(provider: string, session: number): void;
  /** A provider reads the archive of one of its points: frames of columns, cut off where there are too many. */
  providerHistory(provider: string, asked: HistoryAsked, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>[]>;
  /** Readings that the device of a connector has kept; resolves when they are archived. The batch is there until then. */
  pastReadings(connector: string, batch: Batch): Promise<PastOutcome>;
  /** The newest few records of measurements of a connector, as frames of columns. */
  newestRecords(
    connector: string,
    measurementIds: readonly number[],
    signal: AbortSignal,
  ): Promise<Uint8Array<ArrayBuffer>[]>;
  /** A new thread replaces a dead one: these are started again and need their points and alarms. */
  restarted(instances: readonly InstanceName[]): void;
}

/** Of a receiver that is made later than the host that sends them. */
export function eventsTo(receiver: () => HostEvents): HostEvents {
  return {
    readings: (...readings) => receiver().readings(...readings),
    deviceAlarms: (...alarms) => receiver().deviceAlarms(...alarms),
    link: (...link) => receiver().link(...link),
    silent: (...silence) => receiver().silent(...silence),
    providerWrite: (...write) => receiver().providerWrite(...write),
    providerAcknowledge: (...acknowledge) => receiver().providerAcknowledge(...acknowledge),
    providerSignIn: (...asked) => receiver().providerSignIn(...asked),
    providerSignOut: (...session) => receiver().providerSignOut(...session),
    providerHistory: (...asked) => receiver().providerHistory(...asked),
    pastReadings: (...past) => receiver().pastReadings(...past),
    newestRecords: (...asked) => receiver().newestRecords(...asked),
    restarted: (instances) => receiver().restarted(instances),
  };
}
