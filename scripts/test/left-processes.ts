// Finds and ends the processes that a test file has started, wherever they went: they carry its mark in their environment,
// or descend from one that does. Only Linux reports it.
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type ProcessEntry,
  readEnvironment,
  readProcesses,
  signalProcess,
} from '../../packages/server/src/modules/keeper/process-table.ts';

export interface LeftProcess {
  readonly pid: number;
  readonly command: string;
}

const pauseMs = 50;
/** What was told to end takes a while to do so, a keeper with its modules most of all. */
const graceMs = 5000;
/** What the kernel does not let end by then is not waited for. */
const killMs = 5000;

/** Those that do not end by themselves, killed. */
export async function endLeftProcesses(mark: string, patienceMs = graceMs): Promise<LeftProcess[]> {
  await untilNone(mark, patienceMs, () => undefined);
  const killed = new Map<string, LeftProcess>();
  await untilNone(mark, killMs, (entry) => {
    const { pid, startTicks } = entry;
    if (!killed.has(`${pid} ${startTicks}`)) killed.set(`${pid} ${startTicks}`, { pid, command: commandOf(pid) });
    signalProcess(entry, 'SIGKILL');
  });
  return [...killed.values()];
}

/** Twice none, since a process that was starting another may not have been seen with it. */
async function untilNone(mark: string, patienceMs: number, found: (entry: ProcessEntry) => void): Promise<void> {
  const deadlineMs = performance.now() + patienceMs;
  for (let clean = 0; clean < 2 && performance.now() < deadlineMs; ) {
    const left = await processesOf(mark);
    left.forEach(found);
    clean = left.length === 0 ? clean + 1 : 0;
    if (clean < 2) await wait(pauseMs);
  }
}

async function processesOf(mark: string): Promise<ProcessEntry[]> {
  const processes = await readProcesses();
  const ours = new Set<number>();
  for (const { pid } of processes.values()) if (pid !== process.pid && (await isMarked(pid, mark))) ours.add(pid);
  const descends = ({ pid, parent }: ProcessEntry): boolean => {
    if (ours.has(pid)) return true;
    const above = parent === process.pid ? undefined : processes.get(parent);
    const isOurs = above !== undefined && above.pid !== pid && descends(above);
    if (isOurs) ours.add(pid);
    return isOurs;
  };
  return [...processes.values()].filter(descends);
}

async function isMarked(pid: number, mark: string): Promise<boolean> {
  try {
    return `\0${await readEnvironment(pid)}`.includes(`\0TEST_FILE_RUN=${mark}\0`);
  } catch {
    return false; // it has ended, or belongs to somebody else
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0').join(' ').trim().slice(0, 500);
  } catch {
    return '(ended meanwhile)';
  }
}
