// What is wrong with readings, for the log: one line a reason, with how many points have it. The same reason is logged
// at most once a minute, however often points come and go.
import type { Clock } from '@telltale/schema';
import type { StackLog } from '@telltale/stack-kit';

interface Found {
  count: number;
  readonly names: string[];
  /** By the monotonic clock; undefined: not logged yet. */
  loggedMs: number | undefined;
}

const repeatMs = 60_000;
const maxNames = 3;
/** Reasons are status codes and a few texts: more are a fault of the server. */
const maxReasons = 100;

export class BadReadings {
  readonly #clock: Clock;
  readonly #log: StackLog;
  readonly #found = new Map<string, Found>();

  constructor(clock: Clock, log: StackLog) {
    this.#clock = clock;
    this.#log = log;
  }

  /** A point has turned bad for this reason. */
  note(name: string, reason: string): void {
    const found = this.#found.get(reason);
    if (found !== undefined) {
      found.count++;
      if (found.names.length < maxNames) found.names.push(name);
    } else if (this.#found.size < maxReasons) {
      this.#found.set(reason, { count: 1, names: [name], loggedMs: undefined });
    }
  }

  /** Again and again: logs what is new, and what is due. */
  flush(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [reason, found] of this.#found) {
      const isDue = found.loggedMs === undefined || nowMs - found.loggedMs >= repeatMs;
      if (!isDue) continue;
      if (found.count === 0) {
        this.#found.delete(reason);
        continue;
      }
      const others = found.count - found.names.length;
      this.#log.warn(`bad: ${found.names.join(', ')}${others > 0 ? ` and ${others} more` : ''}: ${reason}`);
      found.count = 0;
      found.names.length = 0;
      found.loggedMs = nowMs;
    }
  }
}
