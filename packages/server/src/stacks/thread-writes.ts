// Writes to devices on their way to the thread of their connector: those that are begun together go together, so that the
// stack can write them as one. Each has an outcome of its own, as soon as it is known.
import { ProblemError, systemClock, type Value } from '@telltale/schema';
import { type DeviceWrite, maxPendingWrites, type WriteOutcome } from '@telltale/stack-kit/host';
import type { WorkerLink } from '../threads/index.ts';
import type { Hosted } from './hosted.ts';
import type { HostClient, HostThread, WriteProgress } from './protocol.ts';
import { MaybeWritten, writeProblem } from './write-problem.ts';

type ThreadLink = Pick<WorkerLink<HostThread, HostClient>, 'call'>;

interface Waiting extends DeviceWrite {
  readonly resolve: (outcome: WriteOutcome) => void;
  readonly reject: (error: Error) => void;
}

export class ThreadWrites {
  readonly #link: () => ThreadLink | undefined;
  /** Of this turn, not sent yet. */
  readonly #waiting = new Map<Hosted, Waiting[]>();

  constructor(link: () => ThreadLink | undefined) {
    this.#link = link;
  }

  /** Resolves when the device has accepted it. Rejects with `ProblemError`; it is sent once or not at all. */
  async write(hosted: Hosted, commandId: number, value: Value): Promise<void> {
    const { name } = hosted;
    if (hosted.pendingWrites >= maxPendingWrites) {
      const reason = `${maxPendingWrites} writes are waiting for their answers already`;
      throw writeProblem(name, { kind: 'refused', reason });
    }
    if (this.#link() === undefined) {
      throw writeProblem(name, { kind: 'notConnected', reason: hosted.lastError ?? 'its thread is starting' });
    }
    hosted.pendingWrites++;
    const { promise, resolve, reject } = Promise.withResolvers<WriteOutcome>();
    this.#wait(hosted, { commandId, value, resolve, reject });
    const outcome = await promise.finally(() => hosted.pendingWrites--);
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
    const askedMs = systemClock.monotonicMs();
    const link = this.#link();
    if (link === undefined) {
      for (const { resolve } of waiting) resolve({ kind: 'notConnected', reason: 'its thread has ended' });
      return;
    }
    const writes = waiting.map(({ commandId, value }) => ({ commandId, value }));
    const onProgress = (some: WriteProgress) => {
      for (const [at, outcome] of some) waiting[at]?.resolve(outcome);
    };
    link.call<'write', WriteProgress>('write', [hosted.id, writes, askedMs], { onProgress }).then(
      (outcomes) => {
        for (const [at, { resolve }] of waiting.entries()) resolve(outcomes[at] ?? unheardOf);
      },
      (error: Error) => {
        for (const { reject } of waiting) reject(lost(hosted.name, error));
      },
    );
  }
}

const unheardOf: WriteOutcome = { kind: 'timeout', sent: true, reason: 'its thread does not say how it ended' };

function lost(connector: string, error: Error): MaybeWritten {
  if (error instanceof ProblemError) return new MaybeWritten(error.problem, error.message);
  return new MaybeWritten('connector-down', `Connector ${connector}: ${error.message}.`);
}
