// The messages between the server and the keeper, the process that runs function modules. The keeper is the mechanism:
// it starts processes, ends them, and stores what they print. When and why is the supervisor's.
import type { LogLine, LogStream } from '@telltale/schema';
import type { UploadSum } from '../upload-sum.ts';

/** What bounds the processes of a module, as configured; what the machine cannot hold is said, and left out. */
export interface Bounds {
  /** Undefined: as the server itself. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
  readonly memoryBytes: number | undefined;
  readonly cpuCores: number | undefined;
  readonly maxProcesses: number | undefined;
}

export interface Launch {
  /** Never used twice by a server. */
  readonly run: number;
  readonly module: string;
  /** The uploaded file; it is copied into the folder of the module before it is started. */
  readonly executable: string;
  /** What the upload was, or one of two while it is replaced: another file is damaged, and not started. */
  readonly uploaded: readonly UploadSum[] | undefined;
  /** Lower-case hexadecimal: another file is not started. */
  readonly sha256: string | undefined;
  /** All of it: nothing else is inherited, but for what marks the processes of a run. */
  readonly env: Readonly<Record<string, string>>;
  readonly bounds: Bounds;
  /**
   * Between SIGTERM and SIGKILL without a `stop`: for what the first process leaves behind when it ends on its own, and
   * for all of it when the server is gone (then at most 10 s).
   */
  readonly termToKillMs: number;
}

export interface Usage {
  /** In the last seconds. */
  readonly cores: number;
  readonly memoryBytes: number;
  readonly processes: number;
}

export type RunEnd =
  /**
   * Nothing was started: no such file, not executable, no interpreter, another sum, no room, … The reason is for
   * people. It is temporary where it says nothing about the executable, such as no room or no memory: then a module
   * that is restarted when it ends is retried.
   */
  | { readonly kind: 'notStarted'; readonly reason: string; readonly mayPass?: boolean }
  /**
   * Its first process has ended, and nothing that it left behind is alive. One of code and signal is undefined. The
   * reason, for people, is present where it was ended without a `stop`: too much memory, a keeper that ended.
   */
  | {
      readonly kind: 'ended';
      readonly code: number | undefined;
      readonly signal: string | undefined;
      readonly reason?: string;
    };

/** Lines of one module, in the order in which they came. */
export interface ModuleLines {
  readonly module: string;
  readonly lines: readonly LogLine[];
  /** Left out before these, since they were not taken fast enough. */
  readonly skipped: number;
}

export interface LogRequest {
  readonly module: string;
  /** The newest so many. */
  readonly lines: number;
  /** Undefined: both, in the order in which they came. */
  readonly stream: LogStream | undefined;
}

/** The processes of function modules, as the supervisor sees them. */
export interface ModuleProcesses {
  /** `onEnded` follows exactly once, whatever happens; before it `onStarted`, unless nothing was started. */
  start(launch: Launch): void;
  /** SIGTERM to all its processes, SIGKILL after so long; at once where it is 0. `onEnded` follows. */
  stop(run: number, termToKillMs: number): void;
  /** Throws `ProblemError`. A module that has never printed has no lines. */
  readLog(request: LogRequest): Promise<LogLine[]>;
  /** Whose new lines are handed to `onLines` from now on. */
  watchLogs(modules: 'all' | readonly string[]): void;
}

export interface ProcessEvents {
  onStarted(run: number, pid: number): void;
  onEnded(run: number, end: RunEnd): void;
  /** Every few seconds, of all that run. */
  onUsage(usages: ReadonlyMap<number, Usage>): void;
  onLines(lines: ModuleLines): void;
}
