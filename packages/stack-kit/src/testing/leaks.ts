// What a process holds: sockets, timers, files, listeners, memory. Compared before and after, it shows what leaks.
import { readdirSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { until } from './until.ts';

/** How many there are of each kind. */
export type Holdings = ReadonlyMap<string, number>;

/** What keeps the process alive, by kind; open files, sockets among them; listeners of the process. */
export function holdings(): Holdings {
  const counts = new Map<string, number>();
  const count = (kind: string, more = 1) => counts.set(kind, (counts.get(kind) ?? 0) + more);
  for (const kind of process.getActiveResourcesInfo()) count(kind);
  for (const event of process.eventNames()) count(`listener of ${String(event)}`, process.listenerCount(event));
  try {
    count('open file', readdirSync('/proc/self/fd').length);
  } catch {
    // Only Linux reports it.
  }
  return counts;
}

/** As `holdings`, when what is on its way out has gone: the same many times in a row. */
export async function settledHoldings(): Promise<Holdings> {
  const total = () => [...holdings().values()].reduce((sum, count) => sum + count, 0);
  let last = -1;
  let calm = 0;
  await until('what is held does not change', () => {
    const now = total();
    calm = now === last ? calm + 1 : 0;
    last = now;
    return calm >= 10;
  });
  return holdings();
}

/** Waits until there is no more of anything than before; rejects with what is left. */
export async function untilNoMoreThan(before: Holdings): Promise<void> {
  const left = () =>
    [...holdings()].flatMap(([kind, count]) => {
      const more = count - (before.get(kind) ?? 0);
      return more > 0 ? [`${more} more of ${kind}`] : [];
    });
  try {
    await until('everything is given back', () => left().length === 0, { deadlineMs: 5000 });
  } catch (error) {
    throw new Error(`something is left that was not there before: ${left().join(', ')}`, { cause: error });
  }
}

/** Bytes in use after a thorough collection, buffers included. */
export async function memoryInUse(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let round = 0; round < 4; round++) {
    collect();
    await turn();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** What grows by a buffer each time has grown by more than this. */
export function allowedGrowth(times: number): number {
  return 2 * 2 ** 20 + times * 3 * 2 ** 10;
}

/** Collects the warnings of Node that somebody listens too often, until it is stopped. */
export class ListenerWarnings {
  readonly texts: string[] = [];
  readonly #hear = (warning: Error) => {
    if (warning.name === 'MaxListenersExceededWarning') this.texts.push(warning.message);
  };

  start(): void {
    process.on('warning', this.#hear);
  }

  stop(): void {
    process.off('warning', this.#hear);
  }
}
