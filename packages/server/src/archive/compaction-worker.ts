// The client, on the writer thread, of the thread that compacts and checks blocks: started when it is first needed, one
// task at a time.
import { startThread, threadPort, WorkerLink } from '../threads/index.ts';
import type { Damage } from './files/damage.ts';
import type { CompactionThread } from './protocol.ts';
import type { CompactionPlan } from './store/compaction-plan.ts';
import type { CompactionOutcome } from './store/run-compaction.ts';

type OnProgress = (doneBytes: number) => void;

export class CompactionWorker {
  #thread: WorkerLink<CompactionThread> | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  compact(plan: CompactionPlan, onProgress: OnProgress = () => {}): Promise<CompactionOutcome> {
    return this.#inTurn((thread) => thread.call('compact', [plan], { onProgress }));
  }

  /** What cannot be read of these block files. */
  check(paths: readonly string[], onProgress: OnProgress): Promise<readonly Damage[]> {
    return this.#inTurn((thread) => thread.call('check', [paths], { onProgress }));
  }

  /** A running merge is abandoned: its file does not count yet. */
  async close(): Promise<void> {
    await this.#thread?.kill();
  }

  /** Rejects where the thread dies of it; the next piece of work gets another one. */
  #inTurn<T>(work: (thread: WorkerLink<CompactionThread>) => Promise<T>): Promise<T> {
    const done = this.#queue.then(() => {
      if (!this.#thread?.isOpen) this.#thread = this.#start();
      return work(this.#thread);
    });
    this.#queue = done.catch(() => undefined);
    return done;
  }

  #start(): WorkerLink<CompactionThread> {
    const thread = startThread(new URL('./compaction-thread.ts', import.meta.url), 'archive merger');
    return new WorkerLink(threadPort(thread), { handlers: {} });
  }
}
