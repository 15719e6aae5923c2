// The thread that merges and checks blocks: long work on files that do not change.
import { parentPort } from 'node:worker_threads';
import type { FromMerger, ToMerger } from './merge-worker.ts';
import { checkBlocks } from './store/check-blocks.ts';
import { type MergeOutcome, runMerge } from './store/run-merge.ts';

/** Progress is told when so much more is done. */
const tellBytes = 4 << 20;

function main(): void {
  if (parentPort === null) throw new Error('merge-thread.ts runs as a worker thread');
  const port = parentPort;
  const tell = (message: FromMerger) => port.postMessage(message);
  port.on('message', (message: ToMerger) => {
    let toldBytes = 0;
    const onProgress = (doneBytes: number) => {
      if (doneBytes - toldBytes < tellBytes) return;
      toldBytes = doneBytes;
      tell({ kind: 'progress', doneBytes });
    };
    if (message.kind === 'merge') tell({ kind: 'merged', outcome: merge(message.plan, onProgress) });
    else tell({ kind: 'checked', damages: checkBlocks(message.paths, onProgress) });
  });
}

function merge(plan: Parameters<typeof runMerge>[0], onProgress: (doneBytes: number) => void): MergeOutcome {
  try {
    return runMerge(plan, onProgress, () => false);
  } catch (error) {
    return { kind: 'failed', reason: (error as Error).message };
  }
}

main();
