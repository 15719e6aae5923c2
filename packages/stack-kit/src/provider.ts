// What a provider of a stack is: it serves points to clients, and passes on what these write and acknowledge.
import type { Batch, Value } from '@telltale/schema';
import type {
  CommandWrite,
  InstanceDetail,
  InstanceOptions,
  ServingMeter,
  StackPoint,
  StackPoints,
} from './connector.ts';
import type { ProviderHistory } from './history.ts';
import type { WriteResult } from './write-result.ts';

export interface ProviderOptions<Variables> extends InstanceOptions<Variables> {
  readonly meter: ServingMeter;
  /**
   * Writes a command for a client of the provider, as PUT /commands/:name does, and says how that ended; it never throws.
   * What the client is told must not say more: where the end is unknown, the device may have the value. `user`: who of the
   * users of the service the client has signed in as.
   */
  readonly write: (command: StackPoint, value: Value, user?: ProviderUser) => Promise<WriteResult>;
  /**
   * As `write`, for several that a client wrote together: those of one connector reach it together. The results in their
   * order.
   */
  readonly writeMany: (writes: readonly CommandWrite<StackPoint>[]) => Promise<readonly WriteResult[]>;
  /** Acknowledges an alarm for a client of the provider; ends as `write` does. */
  readonly acknowledge: (alarm: StackAlarm, authority: string, user?: ProviderUser) => Promise<WriteResult>;
  /** Signs a client in as a user of the service. Rejects with `Refused`: the reason is for the log, never for the client. */
  readonly signIn: (credentials: UserCredentials) => Promise<ProviderUser>;
  /** The archive of the points that it serves. */
  readonly history: ProviderHistory;
}

/** What a client brings. It must have been encrypted on its way. */
export interface UserCredentials {
  readonly user: string;
  readonly password: string;
  /** The address of the client. */
  readonly source: string;
  /** By what its program is known again, such as the fingerprint of its certificate: it is then counted apart from who guesses. */
  readonly device?: string;
}

/** A user of the service as whom a client has signed in. What it may write and acknowledge is the server's to decide. */
export interface ProviderUser {
  readonly name: string;
  readonly seesEverything: boolean;
  /** What it may not see, it finds not there. */
  maySee(object: Pick<StackPoint, 'name' | 'area'>): boolean;
  /** Aborted when it may not go on as what it signed in as: the session of the client is to be ended at once. */
  readonly ended: AbortSignal;
  /** The session of the client has ended. */
  signOut(): void;
}

/** An alarm of a measurement that the provider serves: its trigger, or what the alarm of a device is about. */
export interface StackAlarm {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  /** 0 is the most severe. */
  readonly severity: number;
  /** The id of the measurement among the provider's. */
  readonly measurement: number;
  readonly area?: string;
}

export interface StackAlarmState {
  /** Of the alarm. */
  readonly id: number;
  readonly isActive: boolean;
  readonly isAcknowledged: boolean;
  /** Of the last transition. */
  readonly timeUs: number;
  readonly authority: string;
  /** What its device has said, where no description is configured. */
  readonly message?: string;
}

export interface Provider {
  /** Before the first `connect`, and again whenever the points have changed; their present values follow by `publish`. */
  setPoints(points: StackPoints): void;
  /** Starts serving: listens, or connects to the peer that is served. */
  connect(signal: AbortSignal): Promise<void>;
  /** Serves until the signal is aborted, then resolves; throws when it cannot go on. */
  run(signal: AbortSignal): Promise<void>;
  /**
   * New values of points, measurements and commands alike, by id. The batch is there until it returns, and not after. A
   * command that was never written is bad, of time 0: clients are not to be shown a value of it. `ServedPoints` has none.
   */
  publish(batch: Batch): void;
  /** As `setPoints`, after it; the states of all of them follow by `publishAlarms`. */
  setAlarms?(alarms: readonly StackAlarm[]): void;
  publishAlarms?(states: readonly StackAlarmState[]): void;
  close(): Promise<void>;
  /** Asked about once a second. */
  detail?(): InstanceDetail;
}
