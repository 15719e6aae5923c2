// Writes to devices on their way to the thread of their connector: those that are begun together go together, so that the
// stack can write them as one. Each has an outcome of its own, as soon as it is known, and when its time is over, however
// busy the thread is.
import { type Clock, ProblemError, systemClock, type Value } from '@telltale/schema';
import { type DeviceWrite, maxPendingWrites, type WriteOutcome } from '@telltale/stack-kit/host';
import type { WorkerLink } from '../threads/index.ts';
import type { Hosted } from './hosted.ts';
import type { HostClient, HostThread, WriteProgress } from './protocol.ts';
import { createClaims, giveUp } from './write-claims.ts';
import { MaybeWritten, writeProblem } from './write-problem.ts';

type ThreadLink = Pick<WorkerLink<HostThread, HostClient>, 'call'>;

interface Waiting extends DeviceWrite {
  readonly resolve: (outcome: WriteOutcome) => void;
  readonly reject: (error: Error) => void;
  /** The thread is done with it, or it has never got it. */
  readonly leave: () => void;
}

export interface ThreadWritesOptions {
  readonly clock: Clock;
  readonly timeoutMsOf: (hosted: Hosted) => number;
  readonly link: () => ThreadLink | undefined;
}

export class ThreadWrites {
  readonly #options: ThreadWritesOptions;
  /** Of this turn, not sent yet. */
  readonly #waiting = new Map<Hosted, Waiting[]>();

  constructor(options: ThreadWritesOptions) {
    this.#options = options;
  }

  /** Resolves when the device has accepted it. Rejects with `ProblemError`; it is sent once or not at all. */
  async write(hosted: Hosted, commandId: number, value: Value): Promise<void> {
    const { name } = hosted;
    if (hosted.pendingWrites >= maxPendingWrites) {
      const reason = `${maxPendingWrites} writes are waiting for their answers already`;
      throw writeProblem(name, { kind: 'refused', reason });
    }
    if (this.#options.link() === undefined) {
      throw writeProblem(name, { kind: 'notConnected', reason: hosted.lastError ?? 'its thread is starting' });
    }
    hosted.pendingWrites++;
    let leave = () => {
      leave = () => {};
      hosted.pendingWrites--;
    };
    const { promise, resolve, reject } = Promise.withResolvers<WriteOutcome>();
    this.#wait(hosted, { commandId, value, resolve, reject, leave: () => leave() });
    const outcome = await promise;
    if (outcome.kind !== 'accepted') throw writeProblem(name, outcome);
  }

  /** Until all have come that are begun now: the items of one request begin one behind the other in the same turn. */
  #wait(hosted: Hosted, write: Waiting): void {
    const others = this.#waiting.get(hosted);
    if (others !== undefined) {
      others.push(write);
      return;
    }
    this.#waiting.set(hosted, [write]);
    queueMicrotask(() => queueMicrotask(() => this.flush(hosted)));
  }

  /** Sends what was begun so far: before anything else is said about its connector. */
  flush(hosted: Hosted): void {
    const waiting = this.#waiting.get(hosted);
    if (waiting === undefined) return;
    this.#waiting.delete(hosted);
    const { clock, timeoutMsOf, link: linkOf } = this.#options;
    const link = linkOf();
    if (link === undefined) {
      for (const { resolve, leave } of waiting) {
        leave();
        resolve({ kind: 'notConnected', reason: 'its thread has ended' });
      }
      return;
    }
    const askedMs = systemClock.monotonicMs();
    const writes = waiting.map(({ commandId, value }) => ({ commandId, value }));
    const claims = createClaims(writes.length);
    const timeoutMs = timeoutMsOf(hosted);
    const stopTimer = clock.after(timeoutMs, () => {
      for (const [at, { resolve }] of waiting.entries()) resolve(lateOutcome(!giveUp(claims, at), timeoutMs));
    });
    const settle = (at: number, outcome: WriteOutcome) => {
      waiting[at]?.leave();
      waiting[at]?.resolve(outcome);
    };
    const onProgress = (some: WriteProgress) => {
      for (const [at, outcome] of some) settle(at, outcome);
    };
    link
      .call<'write', WriteProgress>('write', [hosted.id, writes, askedMs, claims], { onProgress })
      .then(
        (outcomes) => {
          for (const at of waiting.keys()) settle(at, outcomes[at] ?? unheardOf);
        },
        (error: Error) => {
          for (const [at, { reject }] of waiting.entries()) {
            if (giveUp(claims, at)) settle(at, { kind: 'notConnected', reason: error.message });
            waiting[at]?.leave();
            reject(lost(hosted.name, error));
          }
        },
      )
      .finally(stopTimer);
  }
}

/** While its thread is busy, all that is known of it is whether the stack has got it. */
function lateOutcome(sent: boolean, timeoutMs: number): WriteOutcome {
  const reason = sent ? `no answer within ${timeoutMs} ms` : `its thread was busy for ${timeoutMs} ms`;
  return { kind: 'timeout', sent, reason };
}

const unheardOf: WriteOutcome = { kind: 'timeout', sent: true, reason: 'its thread does not say how it ended' };

function lost(connector: string, error: Error): MaybeWritten {
  if (error instanceof ProblemError) return new MaybeWritten(error.problem, error.message);
  return new MaybeWritten('connector-down', `Connector ${connector}: ${error.message}.`);
}
