// Reads the shared state of a site: all of it at one revision, and long values from their parts.
import type { AskOptions, EtcdClient } from '../etcd/etcd-client.ts';
import { EtcdRefusal } from '../etcd/etcd-errors.ts';
import { type Entry, type KeyRange, oneKey } from '../etcd/etcd-kv.ts';
import { readPart } from './content-parts.ts';
import { checkForm, type LargeValue, type SharedEntry, type SharedKeys } from './shared-keys.ts';

export interface SharedSnapshot {
  readonly revision: number;
  readonly entries: readonly SharedEntry[];
}

interface PageOptions extends AskOptions {
  readonly keysOnly?: boolean;
}

/** An answer has at most so many; a value that is no part has some KiB. */
const keysOfPage = 1000;

/** Rejects with `NewerForm` as well. */
export async function readShared(etcd: EtcdClient, keys: SharedKeys, options: AskOptions): Promise<SharedSnapshot> {
  const { entries, revision } = await readAll(etcd, keys.state, options);
  const head = entries.find(({ key }) => key === keys.head);
  if (head !== undefined) checkForm(head.value);
  return { revision, entries: entries.flatMap((entry) => keys.read(entry) ?? []) };
}

/** As they all were at one revision. */
export async function readAll(
  etcd: EtcdClient,
  range: KeyRange,
  options: PageOptions,
): Promise<{ revision: number; entries: Entry[] }> {
  const entries: Entry[] = [];
  let [from, revision]: [KeyRange, number | undefined] = [range, undefined];
  for (;;) {
    const page = { ...options, limit: keysOfPage, ...(revision !== undefined && { revision }) };
    const found = await etcd.range(from, page);
    revision ??= found.revision;
    for (const entry of found.entries) entries.push(entry);
    const last = found.entries.at(-1);
    if (!found.hasMore || last === undefined) return { revision, entries };
    from = { ...range, key: Buffer.from(`${last.key}\0`).toString('base64') };
  }
}

/** As it was at the revision. Rejects with `compacted` where that is too long ago and parts of it are deleted: the value is no more. */
export async function readValue(
  etcd: EtcdClient,
  keys: SharedKeys,
  { value, revision, ...options }: AskOptions & { value: Buffer | LargeValue; revision: number },
): Promise<Buffer> {
  if (Buffer.isBuffer(value)) return value;
  const parts: Buffer[] = [];
  for (const hash of value.parts) {
    const key = oneKey(keys.part(hash));
    // A part never changes. So it is as it was, however long ago that was, or it is deleted.
    const [now] = (await etcd.range(key, options)).entries;
    const entry = now ?? (await etcd.range(key, { ...options, revision })).entries[0];
    if (entry === undefined) throw new EtcdRefusal('other', `has lost the part ${hash} of the shared state`);
    parts.push(await readPart({ hash, stored: entry.value }));
  }
  return Buffer.concat(parts, value.length);
}
