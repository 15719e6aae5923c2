// The archive's own store in the shape of a peer: in this process, as durable as in the server, a sync each commit.
import { Batch, form, systemClock, traitsOf } from '@telltale/schema';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import type { ReadRequest } from '../packages/server/src/archive/archive-access.ts';
import { BlockFile } from '../packages/server/src/archive/files/block-file.ts';
import { ArchiveQuery } from '../packages/server/src/archive/query/archive-query.ts';
import { NameSnapshot } from '../packages/server/src/archive/query/name-snapshot.ts';
import { QueryContext, type QueryOptions } from '../packages/server/src/archive/query/query.ts';
import { RecordMerge } from '../packages/server/src/archive/query/record-merge.ts';
import { atEnd, atRun } from '../packages/server/src/archive/query/record-runs.ts';
import { Columns } from '../packages/server/src/archive/records.ts';
import { needsHead } from '../packages/server/src/archive/snapshot-request.ts';
import { ArchiveStore } from '../packages/server/src/archive/store/archive-store.ts';
import { runCompaction } from '../packages/server/src/archive/store/run-compaction.ts';
import { type DataSeries, type DataSet, makeData, scanUs, startUs } from './archive-data.ts';
import { bytesIn, type Peer } from './peers/peer.ts';

/** Records are taken for so long, then committed, then older ones are flushed for so long: together below 100 ms. */
const takeMs = 45;
const flushMs = 35;
const sliceMs = 5;
const scansABatch = 1000;

export class OurStore implements Peer {
  readonly name = 'ours';
  readonly folder: string;
  readonly #store: ArchiveStore;
  readonly #blocks = new Map<string, BlockFile>();
  readonly #into = new Columns();
  readonly #options: QueryOptions = {
    blockOf: (path) => this.#blockOf(path),
    onDamage: ({ file, reason }) => {
      throw new Error(`${file}: ${reason}`);
    },
  };
  /** The longest time between two commits of a load. */
  longestGapMs = 0;

  /** It ends with `cleanup`. */
  constructor(cleanup: AsyncDisposableStack) {
    this.folder = temporaryFolder(cleanup);
    cleanup.defer(() => this.#close());
    this.#store = ArchiveStore.open(this.folder, {
      clock: systemClock,
      onDamage: ({ file, reason }) => {
        throw new Error(`${file}: ${reason}`);
      },
    });
  }

  async load(data: DataSet): Promise<number> {
    return this.write(data.series, batchesOf(data));
  }

  /** Milliseconds until all of it is on disk, and out of the journal in blocks: nothing is left but to merge these. */
  write(series: readonly DataSeries[], batches: readonly Batch[]): number {
    const store = this.#store;
    const numbers = Uint32Array.from(
      series.map(({ name, datatype }) => store.seriesOf({ kind: 'measurements', name, datatype }).number),
    );
    const start = performance.now();
    let [committed, taking] = [start, start];
    for (const batch of batches) {
      store.append(batch, numbers);
      if (performance.now() - taking < takeMs) continue;
      store.commit();
      const now = performance.now();
      this.longestGapMs = Math.max(this.longestGapMs, now - committed);
      while (store.maintain(sliceMs) && performance.now() - now < flushMs);
      committed = now;
      taking = performance.now();
    }
    store.freeze();
    while (store.maintain(sliceMs));
    return performance.now() - start;
  }

  async compact(): Promise<void> {
    this.merge(true);
  }

  /** Merges what is to be merged, or everything, and gives the milliseconds. */
  merge(all: boolean): number {
    const start = performance.now();
    for (let plan = this.#store.planCompaction(all); plan !== undefined; plan = this.#store.planCompaction(all)) {
      const outcome = runCompaction(
        plan,
        () => {},
        () => false,
      );
      if (outcome.kind !== 'compacted') throw new Error(`the merge came to this: ${outcome.kind}`);
      this.#store.compactionDone(plan, outcome);
      const obsolete = this.#store.obsolete();
      for (const path of obsolete) {
        this.#blocks.get(path)?.close();
        this.#blocks.delete(path);
      }
      this.#store.unlink(obsolete);
    }
    return performance.now() - start;
  }

  async bytes(): Promise<number> {
    return bytesIn(this.folder);
  }

  /** All records are in the arrays of one `Columns` afterwards. */
  readNow(name: string, sinceUs: number, untilUs: number): number {
    const store = this.#store;
    const into = this.#into;
    into.clear();
    const snapshot = store.snapshot(store.find('measurements', name), sinceUs, untilUs, false);
    const parts = new NameSnapshot(snapshot.series, new QueryContext(this.#options));
    const records = new RecordMerge(parts.cursors({ sinceUs, untilUs }), false);
    for (let step = records.next(); step !== atEnd; step = records.next()) {
      if (step === atRun) take(records, into);
    }
    return into.count;
  }

  /** Reads as the server does, page by page, and gives the length of the answer in bytes. */
  readPages(name: string, sinceUs: number, untilUs: number, options: Partial<ReadRequest> = {}): number {
    const request = {
      kind: 'measurements',
      names: [name],
      known: [name],
      sinceUs,
      untilUs,
      form: 'json',
      ...options,
    } as const;
    const reading = new ArchiveQuery(request, this.#options);
    reading.give(this.#store.snapshot(this.#store.find('measurements', name), sinceUs, untilUs, needsHead(request)));
    let bytes = 0;
    for (let page = reading.next(); page !== undefined; page = reading.next()) bytes += page.length;
    return bytes;
  }

  async read(name: string, sinceUs: number, untilUs: number): Promise<() => number> {
    const count = this.readNow(name, sinceUs, untilUs);
    return () => count;
  }

  cpuSeconds(): number {
    return process.cpuUsage().user / 1e6;
  }

  #close(): void {
    for (const block of this.#blocks.values()) block.close();
    this.#store.close();
  }

  #blockOf(path: string): BlockFile {
    const known = this.#blocks.get(path);
    if (known !== undefined) return known;
    const opened = BlockFile.open(path);
    this.#blocks.set(path, opened);
    return opened;
  }
}

function take({ columns, from, to }: RecordMerge, into: Columns): void {
  const at = into.count;
  into.reserve(at + to - from);
  into.times.set(columns.times.subarray(from, to), at);
  into.numbers.set(columns.numbers.subarray(from, to), at);
  into.qualities.set(columns.qualities.subarray(from, to), at);
  into.count = at + to - from;
}

/** A batch a scan, as the points hand them on, or one of some scans. */
export function batchesOf({ series, scans, times, values, qualities }: DataSet, scansABatch = 1): Batch[] {
  const isLong = series.map(({ datatype }) => traitsOf(datatype).form === form.long);
  const records = scansABatch * series.length;
  return Array.from({ length: Math.ceil(scans / scansABatch) }, (_, number) => {
    const batch = new Batch(records);
    for (let at = number * records; at < Math.min(times.length, (number + 1) * records); at++) {
      const point = at % series.length;
      const [value, quality, time] = [values[at] as number, qualities[at] as number, times[at] as number];
      if (isLong[point]) batch.long(point, BigInt(value), quality, time);
      else batch.number(point, value, quality, time);
    }
    return batch;
  });
}

/** A store with one series of so many scans, compacted. */
export async function storeOfOne(cleanup: AsyncDisposableStack, scans: number) {
  const data = makeData(1, scans, 'shared');
  const store = new OurStore(cleanup);
  store.write(data.series, batchesOf(data, scansABatch));
  await store.compact();
  return { store, name: data.series[0]?.name ?? '', untilUs: startUs + scans * scanUs };
}
