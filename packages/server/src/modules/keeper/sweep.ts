// Ends what a server and its keeper that were killed have left: every process that carries the mark of this data folder.
import type { Clock } from '@telltale/schema/values';
import { type ProcessEntry, readMark, readProcesses, signalProcess } from './process-table.ts';

export interface SweepOptions {
  /** All marks of this data folder begin with it. */
  readonly folderId: string;
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
  const { folderId, clock, sparesKeeper } = options;
  const ended = new Set<string>();
  let killedMs: number | undefined;
  // Twice, since a process that was starting another may not have been seen with it.
  for (let clean = 0; clean < 2; ) {
    const found = await marked(folderId);
    clean = found.length === 0 ? clean + 1 : 0;
    if (clean > 0) continue;
    if (!sparesKeeper() || !found.some(({ mark }) => mark === keeperMark(folderId))) {
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

async function marked(folderId: string): Promise<{ entry: ProcessEntry; mark: string }[]> {
  const found: { entry: ProcessEntry; mark: string }[] = [];
  for (const entry of (await readProcesses()).values()) {
    if (entry.pid === process.pid) continue;
    const mark = await readMark(entry.pid);
    if (mark?.startsWith(`${folderId}.`)) found.push({ entry, mark });
  }
  return found;
}
