// What the thread of the stacks and its client can ask of each other. An instance is one start of a connector or provider:
// messages of an earlier start are distinguished from those of the present one.
import type { Aggregate, BatchMessage } from '@telltale/schema';
import type {
  BrowseRequest,
  DeviceAlarmState,
  PastOutcome,
  ReadingTrace,
  StackAlarmState,
  StackCommand,
  StackPoints,
  UserCredentials,
  WriteResult,
} from '@telltale/stack-kit';
import type { Acknowledgement, BrowseOutcome, DeviceWrite, Role, WriteOutcome } from '@telltale/stack-kit/host';
import type { SealKeys } from '../secrets/index.ts';
import type { InstanceReport } from './instance-status.ts';
import type { ProviderSession } from './provider-users.ts';

export interface HostStart {
  /** Module addresses whose default export is a stack. */
  readonly stackModules: readonly string[];
  readonly writeTimeoutMs: number;
  readonly maxClockSkewMs: number;
  readonly folder: string;
  readonly secretsFolder: string;
  readonly secretKeys: SealKeys;
  /** Of the heap, and of the buffers beside it. */
  readonly maxHeapMb: number;
  /** Counts what each side has consumed: see outbox.ts. */
  readonly consumedByClient: Int32Array<SharedArrayBuffer>;
  readonly consumedByThread: Int32Array<SharedArrayBuffer>;
  /** Of the deadline of the lease; undefined where this server shares its site with nobody. */
  readonly lease?: SharedArrayBuffer | undefined;
}

export interface Instance {
  readonly name: string;
  readonly stackName: string;
  readonly vars: Readonly<Record<string, string>>;
  readonly properties: Readonly<Record<string, string>>;
}

export interface PointIds {
  readonly measurements: readonly number[];
  readonly commands: readonly number[];
}

/** Why what a connector or provider asked for was not done. */
export interface Failure {
  readonly reason: string;
}

export interface PackedPoints {
  /** Which may be very many, as JSON: a text crosses ten times as fast as objects do. */
  readonly measurements: string;
  readonly commands: readonly StackCommand[];
}

export function packPoints({ measurements, commands }: StackPoints): PackedPoints {
  return { measurements: JSON.stringify(measurements), commands };
}

/** The thread. `id` is that of an instance. */
export interface HostThread {
  /**
   * `replaces`: the instance that is stopped first and whose points are taken over. `isSame`: these are its points still, as
   * whole as they were; else it waits for `pointsDone`. `mayRun`: false where it is disabled, or another node of the site leads: it takes
   * its points, and no more. `epoch`: of the lease under which it writes.
   */
  start(
    id: number,
    role: Role,
    instance: Instance,
    replaces: number | undefined,
    isSame: boolean,
    mayRun: boolean,
    epoch: number,
  ): void;
  stop(id: number): void;
  /** Answered when all that was stopped of this role and name has given back what it had. */
  ended(role: Role, name: string): Promise<void>;
  /** The same of all. */
  allEnded(): Promise<void>;
  /** They come with the next `pointsDone`, or never, with `dropPoints`. */
  putPoints(id: number, points: PackedPoints): void;
  dropPoints(id: number): void;
  /** These go, and those that were put come: its points are whole. */
  pointsDone(id: number, gone: PointIds): void;
  /**
   * Of several, outcomes are reported as they come, where not all come at once. `claims`: of each write, in shared memory, who
   * has claimed it first (write-claims.ts).
   */
  write(
    id: number,
    writes: readonly DeviceWrite[],
    askedMs: number,
    claims: Int32Array<SharedArrayBuffer>,
  ): Promise<readonly WriteOutcome[]>;
  acknowledge(id: number, asked: Acknowledgement): Promise<WriteOutcome>;
  explain(id: number, measurementId: number): ExplainOutcome;
  browse(id: number, request: BrowseRequest): Promise<BrowseOutcome>;
  /** All of them, as JSON, as measurements are. */
  setAlarms(id: number, alarms: string): void;
  publishAlarms(id: number, states: readonly StackAlarmState[]): void;
  publish(id: number, batch: BatchMessage): void;
  /** A user of the service may not go on as what it signed in as. */
  endUser(id: number, session: number): void;
  /** What a process of a stack says, and its end. */
  fromProcess(process: number, message: unknown): void;
  processEnded(process: number, reason: string): void;
  /** Answered by `pong`. */
  ping(): void;
  /** Answered when all that came before has been done. */
  confirm(): void;
  /** Stops everything. */
  close(): Promise<void>;
}

/** What a provider asks of the archive: records of one of its points, or an aggregate of them in buckets of `stepUs`. */
export interface HistoryAsked {
  readonly kind: 'measurements' | 'commands';
  readonly pointId: number;
  /** Half-open. */
  readonly sinceUs: number;
  readonly untilUs: number;
  readonly newestFirst: boolean;
  readonly limit: number;
  readonly stepUs?: number;
  readonly aggregate?: Aggregate;
}

/** Frames of columns; or why there are none. */
export type HistoryAnswer = { readonly frames: readonly Uint8Array[] } | Failure;

/** Outcomes of writes, by their places in the call. */
export type WriteProgress = readonly (readonly [at: number, outcome: WriteOutcome])[];

export type ExplainOutcome =
  | { readonly kind: 'explained'; readonly trace: ReadingTrace | undefined }
  | { readonly kind: 'failed'; readonly reason: string };

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** What the thread reports about its instances to its client. */
export interface InstanceClient {
  readings(id: number, batch: BatchMessage): void;
  alarms(id: number, states: readonly DeviceAlarmState[]): void;
  link(id: number, up: boolean, reason: string, timeUs: number): void;
  status(id: number, report: InstanceReport): void;
  /** The last of an instance. */
  stopped(id: number, report: InstanceReport): void;
  /** Of a process of a stack, numbered by the thread. */
  startProcess(process: number, file: string): void;
  toProcess(process: number, message: unknown): void;
  endProcess(process: number): void;
  /** For a client of a provider, signed in as `user` where that is a session; the results in their order. */
  write(id: number, writes: readonly DeviceWrite[], user: number | undefined): Promise<readonly WriteResult[]>;
  acknowledge(id: number, alarm: string, authority: string, user: number | undefined): Promise<WriteResult>;
  signIn(id: number, credentials: UserCredentials): Promise<ProviderSession | Failure>;
  signOut(id: number, session: number): void;
  readHistory(id: number, asked: HistoryAsked): Promise<HistoryAnswer>;
  /** Readings of the past of a connector: answered when they are on disk. */
  storePast(id: number, batch: BatchMessage): Promise<PastOutcome | Failure>;
  /** The newest records of measurements of a connector. */
  newestRecords(id: number, measurementIds: readonly number[]): Promise<HistoryAnswer>;
  log(role: Role, name: string, level: LogLevel, text: string): void;
}

/** With what the thread reports about itself. */
export interface HostClient extends InstanceClient {
  /** The first. */
  opened(): void;
  pong(): void;
  /** Code of stacks is being loaded from now on, or is no longer: until then it may not answer for a while. */
  loading(isLoading: boolean): void;
}
