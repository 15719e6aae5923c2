// What a connector of a stack is, and what both it and a provider have: the contract between a protocol and the host that runs it. The host
// owns reconnection, timeouts, quality on loss, the watchdog measurement and counters; a stack only speaks its protocol.
import type { Batch, Clock, Datatype, Value } from '@telltale/schema';
import type { ConnectorHistory } from './history.ts';
import type { ServingTurns } from './serve/serving-turns.ts';
import type { WriteResult } from './write-result.ts';

/** A point as its stack sees it. */
export interface StackPoint {
  /** Given by the host; batches and writes name the point by it. */
  readonly id: number;
  readonly name: string;
  readonly address: string;
  /** What the device speaks at this address: the raw datatype of a connector's point, the datatype of a provider's. */
  readonly datatype: Datatype;
  readonly properties: Readonly<Record<string, string>>;
  /** As configured, of a provider's points alone: for a protocol that has a place for them. */
  readonly description?: string;
  readonly eu?: string;
  /** The engineering range, where both ends are set; of a provider's points alone. */
  readonly euRange?: readonly [low: number, high: number];
  /** Whether the archive has records of it, by its configuration; of a provider's points alone. */
  readonly isArchived?: boolean;
  /** Where it is in the plant; of a provider's points alone. */
  readonly area?: string;
}

export interface StackCommand extends StackPoint {
  /**
   * The value last written, or the configured initial one, in the raw datatype; undefined where there is none. A stack
   * whose device forgets when it restarts may begin with it; others leave it alone.
   */
  readonly last: Value | undefined;
}

export interface CommandWrite<Command = StackCommand> {
  readonly command: Command;
  readonly value: Value;
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

/** What every connector and provider is given. */
export interface InstanceOptions<Variables> {
  /** Of the connector or provider. */
  readonly name: string;
  readonly variables: Variables;
  readonly clock: Clock;
  readonly log: StackLog;
  /** The longest pause between two tries to reach something; up to a half of it is left out by chance. */
  readonly reconnectMaxMs: number;
  /** A folder of its own that outlives restarts, for certificates and the like; not made before the stack makes it. */
  readonly folder: string;
  /**
   * Of all connectors and providers in the thread: what others send without being asked, such as clients of a provider or traps,
   * is looked at in these, by `ServedClients`.
   */
  readonly turns: ServingTurns;
}

/** Counts what a connector asks of its devices, for the people who look after them. */
export interface Meter {
  /** A request was answered, after so long. */
  answered(roundTripMs: number): void;
  /** A request had no answer that can be used. */
  failed(): void;
  /** A scan was left out, since the one before had not ended. */
  overrun(): void;
  /** So many messages of devices, such as traps, were lost on this machine: more came than could be stored. */
  unread(count: number): void;
}

/** Counts what clients ask of a provider; for `ServedClients`. */
export interface ServingMeter {
  /** A request is carried out. */
  served(): void;
  /** A client had to wait, since it, or all together, asked more often than allowed. */
  held(): void;
  /** So many messages were lost on this machine: more came than could be stored until it was their turn. */
  unread(count: number): void;
}

export interface ProcessListener {
  onMessage(message: unknown): void;
  /** Once, also where it could not be started. Nothing is heard of it afterwards. */
  onEnded(reason: string): void;
}

export interface StackProcess {
  /** Is lost where the process has ended. */
  send(message: unknown): void;
  /** Disconnects it; resolves when it has ended. */
  end(): Promise<void>;
}

export interface ConnectorOptions<Variables> extends InstanceOptions<Variables> {
  readonly meter: Meter;
  /** How far the clock of a device may be off before its times are not taken. */
  readonly maxClockSkewMs: number;
  /**
   * Hands readings on, many at once. The batch is taken: it is empty afterwards and can be filled again. A reading is in
   * the raw datatype; what does not fit, the server turns bad. Readings of points that are gone are passed over.
   */
  readonly publish: (batch: Batch) => void;
  /** For readings that the device has kept, and that are older than the live ones. */
  readonly history: ConnectorHistory;
  /**
   * Runs a file of the stack as a process of Node, for code that cannot run in a thread; they speak by `process.send`, with
   * whatever can be cloned. It has to end by itself when it is disconnected, and is killed a second later. A stack starts
   * none by itself: nobody would reap it after its thread was terminated.
   */
  readonly startProcess: (file: string, listener: ProcessListener) => StackProcess;
  /**
   * Hands on what alarms of devices have become, while the link is up, in the order in which it happened. A state that an
   * alarm has already changes nothing. Those of alarms that are gone are passed over.
   */
  readonly publishAlarms: (states: readonly DeviceAlarmState[]) => void;
  /**
   * Asked immediately before what a write or an acknowledgement sends goes to the socket, with nothing awaited in between. False: another
   * node of the site may have begun to write; nothing is sent, and the write ends as `written.notPermitted`.
   */
  readonly mayWrite: () => boolean;
}

/** Made by the stack, touched by the host alone. Nothing here touches the network before `connect`. */
export interface Connector {
  /**
   * Before the first `connect`, and again whenever the points have changed, while it runs as well: the link stays. The
   * current value of every measurement is published again soon after.
   */
  setPoints(points: StackPoints): void;
  /** Makes the link. Throws `NotConnected`, `BackOff` or `Fatal`. */
  connect(signal: AbortSignal): Promise<void>;
  /**
   * Reads and publishes until the signal is aborted, then resolves; throws when the link is lost: then the host turns all
   * points bad, in one batch.
   *
   * That a device is silent is for the stack to notice, since the host cannot distinguish silence from a device that has nothing
   * to say. Within two scan periods of its points or 5 s, whichever is longer, `run` throws, or, where others behind the
   * same link still answer, all points of that device turn bad in one batch (`Batch.none`, communication failure). A
   * stack that polls has this from `Poller`. One whose device speaks by itself asks it for a sign of life often enough: a
   * keep-alive of the protocol, a ping, or a read of something that every such device has.
   */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Writes once and says how that ended: accepted and refused are the word of the device, notSent is certain, all else is
   * unknown. So is whatever is thrown, the reason of the signal included. Never tries again, never keeps a write for
   * later. The signal is aborted when the answer is no longer needed.
   */
  write(command: StackCommand, value: Value, signal: AbortSignal): Promise<WriteResult>;
  /**
   * As `write`, for several that came together, each of another command: the results in their order, each true of its own
   * write. A stack that has it not writes one by one.
   */
  writeMany?(writes: readonly CommandWrite[], signal: AbortSignal): Promise<readonly WriteResult[]>;
  /**
   * As `setPoints`, after it, for a stack that declares addresses of alarms. The present state of each that the device reports
   * is published soon after; while there is no link, an alarm keeps its state.
   */
  setAlarms?(alarms: readonly DeviceAlarm[]): void;
  /** Acknowledges an alarm at its device, on behalf of somebody; ends as `write` does. */
  acknowledge?(alarm: DeviceAlarm, authority: string, signal: AbortSignal): Promise<WriteResult>;
  /** After `run` has ended, whether `connect` worked or not: gives everything back. May be connected again. */
  close(): Promise<void>;
  /** Asked about once a second. */
  detail?(): InstanceDetail;
  /** How the last reading of a measurement came about, from memory; undefined where there was none. */
  explain?(measurement: StackPoint): ReadingTrace | undefined;
  /** What the device has to offer, asked while the link is up. Throws `Refused`, with the reason for the person. */
  browse?(request: BrowseRequest, signal: AbortSignal): Promise<BrowseAnswer>;
}

/** An alarm that a device of the connector raises and clears. */
export interface DeviceAlarm {
  /** Given by the host; another one where the address has changed. */
  readonly id: number;
  readonly name: string;
  readonly address: string;
  readonly properties: Readonly<Record<string, string>>;
}

export interface DeviceAlarmState {
  /** Of the alarm. */
  readonly id: number;
  readonly isActive: boolean;
  /** True where the device knows no acknowledgement. */
  readonly isAcknowledged: boolean;
  /** Of the transition, by the device's clock where that can be trusted. */
  readonly timeUs: number;
  /** Who acknowledged it at the device, where it says so. */
  readonly authority?: string;
  /** What the device says of it. */
  readonly message?: string;
}

/** What there is to know of a connector or provider beside its link. */
export interface InstanceDetail {
  /** Of a connector that has several behind it; of a provider, such as the brokers that it may use. */
  readonly devices?: readonly DeviceDetail[];
  readonly scanGroups?: readonly ScanGroupDetail[];
  /** How many clients a provider has. */
  readonly clients?: number;
  /** Of a provider that sends what happened in an outage afterwards. */
  readonly forwarding?: ForwardingDetail;
}

export interface ForwardingDetail {
  /** Values of outages that were sent since the start, and those that were given up, since they were too old. */
  readonly sent: number;
  readonly givenUp: number;
  /** The values since then are still to be sent; undefined: none. */
  readonly waitingSinceUs: number | undefined;
}

export interface DeviceDetail {
  /** As the addresses name it. */
  readonly name: string;
  readonly isUp: boolean;
  readonly sinceUs: number;
  /** Of the last time that it failed to answer. */
  readonly lastError: string | undefined;
}

export interface ScanGroupDetail {
  readonly periodMs: number;
  readonly points: number;
  /** That a scan takes. */
  readonly requests: number;
  readonly scans: number;
  readonly overruns: number;
  /** Of the last scan; undefined before the first has ended. */
  readonly tookMs: number | undefined;
}

export interface ReadingTrace {
  readonly timeUs: number;
  /** In the words of the protocol, such as `read holding registers 100 to 119 of unit 1`. */
  readonly request: string;
  /** What came for this point: bytes in hexadecimal, or a text. */
  readonly raw: string | undefined;
  /** What was read from it; undefined where nothing could be. */
  readonly value: Value | undefined;
  /** What was wrong with it. */
  readonly error: string | undefined;
  readonly device: string | undefined;
  /** Of its scan group. */
  readonly scanPeriodMs: number | undefined;
}

export interface BrowseRequest {
  /** Where to look, as an earlier answer named it; undefined: at the top. */
  readonly path: string | undefined;
  /** Where an earlier answer to the same request ended. */
  readonly cursor: string | undefined;
  /** At most so many items. */
  readonly limit: number;
}

export interface BrowseAnswer {
  readonly items: readonly BrowseItem[];
  /** Undefined: there are no more. */
  readonly cursor: string | undefined;
}

/** Something that the device has: a place to look further, something to read, to write or to follow, or all of these. */
export interface BrowseItem {
  readonly title: string;
  /** For the next request; undefined: nothing is below. */
  readonly path: string | undefined;
  readonly measurement: BrowsedPoint | undefined;
  readonly command: BrowsedPoint | undefined;
  readonly alarm?: BrowsedAlarm | undefined;
}

/** What is configured of the point: the address is right, the datatype fits. */
export interface BrowsedPoint {
  /** As the device calls it; the server makes an identifier of it. */
  readonly name: string;
  readonly address: string;
  readonly datatype: Datatype;
  readonly description?: string;
  readonly eu?: string;
  readonly euRange?: readonly [low: number, high: number];
  readonly properties?: Readonly<Record<string, string>>;
}

/** What is configured of the alarm: the address is right. */
export interface BrowsedAlarm {
  /** As the device calls it; the server makes an identifier of it. */
  readonly name: string;
  readonly address: string;
  /** 0 is the most severe. */
  readonly severity: number;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, string>>;
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

/** One device of several did not answer: the others, and the link, are not touched. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** What was asked is not done, for certain; the reason is for the person who asked. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** It will not work however often it is tried, until the configuration changes. */
export class Fatal extends Error {
  override readonly name = 'Fatal';
}
