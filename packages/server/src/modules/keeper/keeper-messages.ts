// The calls between the server and the keeper process, and their limits.
import type { LogLine } from '@telltale/schema';
import type { Launch, LogRequest, ModuleLines, RunEnd, Usage } from './keeper-protocol.ts';

export interface KeeperProcess {
  /** First. */
  open(options: OpenKeeper): void;
  start(launch: Launch): void;
  stop(run: number, termToKillMs: number): void;
  readLog(request: LogRequest): Promise<LogLine[]>;
  watchLogs(modules: 'all' | readonly string[]): void;
  /** End every run, each with at most this between SIGTERM and SIGKILL, and then yourself. */
  close(termToKillMs: number): void;
}

export interface OpenKeeper {
  /** Has the folders of the modules. */
  readonly folder: string;
  readonly folderId: string;
  readonly cgroupRoot: string | undefined;
}

export interface KeeperClient {
  started(run: number, pid: number): void;
  ended(run: number, end: RunEnd): void;
  /** Of these two, the next comes after the answer: no faster than the server takes them. */
  usage(usages: ReadonlyMap<number, Usage>): void;
  lines(batch: readonly ModuleLines[]): void;
  /** For the log of the server. */
  warning(module: string, text: string): void;
}

/** Between two messages with lines, and of all lines in one. */
export const linesPeriodMs = 100;
export const maxLinesBytes = 256 * 1024;
export const usagePeriodMs = 2000;
/** Each may be as long as the log of a module. */
export const maxLogReads = 8;
/** A keeper whose server is gone lets no module take longer to end. */
export const orphanTermToKillMs = 10_000;
