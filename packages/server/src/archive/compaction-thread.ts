// The thread that compacts and checks blocks: long work on files that do not change.
import { parentLink } from '../threads/index.ts';
import type { CompactionThread } from './protocol.ts';
import { checkBlocks } from './store/check-blocks.ts';
import { runCompaction } from './store/run-compaction.ts';

/** Progress is reported when so much more is done. */
const reportBytes = 4 << 20;

/** Reports now and then. */
function seldom(report: (doneBytes: number) => void): (doneBytes: number) => void {
  let reportedBytes = 0;
  return (doneBytes) => {
    if (doneBytes - reportedBytes < reportBytes) return;
    reportedBytes = doneBytes;
    report(doneBytes);
  };
}

function main(): void {
  parentLink<object, CompactionThread>({
    compact(plan, { report }) {
      try {
        return runCompaction(plan, seldom(report), () => false);
      } catch (error) {
        return { kind: 'failed', reason: (error as Error).message };
      }
    },
    check: (paths, { report }) => checkBlocks(paths, seldom(report)),
  });
}

main();
