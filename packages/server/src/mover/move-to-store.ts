// Sends all of an archive to the store, as the server does, and compares what the store has then.
import { pause } from '@telltale/schema';
import { type Archive, kinds } from '../archive/index.ts';
import { type SharedStore, siteIdOf } from '../store/index.ts';
import {
  closeMs,
  counting,
  type Move,
  type MoveDifference,
  type MoveResult,
  openArchive,
  type StoreRecords,
} from './move.ts';
import { type NameSum, sumsOf } from './name-sums.ts';

const askEveryMs = 200;

/** `storeOf` makes what sends an archive. Rejects where the archive fails. */
export async function moveToStore(move: Move, storeOf: (archive: Archive) => SharedStore): Promise<MoveResult> {
  const failed = Promise.withResolvers<never>();
  const archive = await openArchive(move, failed.reject);
  const store = storeOf(archive);
  try {
    store.open(siteIdOf(move.folder));
    await Promise.race([allSent(move, store), failed.promise]);
    const there = await move.openStore();
    try {
      return await Promise.race([compare(move, archive, there), failed.promise]);
    } finally {
      await there.close();
    }
  } finally {
    await store.close(closeMs);
    await archive.close(closeMs);
  }
}

async function allSent({ clock, signal, onProgress }: Move, store: SharedStore): Promise<void> {
  let total = 0;
  for (;;) {
    signal.throwIfAborted();
    const { state, error, 'waiting-records': waiting } = store.state;
    total = Math.max(total, waiting);
    onProgress({ step: 'sending', done: total - waiting, total, waitsFor: error ?? undefined });
    if (state === 'up' && store.isIdle) return;
    await pause(clock, askEveryMs, signal);
  }
}

/** The store may have more from before: what the archive does not keep any longer. */
async function compare(move: Move, archive: Archive, there: StoreRecords): Promise<MoveResult> {
  const onRecords = counting(move, 'comparing', 2 * (await archive.stats()).records);
  const differences: MoveDifference[] = [];
  let [count, records] = [0, 0];
  for (const kind of kinds) {
    const names = await archive.names(kind);
    const inStore = sumsOf(there, kind, names, onRecords);
    for await (const [name, sum] of sumsOf(archive, kind, names, onRecords)) {
      const { value: [, known] = [] } = (await inStore.next()) as { value: readonly [string, NameSum] };
      count++;
      records += sum.records;
      let found = known as NameSum;
      if (found.records > sum.records && sum.firstUs !== undefined) {
        [[, found]] = (await Array.fromAsync(sumsOf(there, kind, [name], () => {}, sum.firstUs))) as [
          [string, NameSum],
        ];
      }
      if (found.checksum !== sum.checksum) differences.push({ kind, name, here: sum.records, there: found.records });
    }
  }
  return { names: count, records, differences };
}
