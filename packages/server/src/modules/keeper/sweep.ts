// Ends what a server and its keeper that were killed have left: every process that carries the mark of this data folder, or
// none any more and has the user of one of its modules.
import type { Clock } from '@telltale/schema/values';
import { type ProcessEntry, readMark, readProcesses, readUser, signalProcess } from './process-table.ts';

export interface SweepOptions {
  /** All marks of this data folder begin with it. */
  readonly folderId: string;
  /** That only modules of this server have. */
  readonly users: ReadonlySet<number>;
  readonly clock: Clock;
  /** A keeper that lost its server ends its modules, each with its own patience: as long as this holds it is let. */
  readonly sparesKeeper: () => boolean;
}

/** The run that a keeper has instead of a number. */
const keeperRun = 'keeper';
const pauseMs = 50;
/** What the kernel does not let end by then is reported, not waited for. */
const patienceMs = 3000;

export const keeperMark = (folderId: string) => `${folderId}.${keeperRun}`;
export const runMark = (folderId: string, run: number) => `${folderId}.${run}`;

/** How many processes had to be ended, and how many could not be. */
export async function sweep(options: SweepOptions): Promise<{ ended: number; left: number }> {
  const { clock, sparesKeeper } = options;
  const ended = new Set<string>();
  let killedMs: number | undefined;
  // Twice, since a process that was starting another may not have been seen with it.
  for (let clean = 0; clean < 2; ) {
    const found = await leftBehind(options);
    clean = found.length === 0 ? clean + 1 : 0;
    if (clean > 0) continue;
    if (!sparesKeeper() || !found.some(({ isKeeper }) => isKeeper)) {
      killedMs ??= clock.monotonicMs();
      if (clock.monotonicMs() - killedMs > patienceMs) return { ended: ended.size, left: found.length };
      for (const { entry } of found) {
        ended.add(`${entry.pid} ${entry.startTicks}`);
        signalProcess(entry, 'SIGKILL');
      }
    }
    await new Promise<void>((resolve) => clock.after(pauseMs, resolve));
  }
  return { ended: ended.size, left: 0 };
}

async function leftBehind({ folderId, users }: SweepOptions): Promise<{ entry: ProcessEntry; isKeeper: boolean }[]> {
  const found: { entry: ProcessEntry; isKeeper: boolean }[] = [];
  for (const entry of (await readProcesses()).values()) {
    if (entry.pid === process.pid) continue;
    const mark = await readMark(entry.pid, folderId);
    const user = readUser(entry.pid);
    // A module may call itself the keeper, but has another user.
    const isKeeper = mark === keeperMark(folderId) && user === process.getuid?.();
    const isForgetful = mark === '' && user !== undefined && users.has(user);
    if (mark?.startsWith(`${folderId}.`) || isForgetful) found.push({ entry, isKeeper });
  }
  return found;
}
