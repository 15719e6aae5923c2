// What the thread of the stacks and its client say to each other. An instance is one start of a connector or provider:
// what is still said of an earlier start can be told from what is said of the present one.
import type { BatchMessage, Value } from '@telltale/schema';
import type { BrowseRequest, ReadingTrace, StackAlarmState, StackCommand, StackPoints } from '@telltale/stack-kit';
import type { BrowseOutcome, Role, WriteOutcome } from '@telltale/stack-kit/host';
import type { InstanceReport } from './instance-status.ts';

/** What the thread needs to begin. */
export interface HostStart {
  /** Module addresses whose default export is a stack. */
  readonly stackModules: readonly string[];
  readonly writeTimeoutMs: number;
  readonly maxClockSkewMs: number;
  /** Connectors and providers have theirs in it. */
  readonly folder: string;
  /** Files with the secrets that variables name. */
  readonly secretsFolder: string;
  /** Of the heap, and of the buffers beside it. */
  readonly maxHeapMb: number;
  /** Counts what each side has consumed: see outbox.ts. */
  readonly consumedByClient: Int32Array<SharedArrayBuffer>;
  readonly consumedByThread: Int32Array<SharedArrayBuffer>;
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

/** Why what a client of a provider wanted was not done. */
export interface Failure {
  readonly reason: string;
  /** False: it may have been done. */
  readonly isSure: boolean;
}

/** Points on their way to a thread. */
export interface PackedPoints {
  /** Which may be very many, as JSON: a text crosses ten times as fast as objects do. */
  readonly measurements: string;
  readonly commands: readonly StackCommand[];
}

export function packPoints({ measurements, commands }: StackPoints): PackedPoints {
  return { measurements: JSON.stringify(measurements), commands };
}

export type ToThread =
  /** `replaces`: the instance that is stopped first and whose points are taken over. */
  | {
      readonly kind: 'start';
      readonly id: number;
      readonly role: Role;
      readonly instance: Instance;
      readonly replaces: number | undefined;
    }
  | { readonly kind: 'stop'; readonly id: number }
  /** They come with the next `pointsDone`, or never, with `dropPoints`. */
  | ({ readonly kind: 'putPoints'; readonly id: number } & PackedPoints)
  | { readonly kind: 'dropPoints'; readonly id: number }
  /** These go, and those that were put come: its points are whole. */
  | { readonly kind: 'pointsDone'; readonly id: number; readonly gone: PointIds }
  | {
      readonly kind: 'write';
      readonly id: number;
      readonly write: number;
      readonly commandId: number;
      readonly value: Value;
      readonly askedMs: number;
    }
  /** Each has one answer; `abort`: it is not waited for any more. */
  | { readonly kind: 'explain'; readonly id: number; readonly question: number; readonly measurementId: number }
  | { readonly kind: 'browse'; readonly id: number; readonly question: number; readonly request: BrowseRequest }
  | { readonly kind: 'abort'; readonly question: number }
  /** All of them, as JSON, as measurements are. */
  | { readonly kind: 'setAlarms'; readonly id: number; readonly alarms: string }
  | { readonly kind: 'publishAlarms'; readonly id: number; readonly states: readonly StackAlarmState[] }
  | { readonly kind: 'publish'; readonly id: number; readonly batch: BatchMessage }
  /** The answer to `ask`; `failure` is undefined where it was done. */
  | { readonly kind: 'answer'; readonly question: number; readonly failure: Failure | undefined }
  /** What a process of a stack says, and its end. */
  | { readonly kind: 'fromProcess'; readonly process: number; readonly message: unknown }
  | { readonly kind: 'processEnded'; readonly process: number; readonly reason: string }
  | { readonly kind: 'ping' }
  /** Answered by `confirmed`, when all that came before has been done. */
  | { readonly kind: 'confirm'; readonly question: number }
  /** Stops everything, then says `closed`. */
  | { readonly kind: 'close' };

/** What a client of a provider wants of the server. */
export type Wish =
  | { readonly kind: 'write'; readonly commandId: number; readonly value: Value }
  | { readonly kind: 'acknowledge'; readonly alarm: string; readonly authority: string };

export type ExplainOutcome =
  | { readonly kind: 'explained'; readonly trace: ReadingTrace | undefined }
  | { readonly kind: 'failed'; readonly reason: string };

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export type FromThread =
  /** The first message. */
  | { readonly kind: 'opened' }
  | { readonly kind: 'readings'; readonly id: number; readonly batch: BatchMessage }
  | {
      readonly kind: 'link';
      readonly id: number;
      readonly up: boolean;
      readonly reason: string;
      readonly timeUs: number;
    }
  | { readonly kind: 'status'; readonly id: number; readonly report: InstanceReport }
  /** The last of an instance. */
  | { readonly kind: 'stopped'; readonly id: number; readonly report: InstanceReport }
  | { readonly kind: 'written'; readonly write: number; readonly outcome: WriteOutcome }
  | { readonly kind: 'explained'; readonly question: number; readonly outcome: ExplainOutcome }
  | { readonly kind: 'browsed'; readonly question: number; readonly outcome: BrowseOutcome }
  | { readonly kind: 'confirmed'; readonly question: number }
  /** Of a process of a stack, numbered by the thread. */
  | { readonly kind: 'startProcess'; readonly process: number; readonly file: string }
  | { readonly kind: 'toProcess'; readonly process: number; readonly message: unknown }
  | { readonly kind: 'endProcess'; readonly process: number }
  | { readonly kind: 'ask'; readonly question: number; readonly id: number; readonly wish: Wish }
  | {
      readonly kind: 'log';
      readonly role: Role;
      readonly name: string;
      readonly level: LogLevel;
      readonly text: string;
    }
  | { readonly kind: 'pong' }
  /** Code of stacks is being loaded from now on, or is no longer: until then it may not answer for a while. */
  | { readonly kind: 'loading'; readonly isLoading: boolean }
  | { readonly kind: 'closed' };

/** What the thread says of its instances, and not of itself. */
export type InstanceMessage = Exclude<FromThread, { kind: 'opened' | 'pong' | 'loading' | 'closed' }>;
