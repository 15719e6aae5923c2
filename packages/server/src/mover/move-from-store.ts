// Makes the archive of a data folder from what the store has of the site, and compares what both have then. It becomes the
// archive of the folder when it is whole.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Archive, type Kind, kinds } from '../archive/index.ts';
import { bring } from './bring.ts';
import {
  closeMs,
  counting,
  type Move,
  type MoveDifference,
  type MoveResult,
  openArchive,
  type StoreRecords,
} from './move.ts';
import { endUs, type NameSum, sumsOf } from './name-sums.ts';

/** The message is for who moves it. */
export class ArchiveInTheWay extends Error {
  override readonly name = 'ArchiveInTheWay';
}

/** A data folder with nothing but this archive, while it is not whole. */
const unfinishedName = 'archive-from-store';
const archiveName = 'archive';
const markName = 'archive.control';

/** Rejects with `ArchiveInTheWay` where the folder has an archive. */
export async function moveFromStore(move: Move): Promise<MoveResult> {
  const { folder } = move;
  if (!isEmpty(join(folder, archiveName))) {
    throw new ArchiveInTheWay(
      `${join(folder, archiveName)} has records: move it away, so that the archive of the store can take its place`,
    );
  }
  const unfinished = join(folder, unfinishedName);
  mkdirSync(unfinished, { mode: 0o700, recursive: true });
  const result = await makeArchive({ ...move, folder: unfinished });
  if (result.differences.length > 0) return result;
  rmSync(join(folder, archiveName), { recursive: true, force: true });
  // The mark last: it says that there was an archive.
  for (const name of [archiveName, markName]) renameSync(join(unfinished, name), join(folder, name));
  rmSync(unfinished, { recursive: true });
  return result;
}

async function makeArchive(move: Move): Promise<MoveResult> {
  const failed = Promise.withResolvers<never>();
  const archive = await openArchive(move, failed.reject);
  try {
    const store = await move.openStore();
    try {
      return await Promise.race([bringAll(move, store, archive), failed.promise]);
    } finally {
      await store.close();
    }
  } finally {
    await archive.close(closeMs);
  }
}

async function bringAll(move: Move, store: StoreRecords, archive: Archive): Promise<MoveResult> {
  const { total } = store;
  const onBrought = counting(move, 'bringing', total);
  const sums = new Map<Kind, Map<string, NameSum>>();
  for (const kind of kinds) {
    const names = await store.names(kind);
    const known = await broughtBefore(archive, store, kind, names, onBrought);
    const missing = names.filter((name) => !known.has(name));
    for await (const [name, sum] of bring({ source: store, archive, onRecords: onBrought }, kind, missing)) {
      known.set(name, sum);
    }
    sums.set(kind, known);
  }
  const onCompared = counting(move, 'comparing', total);
  const differences: MoveDifference[] = [];
  let [count, records] = [0, 0];
  for (const [kind, known] of sums) {
    for await (const [name, { records: here, checksum }] of sumsOf(archive, kind, [...known.keys()], onCompared)) {
      const { records: there, checksum: wanted } = known.get(name) as NameSum;
      count++;
      records += here;
      if (checksum !== wanted) differences.push({ kind, name, here, there });
    }
  }
  return { names: count, records, differences };
}

/** Names that an interrupted move has brought in whole; what it has of others is erased. */
async function broughtBefore(
  archive: Archive,
  store: StoreRecords,
  kind: Kind,
  names: readonly string[],
  onRecords: (count: number) => void,
): Promise<Map<string, NameSum>> {
  const begun = new Set(await archive.names(kind));
  const both = names.filter((name) => begun.has(name));
  const known = new Map<string, NameSum>();
  const inStore = sumsOf(store, kind, both, () => {});
  for await (const [name, { records, checksum }] of sumsOf(archive, kind, both, () => {})) {
    const [, wanted] = (await inStore.next()).value as readonly [string, NameSum];
    if (checksum === wanted.checksum) {
      known.set(name, wanted);
      onRecords(records);
    } else await archive.erase(kind, name, 0, endUs);
  }
  return known;
}

function isEmpty(path: string): boolean {
  return !existsSync(path) || readdirSync(path).length === 0;
}
