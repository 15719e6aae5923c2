// What a query answers: of an archive's files, and of a store.
import assert from 'node:assert/strict';
import type { ReadRequest } from '../src/archive/archive-access.ts';
import { ArchiveQuery } from '../src/archive/query/archive-query.ts';
import { NewestTransitions } from '../src/archive/query/newest-transitions.ts';
import type { QueryOptions } from '../src/archive/query/query.ts';
import type { SiteArchive } from '../src/archive/received/site-archive.ts';
import { snapshotRequest } from '../src/archive/snapshot-request.ts';
import type { ArchiveStore } from '../src/archive/store/archive-store.ts';
import { openBlock } from '../src/archive/store/block-list.ts';
import type { Snapshot } from '../src/archive/store/snapshot.ts';
import type { StoreReadRequest, StoreSource } from '../src/store/read/store-source.ts';

function queryOf(request: ReadRequest, blockOf: QueryOptions['blockOf']): ArchiveQuery | NewestTransitions {
  const options = { blockOf, onDamage: ({ reason }: { reason: string }) => assert.fail(reason) };
  return request.transitions === undefined
    ? new ArchiveQuery(request, options)
    : new NewestTransitions(request, options);
}

/** Of a folder that is open, in this thread. */
export function archiveAnswer(archive: ArchiveStore, request: ReadRequest): Buffer {
  return answerOf(request, (kind, name, { sinceUs, untilUs, needsHead, simulated }) => {
    const series = archive.find(kind, name);
    return series.length === 0 ? undefined : archive.snapshot(series, sinceUs, untilUs, needsHead, simulated);
  });
}

/** Of what a node of a site has of all nodes. */
export function siteAnswer(archive: SiteArchive, request: ReadRequest): Buffer {
  return answerOf(request, (kind, name, wanted) => archive.snapshot(kind, name, wanted));
}

function answerOf(request: ReadRequest, snapshotOf: SiteArchive['snapshot']): Buffer {
  const files = new Map<string, ReturnType<typeof openBlock>>();
  const query = queryOf(request, (path) => {
    const file = files.get(path) ?? openBlock(path);
    files.set(path, file);
    return file;
  });
  const pages: Buffer[] = [];
  for (let name = 0; !query.isOver; ) {
    if (query.wanted !== undefined) {
      const wanted = snapshotRequest({ ...request, sinceUs: query.sinceUs }, name);
      query.give(snapshotOf(wanted.kind, request.names[name++] as string, wanted));
    }
    pages.push(Buffer.from(query.next() ?? []));
  }
  for (const file of files.values()) file.close();
  return Buffer.concat(pages);
}

/** `meanwhile` is done whenever something is waited for. */
export async function storeAnswer(
  source: StoreSource,
  request: StoreReadRequest,
  meanwhile: () => Promise<void> = async () => {},
): Promise<Buffer> {
  const id = 1;
  const query = queryOf(request, (path) => source.blockOf(id, path));
  const pages: Buffer[] = [];
  const waiting: (Snapshot | undefined)[] = [];
  try {
    for (let name = 0; !query.isOver; ) {
      if (query.wanted !== undefined) {
        if (waiting.length === 0) {
          const wanted = snapshotRequest({ ...request, sinceUs: query.sinceUs }, name);
          const snapshots = await source.snapshots(id, wanted, request);
          name += snapshots.length;
          source.need(id, snapshots);
          waiting.push(...snapshots);
        }
        query.give(waiting.shift());
      }
      pages.push(Buffer.from(query.next() ?? []));
      if (query.awaited === undefined) continue;
      await query.awaited;
      await meanwhile();
    }
  } finally {
    source.need(id, []);
  }
  return Buffer.concat(pages);
}
