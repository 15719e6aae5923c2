// What every peer of the archive's benchmark does, and how a peer that is a daemon is started and ended.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSet } from '../archive-data.ts';

export interface Peer {
  readonly name: string;
  /** Milliseconds from the first record to the answer for the last one; making the bodies is not in it. */
  load(data: DataSet): Promise<number>;
  /** Whatever it does by itself to need less room, brought to its end. */
  compact(): Promise<void>;
  /** On disk, for the records alone. */
  bytes(): Promise<number>;
  /** Its answer is wholly here when this resolves; the function then counts its records. */
  read(series: string, sinceUs: number, untilUs: number): Promise<() => number>;
  /** Seconds of processor time that its process has used, where it is a process of its own. */
  cpuSeconds(): number;
}

/** It ends with `cleanup`, and leaves nothing. Undefined where it is not on this machine. */
export type StartPeer = (cleanup: AsyncDisposableStack) => Promise<Peer | undefined>;

export interface User {
  readonly uid: number;
  readonly gid: number;
}

export interface DaemonOptions {
  readonly folder: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly user?: User | undefined;
  /** That ends it in order. */
  readonly signal?: NodeJS.Signals;
}

export class Daemon {
  readonly #child: ChildProcess;

  /** It ends with `cleanup`. */
  constructor(cleanup: AsyncDisposableStack, { folder, command, args, user, signal = 'SIGTERM' }: DaemonOptions) {
    const child = spawn(command, args, { ...user, stdio: 'ignore', cwd: folder });
    const ended = once(child, 'close');
    cleanup.defer(async () => {
      child.kill(signal);
      await ended;
    });
    this.#child = child;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Waits until it answers; rejects where it does not within a minute. */
  async ready(isReady: () => Promise<boolean>): Promise<void> {
    const untilMs = performance.now() + 60_000;
    while (!(await isReady().catch(() => false))) {
      if (this.#child.exitCode !== null || performance.now() > untilMs) {
        throw new Error(`${this.#child.spawnfile} does not start`);
      }
      await pause(50);
    }
  }
}

export function has(command: string): boolean {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).error === undefined;
}

/** What the files in a folder take on disk: room that is only set apart and was never written counts for nothing. */
export function bytesIn(folder: string): number {
  return globSync('**', { cwd: folder })
    .map((path) => statSync(join(folder, path), { throwIfNoEntry: false }))
    .reduce((sum, stat) => sum + (stat?.isFile() ? stat.blocks * bytesABlock : 0), 0);
}

const bytesABlock = 512;

/** Waits until a figure has been the same for some seconds. */
export async function steady(figure: () => number, forSeconds: number, atMostSeconds: number): Promise<void> {
  let [last, same] = [figure(), 0];
  for (let second = 0; second < atMostSeconds && same < forSeconds; second++) {
    await pause(1000);
    const next = figure();
    same = next === last ? same + 1 : 0;
    last = next;
  }
}

const ticksASecond = 100;

/** Of one process: user and system. */
export function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksASecond;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
