// The machine that the doctor looks at: everything that a test cannot make real is replaced here.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, type StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, systemClock } from '@telltale/schema';

export interface Machine {
  /** Where `/proc`, `/sys` and `/run` are. */
  readonly root: string;
  readonly platform: NodeJS.Platform;
  /** Of the user who asks; undefined where the system has none. */
  readonly uid: number | undefined;
  readonly environment: NodeJS.ProcessEnv;
  /** Of Node itself. */
  readonly nodeFlags: readonly string[];
  readonly clock: Clock;
  statfs(path: string): Promise<StatsFs>;
  /** What a program prints; undefined where there is none, or it fails or takes long. */
  run(program: string, args: readonly string[]): Promise<string | undefined>;
}

const programLimitMs = 3000;
const mostFileBytes = 4 * 2 ** 20;

export function thisMachine(environment: NodeJS.ProcessEnv, nodeFlags: readonly string[]): Machine {
  return {
    root: '/',
    platform: process.platform,
    uid: process.getuid?.(),
    environment,
    nodeFlags,
    clock: systemClock,
    statfs: (path) => statfs(path),
    run: (program, args) =>
      new Promise((resolve) => {
        const limits = { timeout: programLimitMs, maxBuffer: 65_536 };
        execFile(program, args, limits, (error, stdout) => resolve(error === null ? stdout : undefined));
      }),
  };
}

/** A small file of the system; undefined where it is not there, or may not be read. */
export function textOf({ root }: Machine, path: string): string | undefined {
  try {
    return readFileSync(join(root, path), 'latin1').slice(0, mostFileBytes);
  } catch {
    return undefined;
  }
}

/** The process that has an exclusive lock on a file, by its inode. */
export function lockHolder(machine: Machine, inode: number): number | undefined {
  for (const line of textOf(machine, 'proc/locks')?.split('\n') ?? []) {
    const [, pid, found] = /\bWRITE\s+(\d+)\s+[0-9a-f]+:[0-9a-f]+:(\d+)\s/.exec(line) ?? [];
    if (found === String(inode)) return Number(pid) || undefined; // 0: outside of this container
  }
  return undefined;
}

/** The numbers of the sockets that listen on a port. */
export function listeners(machine: Machine, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return ['proc/net/tcp', 'proc/net/tcp6'].flatMap((path) =>
    (textOf(machine, path)?.split('\n') ?? []).flatMap((line) => {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      return local.endsWith(suffix) && state === '0A' ? [inode] : [];
    }),
  );
}

/** The process that has one of the sockets; of other users' processes only root learns it. */
export function ownerOf(machine: Machine, sockets: readonly string[]): number | undefined {
  const wanted = new Set(sockets.map((inode) => `socket:[${inode}]`));
  if (wanted.size === 0) return undefined;
  for (const pid of namesIn(machine, 'proc').filter((name) => /^\d+$/.test(name))) {
    for (const descriptor of namesIn(machine, `proc/${pid}/fd`)) {
      if (wanted.has(linkOf(machine, `proc/${pid}/fd/${descriptor}`))) return Number(pid);
    }
  }
  return undefined;
}

function namesIn({ root }: Machine, path: string): string[] {
  try {
    return readdirSync(join(root, path));
  } catch {
    return [];
  }
}

function linkOf({ root }: Machine, path: string): string {
  try {
    return readlinkSync(join(root, path));
  } catch {
    return '';
  }
}
