// The thread that merges and checks blocks, as the one that writes knows it: started when it is first needed, one piece
// of work at a time.
import type { Worker } from 'node:worker_threads';
import { startThread } from '../threads/index.ts';
import type { Damage } from './files/damage.ts';
import type { MergePlan } from './store/merge-plan.ts';
import type { MergeOutcome } from './store/run-merge.ts';

export type ToMerger =
  | { readonly kind: 'merge'; readonly plan: MergePlan }
  | { readonly kind: 'check'; readonly paths: readonly string[] };

export type FromMerger =
  | { readonly kind: 'progress'; readonly doneBytes: number }
  | { readonly kind: 'merged'; readonly outcome: MergeOutcome }
  | { readonly kind: 'checked'; readonly damages: readonly Damage[] };

type OnProgress = (doneBytes: number) => void;

export class MergeWorker {
  #thread: Worker | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  merge(plan: MergePlan, onProgress: OnProgress = () => {}): Promise<MergeOutcome> {
    return this.#inTurn(async () => {
      const answer = await this.#work({ kind: 'merge', plan }, onProgress);
      return answer.kind === 'merged' ? answer.outcome : { kind: 'stopped' };
    });
  }

  /** What cannot be read of these block files. */
  check(paths: readonly string[], onProgress: OnProgress): Promise<readonly Damage[]> {
    return this.#inTurn(async () => {
      const answer = await this.#work({ kind: 'check', paths }, onProgress);
      return answer.kind === 'checked' ? answer.damages : [];
    });
  }

  /** A merge that runs is given up: its file is none yet. */
  async close(): Promise<void> {
    await this.#thread?.terminate();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => undefined);
    return done;
  }

  /** Rejects where the thread dies of it; the next piece of work gets another one. */
  #work(message: ToMerger, onProgress: OnProgress): Promise<FromMerger> {
    const thread = this.#thread ?? startThread(new URL('./merge-thread.ts', import.meta.url), 'archive merger');
    this.#thread = thread;
    return new Promise((resolve, reject) => {
      const hear = (answer: FromMerger) => {
        if (answer.kind === 'progress') onProgress(answer.doneBytes);
        else settle(() => resolve(answer));
      };
      const die = (error: Error | number) => {
        this.#thread = undefined;
        settle(() => reject(error instanceof Error ? error : new Error(`the merging thread ended with ${error}`)));
      };
      const settle = (end: () => void) => {
        thread.off('message', hear).off('error', die).off('exit', die);
        end();
      };
      thread.on('message', hear).on('error', die).on('exit', die);
      thread.postMessage(message);
    });
  }
}
