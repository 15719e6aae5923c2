// For tests: archives in temporary folders, and what is done with them again and again.
import { mkdtempSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ManualClock } from '@telltale/schema/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import type { ArchiveDamage } from '../src/archive/archive-access.ts';
import { inventoryName } from '../src/archive/files/file-names.ts';
import { ArchiveStore, type ArchiveStoreOptions } from '../src/archive/store/archive-store.ts';
import { runCompaction } from '../src/archive/store/run-compaction.ts';
import { append, type ModelRecord } from './store-model.ts';

const root = temporaryFolder(suiteCleanup());

export const startUs = 1_700_000_000_000_000;
export const dayUs = 86_400_000_000;

export interface OpenedArchive {
  readonly store: ArchiveStore;
  readonly folder: string;
  readonly clock: ManualClock;
  readonly damages: ArchiveDamage[];
}

export function openArchive(options: Partial<ArchiveStoreOptions> & { folder?: string } = {}): OpenedArchive {
  const folder = options.folder ?? mkdtempSync(join(root, 'archive-'));
  const clock = (options.clock as ManualClock | undefined) ?? new ManualClock(startUs);
  const damages: ArchiveDamage[] = [];
  const store = ArchiveStore.open(folder, { clock, onDamage: (damage) => damages.push(damage), ...options });
  return { store, folder, clock, damages };
}

/** Numbers of the series `level`, a second apart, up to `untilUs`. */
export function levels(count: number, untilUs: number, value = 0): ModelRecord[] {
  return Array.from({ length: count }, (_, at) => {
    return { key: 0, time: untilUs - (count - at) * 1_000_000, value: value + at / 4, quality: 0xc0 };
  });
}

export function commit(store: ArchiveStore, records: readonly ModelRecord[]): void {
  append(store, records);
  store.commit();
}

/** Into blocks with all that is in memory. */
export function flush(store: ArchiveStore): void {
  store.freeze();
  while (store.maintain(5));
}

export function mergeAll(store: ArchiveStore, all = true): number {
  let merges = 0;
  for (let plan = store.planCompaction(all); plan !== undefined; plan = store.planCompaction(all), merges++) {
    store.compactionDone(plan, runCompaction(plan, ignored, never));
  }
  store.unlink(store.obsolete());
  return merges;
}

export function ignored(): void {}

export function never(): boolean {
  return false;
}

export function blocksIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.endsWith('.ttb'));
}

/** Of records; the inventory has a line a file. */
export function bytesIn(folder: string): number {
  const names = readdirSync(folder).filter((name) => name !== inventoryName);
  return names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

export function timesOf(records: readonly { readonly time: number }[]): number[] {
  return records.map(({ time }) => time);
}
