// How much memory and processor time processes have taken, as the system counts it.
import { readdirSync, readFileSync } from 'node:fs';

/** Only Linux reports it. */
export const hasProcMemory = process.platform === 'linux';

/** The most bytes that the process has ever had resident; undefined where there is no such process. */
export function peakBytes(pid: number): number | undefined {
  try {
    const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
  } catch {
    return undefined;
  }
}

/** The processes that any thread of this one has started and that still run. */
export function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

/** What the process had of the processors, to some 10 ms; 0 where there is no such process. */
export function busyMsOf(pid: number): number {
  try {
    const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ');
    const [user, system] = fields.split(' ').slice(11, 13).map(Number);
    return ((user ?? 0) + (system ?? 0)) * 10; // a tick is 10 ms on every Linux
  } catch {
    return 0;
  }
}

/** Watches the children of a process until it is stopped; then it tells the most that any of them had. */
export function watchChildren(pid: number): { stop: () => { seen: number; peakBytes: number; busyMs: number } } {
  const seen = new Set<number>();
  let most = 0;
  let busyMs = 0;
  const look = () => {
    for (const child of childrenOf(pid)) {
      seen.add(child);
      most = Math.max(most, peakBytes(child) ?? 0);
      busyMs = Math.max(busyMs, busyMsOf(child));
    }
  };
  const timer = setInterval(look, 5);
  return {
    stop: () => {
      clearInterval(timer);
      return { seen: seen.size, peakBytes: most, busyMs };
    },
  };
}
