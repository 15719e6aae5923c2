// What queries read from the store: for each name its series, each with the weeks that have records, which are loaded when it is their
// turn. A query that ends has the store end what it does for it.
import { ProblemError } from '@telltale/schema/values';
import type { Block, ReaderSource, ReadRequest, SnapshotRequest, Snapshots } from '../../archive/query/index.ts';
import type { Connections } from '../postgres/connections.ts';
import { DecodedParcels, type OnDamaged } from './decoded-parcels.ts';
import { type LoadedSeries, loadNames } from './load-spans.ts';
import { type ReadLimits, usualLimits } from './read-limits.ts';
import { SeriesBlocks } from './series-blocks.ts';
import { isStorable, siteName } from './site-name.ts';
import { type Interval, type SpanQuery, weekNumbers } from './span-sql.ts';
import type { SpanSource } from './span-window.ts';
import { orProblem } from './store-problem.ts';
import { type Copy, readSnapshot } from './store-snapshot.ts';

export interface StoreReadRequest extends ReadRequest {
  /** Whose names these are. Undefined: each is `site/name`. */
  readonly site: string | undefined;
}

interface Running {
  readonly stop: AbortController;
  readonly blocks: Map<string, Block>;
}

const cancelled = new ProblemError('stopping', 'The query was cancelled.');

export class StoreSource implements ReaderSource<StoreReadRequest> {
  readonly #connections: Connections;
  readonly #limits: ReadLimits;
  readonly #parcels: DecodedParcels;
  readonly #running = new Map<number, Running>();

  /** `onDamaged`: a parcel that is not sealed cannot be read, and is left out. */
  constructor(connections: Connections, onDamaged: OnDamaged, limits = usualLimits) {
    this.#connections = connections;
    this.#parcels = new DecodedParcels(onDamaged);
    this.#limits = limits;
  }

  /** Rejects with a `ProblemError`. */
  async snapshots(id: number, wanted: SnapshotRequest, request: StoreReadRequest): Promise<Snapshots> {
    const { kind, names, sinceUs, untilUs, needsHead } = wanted;
    const isBackward = request.newestFirst === true || request.transitions !== undefined;
    const query: SpanQuery = { sinceUs, untilUs, isBackward, readsAll: !isSummarized(request), looksBack: needsHead };
    const asked = names.map((name) => siteName(request.site, name));
    const limits = {
      ...this.#limits,
      rows: Math.ceil(this.#limits.rows / names.length),
      arrays: Math.ceil(this.#limits.arrays / names.length),
    };
    const { stop, blocks } = this.#runningOf(id);
    const source = this.#sourceOf(stop.signal);
    const { all, weeks } = await source.read(async (copy) => {
      const all = await loadNames(copy, this.#parcels, kind, asked.filter(isStorable), query, limits);
      const isWhole = (!needsHead || sinceUs === 0) && all.every(({ span }) => isAllOf(span, query));
      return { all, weeks: isWhole ? [] : await readWeeks(copy) };
    });
    const found = Map.groupBy(all, ({ site, series: { name } }) => `${site}/${name}`);
    const reading = { query, weeks };
    blocks.clear();
    return asked.map(({ site, name }) => {
      const parts = found.get(`${site}/${name}`)?.map((loaded) => new SeriesBlocks(source, reading, loaded));
      for (const part of parts ?? []) for (const [path, block] of part.blocks()) blocks.set(path, block);
      return parts && { series: parts.map(({ snapshot }) => snapshot) };
    });
  }

  /** It is known, and not over. */
  isRunning(id: number): boolean {
    return this.#running.has(id);
  }

  /** Without snapshots: it is over. */
  need(id: number, snapshots: Snapshots): void {
    if (snapshots.length > 0) return;
    this.#running.get(id)?.stop.abort(cancelled);
    this.#running.delete(id);
  }

  blockOf(id: number, path: string): Block {
    return this.#running.get(id)?.blocks.get(path) as Block;
  }

  /** Nothing that is sealed is left out: what is damaged ends the query. */
  damaged(): void {}

  #runningOf(id: number): Running {
    const running = this.#running.get(id) ?? { stop: new AbortController(), blocks: new Map() };
    this.#running.set(id, running);
    return running;
  }

  #sourceOf(signal: AbortSignal): SpanSource {
    return {
      parcels: this.#parcels,
      limits: this.#limits,
      read: (work) => orProblem(readSnapshot(this.#connections, work, signal)),
    };
  }
}

function isSummarized({ resampleUs, calendar, maxPoints }: ReadRequest): boolean {
  return resampleUs !== undefined || calendar !== undefined || maxPoints !== undefined;
}

function isAllOf(span: LoadedSeries['span'], { sinceUs, untilUs }: Interval): boolean {
  return span?.sinceUs === sinceUs && span.untilUs === untilUs;
}

async function readWeeks(copy: Copy): Promise<number[]> {
  const [rows] = await copy(weekNumbers);
  const weeks: number[] = [];
  while (rows.nextRow()) weeks.push(rows.int4());
  return weeks;
}
