// The processes of function modules as the machine shows them, whatever the service says: found in /proc by the mark
// that they carry.
import { createHash } from 'node:crypto';
import { closeSync, openSync, readdirSync, readSync, realpathSync } from 'node:fs';

/** Only Linux reports it. */
export const canListProcesses = process.platform === 'linux';

const mostBytes = 65_536;

export interface MarkedProcess {
  readonly pid: number;
  /** `keeper` is the run of the keeper. */
  readonly run: string;
  readonly module: string;
  /** Each run has another, also where a new server counts its runs again. */
  readonly token: string;
}

/** Those that live and carry the mark of this data folder. */
export function markedProcesses(data: string): MarkedProcess[] {
  const mark = createHash('sha256').update(realpathSync(data)).digest('hex').slice(0, 16);
  return pids().flatMap((pid) => {
    const environment = environmentOf(pid);
    const run = environment.get('TELLTALE_RUN') ?? '';
    if (!run.startsWith(`${mark}.`) || stateOf(pid) === 'Z') return [];
    const module = environment.get('TELLTALE_MODULE') ?? '';
    return [{ pid, run: run.slice(mark.length + 1), module, token: environment.get('TELLTALE_TOKEN') ?? '' }];
  });
}

/** Those that live and have this argument on their command line, whatever they have done to their environment. */
export function processesWith(argument: string): number[] {
  return pids().filter((pid) => read(`/proc/${pid}/cmdline`).split('\0').includes(argument));
}

/** Children of this process that have ended and that it has not asked about. */
export function zombiesOf(parent: number): number[] {
  return pids().filter((pid) => {
    const [state, parentPid] = statOf(pid);
    return state === 'Z' && Number(parentPid) === parent;
  });
}

/** Where there is no such process it is not alive, and neither is a zombie. */
export function isAlive(pid: number): boolean {
  return ![undefined, 'Z', 'X'].includes(stateOf(pid));
}

/** Bytes that it has now; 0 where there is no such process. */
export function residentBytes(pid: number): number {
  return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0);
}

function pids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function environmentOf(pid: number): Map<string, string> {
  const entries = read(`/proc/${pid}/environ`).split('\0');
  return new Map(entries.map((entry) => [entry.split('=', 1)[0] as string, entry.slice(entry.indexOf('=') + 1)]));
}

/** State and parent; the name before them may hold anything. */
function statOf(pid: number): string[] {
  const text = read(`/proc/${pid}/stat`);
  return text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .slice(0, 2);
}

function stateOf(pid: number): string | undefined {
  return statOf(pid)[0] || undefined;
}

/** No more than a part of what may be without end: a process can make its environment look as long as it likes. */
function read(file: string): string {
  let handle: number | undefined;
  try {
    handle = openSync(file, 'r');
    const bytes = Buffer.alloc(mostBytes);
    return bytes.toString('latin1', 0, readSync(handle, bytes));
  } catch {
    return '';
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}
