// What a connector and a provider of a stack are: the contract between a protocol and the host that runs it. The host
// owns reconnection, timeouts, quality on loss, the watchdog measurement and counters; a stack only speaks its protocol.
import type { Batch, Clock, Datatype, Value } from '@telltale/schema';

/** A point as its stack sees it. */
export interface StackPoint {
  /** Given by the host; batches and writes name the point by it. */
  readonly id: number;
  readonly name: string;
  readonly address: string;
  /** What the device speaks at this address: the raw datatype of a connector's point, the datatype of a provider's. */
  readonly datatype: Datatype;
  readonly properties: Readonly<Record<string, string>>;
}

export interface StackCommand extends StackPoint {
  /**
   * The value last written, or the configured initial one, in the raw datatype; undefined where there is none. A stack
   * whose device forgets when it restarts may begin with it; others leave it alone.
   */
  readonly last: Value | undefined;
}

export interface StackPoints {
  readonly measurements: readonly StackPoint[];
  readonly commands: readonly StackCommand[];
}

export interface StackLog {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export interface ConnectorOptions<Variables> {
  /** The name of the connector. */
  readonly name: string;
  readonly variables: Variables;
  readonly clock: Clock;
  readonly log: StackLog;
  /**
   * Hands readings on, many at once. The batch is taken: it is empty afterwards and can be filled again. A reading is in
   * the raw datatype; what does not fit, the server turns bad. Readings of points that are gone are passed over.
   */
  readonly publish: (batch: Batch) => void;
}

/** Made by the stack, touched by the host alone. Nothing here touches the network before `connect`. */
export interface Connector {
  /**
   * Before the first `connect`, and again whenever the points have changed, while it runs as well: the link stays. The
   * present value of every measurement is published anew soon after.
   */
  setPoints(points: StackPoints): void;
  /** Makes the link. Throws `NotConnected`, `BackOff` or `Fatal`. */
  connect(signal: AbortSignal): Promise<void>;
  /** Reads and publishes until the signal is aborted, then resolves; throws when the link is lost. */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Writes once and resolves when the device has accepted it. Throws `Refused` where the device says no, `NotConnected`
   * where nothing was sent; anything else, the reason of the signal included, means that the device may have it. Never
   * tries again, never keeps a write for later. The signal is aborted when nobody waits for the answer any more.
   */
  write(command: StackCommand, value: Value, signal: AbortSignal): Promise<void>;
  /** After `run` has ended, whether `connect` worked or not: gives everything back. May be connected again. */
  close(): Promise<void>;
}

export interface ProviderOptions<Variables> {
  /** The name of the provider. */
  readonly name: string;
  readonly variables: Variables;
  readonly clock: Clock;
  readonly log: StackLog;
  /**
   * Writes a command for a client of the provider, as PUT /commands/:name does. Throws `Refused`, with the reason for
   * the client.
   */
  readonly write: (command: StackPoint, value: Value) => Promise<void>;
}

export interface Provider {
  /** Before the first `connect`, and again whenever the points have changed; their present values follow by `publish`. */
  setPoints(points: StackPoints): void;
  /** Begins to serve: listens, or connects to whoever is served. */
  connect(signal: AbortSignal): Promise<void>;
  /** Serves until the signal is aborted, then resolves; throws when it cannot go on. */
  run(signal: AbortSignal): Promise<void>;
  /** New values of points, measurements and commands alike, by id. */
  publish(batch: Batch): void;
  close(): Promise<void>;
}

/** The device cannot be reached, or the link to it is lost. The host tries again by and by. */
export class NotConnected extends Error {
  override readonly name: string = 'NotConnected';
}

/** As `NotConnected`, but the device asks to be left alone for a while. */
export class BackOff extends NotConnected {
  override readonly name = 'BackOff';
  readonly ms: number;

  constructor(ms: number, reason: string) {
    super(reason);
    this.ms = ms;
  }
}

/** The device has said no; the reason is for the person who wrote. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** It will not work however often it is tried, until the configuration changes. */
export class Fatal extends Error {
  override readonly name = 'Fatal';
}
