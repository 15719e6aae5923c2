// The thread that merges and checks blocks: long work on files that do not change.
import { statSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { BlockFile } from './files/block-file.ts';
import { type Damage, Damaged } from './files/damage.ts';
import type { FromMerger, ToMerger } from './merge-worker.ts';
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
    else tell({ kind: 'checked', damages: check(message.paths, onProgress) });
  });
}

function merge(plan: Parameters<typeof runMerge>[0], onProgress: (doneBytes: number) => void): MergeOutcome {
  try {
    return runMerge(plan, onProgress, () => false);
  } catch (error) {
    return { kind: 'failed', reason: (error as Error).message };
  }
}

/** A file that a merge has replaced meanwhile is no damage. */
function check(paths: readonly string[], onProgress: (doneBytes: number) => void): Damage[] {
  const damages: Damage[] = [];
  let before = 0;
  for (const path of paths) {
    const bytes = statSync(path, { throwIfNoEntry: false })?.size;
    if (bytes === undefined) continue;
    try {
      const block = BlockFile.open(path);
      damages.push(...block.verify((done) => onProgress(before + done)));
      block.close();
    } catch (error) {
      if (!(error instanceof Damaged)) throw error;
      damages.push(error.damage);
    }
    before += bytes;
  }
  return damages;
}

main();
