// The messages between the server and the process of the keeper, and what bounds them.
import type { LogLine } from '@telltale/schema';
import type { Launch, LogRequest, ModuleLines, RunEnd, Usage } from './keeper-protocol.ts';

export type ToKeeper =
  /** The first of all. `folder` has the folders of the modules. */
  | {
      readonly kind: 'open';
      readonly folder: string;
      readonly folderId: string;
      readonly cgroupRoot: string | undefined;
    }
  | { readonly kind: 'start'; readonly launch: Launch }
  | { readonly kind: 'stop'; readonly run: number; readonly termToKillMs: number }
  | { readonly kind: 'readLog'; readonly id: number; readonly request: LogRequest }
  | { readonly kind: 'watchLogs'; readonly modules: 'all' | readonly string[] }
  /** End every run, each with at most this between SIGTERM and SIGKILL, and then yourself. */
  | { readonly kind: 'close'; readonly termToKillMs: number };

export type FromKeeper =
  | { readonly kind: 'started'; readonly run: number; readonly pid: number }
  | { readonly kind: 'ended'; readonly run: number; readonly end: RunEnd }
  | { readonly kind: 'usage'; readonly usages: ReadonlyMap<number, Usage> }
  | { readonly kind: 'lines'; readonly batch: readonly ModuleLines[] }
  | { readonly kind: 'log'; readonly id: number; readonly lines: readonly LogLine[] }
  | { readonly kind: 'noLog'; readonly id: number; readonly reason: string }
  /** For the log of the server. */
  | { readonly kind: 'warning'; readonly module: string; readonly text: string };

/** Between two messages with lines, and of all lines in one. */
export const linesPeriodMs = 100;
export const maxLinesBytes = 256 * 1024;
export const usagePeriodMs = 2000;
/** Each may be as long as the log of a module. */
export const maxLogReads = 8;
/** A keeper whose server is gone lets no module take longer to end. */
export const orphanTermToKillMs = 10_000;
