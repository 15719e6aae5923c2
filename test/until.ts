// Waits for what comes in its own time: looks again and again, and fails only when it has not come for very long.
import { setTimeout as wait } from 'node:timers/promises';

const mostMs = 30_000;

/** Resolves with the first result that is neither undefined nor false. */
export async function until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
  const deadline = performance.now() + mostMs;
  while (performance.now() < deadline) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await wait(5);
  }
  throw new Error(`still not so after ${mostMs} ms: ${what}`);
}
