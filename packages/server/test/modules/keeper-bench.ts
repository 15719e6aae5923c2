// A keeper with a folder of its own for tests: writes scripts, starts them, remembers all that is reported, looks at /proc.
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, type LogLine, systemClock } from '@telltale/schema';
import { missingPeers, until } from '@telltale/stack-kit/testing';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { pino } from 'pino';
import { Cgroups } from '../../src/modules/keeper/cgroup.ts';
import type { Bounds, Launch, RunEnd, Usage } from '../../src/modules/keeper/keeper-protocol.ts';
import { ModuleKeeper } from '../../src/modules/keeper/module-keeper.ts';

export const noBounds: Bounds = {
  user: undefined,
  memoryBytes: undefined,
  cpuCores: undefined,
  maxProcesses: undefined,
};
export const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export const withPython = { skip: missingPeers('/usr/bin/python3') ?? false };

export interface KeeperBench {
  readonly folder: string;
  readonly folderId: string;
  readonly keeper: ModuleKeeper;
  readonly pids: Map<number, number>;
  /** All that was ever reported of the end of a run: one is right. */
  readonly ends: Map<number, RunEnd[]>;
  readonly usages: Map<number, Usage>;
  readonly lines: LogLine[];
  readonly skipped: { count: number };
  /** Of the log of the server. */
  readonly logged: string[];
  /** Writes an executable and starts it; the number of the run. */
  run(script: string, launch?: Partial<Launch>): number;
  started(run: number): Promise<number>;
  ended(run: number): Promise<RunEnd>;
  texts(): string[];
  /** Processes that carry the mark of this folder, the keeper included; zombies do not count. */
  marked(): number[];
  close(): Promise<void>;
}

export interface BenchOptions {
  readonly folder?: string;
  readonly cgroupRoot?: string | undefined;
  readonly clock?: Clock;
}

export const folderIdOf = (folder: string) => createHash('sha256').update(folder).digest('hex').slice(0, 16);

export function openBench(options: BenchOptions = {}): KeeperBench {
  const cleanup = new AsyncDisposableStack();
  const { folder = temporaryFolder(cleanup), cgroupRoot, clock = systemClock } = options;
  const folderId = folderIdOf(folder);
  const bench: Omit<KeeperBench, 'keeper'> = {
    folder,
    folderId,
    pids: new Map(),
    ends: new Map(),
    usages: new Map(),
    lines: [],
    skipped: { count: 0 },
    logged: [],
    run(script, launch = {}) {
      lastRun++;
      keeper.start(makeLaunch(folder, lastRun, script, launch));
      return lastRun;
    },
    async started(run) {
      await until(`run ${run} is started`, () => bench.pids.has(run) || bench.ends.has(run));
      const pid = bench.pids.get(run);
      if (pid === undefined) throw new Error(`run ${run}: ${JSON.stringify(bench.ends.get(run))}`);
      return pid;
    },
    async ended(run) {
      await until(`run ${run} has ended`, () => bench.ends.has(run));
      return bench.ends.get(run)?.[0] as RunEnd;
    },
    texts: () => bench.lines.map(({ text }) => text),
    marked: () => markedProcesses(folderId),
    close: () => cleanup.disposeAsync(),
  };
  // Of keepers that were killed: the next one for the folder would do it.
  cleanup.defer(async () => (await Cgroups.open({ pids: [] }))?.sweep(`${folderId}.`));
  cleanup.defer(() => keeper.close(3000));
  let lastRun = 0;
  const keeper = new ModuleKeeper({
    folder: join(folder, 'modules'),
    folderId,
    clock,
    ...(cgroupRoot !== undefined && { cgroupRoot }),
    log: pino({ base: null }, { write: (line: string) => bench.logged.push(JSON.parse(line).msg) }),
    events: {
      onStarted: (run, pid) => bench.pids.set(run, pid),
      onEnded: (run, end) => bench.ends.set(run, [...(bench.ends.get(run) ?? []), end]),
      onUsage: (usages) => {
        for (const [run, usage] of usages) bench.usages.set(run, usage);
      },
      onLines: ({ lines, skipped }) => {
        bench.lines.push(...lines);
        bench.skipped.count += skipped;
      },
    },
  });
  keeper.open();
  keeper.watchLogs('all');
  return { ...bench, keeper };
}

export function makeLaunch(folder: string, run: number, script: string, launch: Partial<Launch>): Launch {
  const module = launch.module ?? `m${run}`;
  const uploads = join(folder, 'executables', module);
  const executable = launch.executable ?? join(uploads, 'program');
  mkdirSync(uploads, { recursive: true });
  if (launch.executable === undefined) {
    writeFileSync(executable, script);
    chmodSync(executable, 0o755);
  }
  return {
    run,
    module,
    executable,
    uploaded: undefined,
    sha256: undefined,
    env: { PATH: path },
    bounds: noBounds,
    termToKillMs: 2000,
    ...launch,
  };
}

/** Also while it is being looked at. */
export function markedProcesses(folderId: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`TELLTALE_RUN=${folderId}.`) && isAlive(pid);
      } catch {
        return false;
      }
    });
}

export function stateOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2, text.lastIndexOf(')') + 3);
  } catch {
    return undefined;
  }
}

export function isAlive(pid: number): boolean {
  return !['Z', 'X', undefined].includes(stateOf(pid));
}

export function memoryOf(pid: number): number {
  return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]);
}
