// The archive for stacks: providers read the history of the points that they serve, as any other client does; connectors add
// readings of the past.
import { type Batch, ProblemError } from '@telltale/schema';
import type { PastOutcome } from '@telltale/stack-kit';
import type { Archive, ArchiveReader, Archiving, ReadRequest } from '../archive/index.ts';
import type { Commands, Measurements } from '../points/index.ts';
import type { HistoryAsked } from '../stacks/index.ts';
import type { PointFeed } from './point-feed.ts';

export interface PointHistoryOptions {
  readonly measurements: Measurements;
  readonly commands: Commands;
  readonly points: PointFeed;
  readonly archive: Pick<Archive, 'read' | 'stored'>;
  readonly archiving: Archiving;
}

/** Of one answer, with the page that exceeds it. */
const mostBytes = 4 << 20;
/** Of a measurement: behind the loss of a link, which is a record, there is the last reading. */
const newestRecords = 8;

export class PointHistory {
  readonly #options: PointHistoryOptions;

  constructor(options: PointHistoryOptions) {
    this.#options = options;
  }

  /** Frames of columns; the last frame of all is missing where there was too much. Rejects with `ProblemError`. */
  async read(provider: string, asked: HistoryAsked, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>[]> {
    const { kind, pointId, sinceUs, untilUs, newestFirst, limit, stepUs, aggregate } = asked;
    const { points } = this.#options;
    const handle = points.served.handleOf(kind, pointId);
    if (handle < 0 || !points.values.serves(kind, handle, provider)) {
      throw new ProblemError('unknown-object', 'The point is no longer configured so.');
    }
    const name = this.#options[kind].nameOf(handle);
    const client = `provider/${provider}`;
    return this.#frames(
      {
        kind,
        names: [name],
        known: [name],
        sinceUs,
        untilUs,
        newestFirst,
        limit,
        form: 'binary',
        ...(aggregate !== undefined && { aggregates: [aggregate], resampleUs: stepUs }),
      },
      { client, connection: client, signal },
      mostBytes,
    );
  }

  /** Resolves when they are on disk. Rejects with `ProblemError`. */
  async store(connector: string, batch: Batch): Promise<PastOutcome> {
    const { points, measurements, archiving, archive } = this.#options;
    points.read.toHandles(batch);
    const stored = archiving.onPast(measurements.pastReadings(connector, batch));
    if (stored > 0) await archive.stored();
    return { stored, dropped: batch.count - stored };
  }

  /** The newest records of measurements, as they are on disk now, live readings of the present included. */
  async newest(connector: string, ids: readonly number[], signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>[]> {
    const { points, measurements, archive } = this.#options;
    const names = ids.flatMap((id) => {
      const handle = points.read.handleOf('measurements', id);
      return handle < 0 ? [] : [measurements.nameOf(handle)];
    });
    await archive.stored();
    const client = `connector/${connector}`;
    const request = { kind: 'measurements', names, known: [], sinceUs: 0, untilUs: Number.MAX_SAFE_INTEGER } as const;
    return this.#frames(
      { ...request, newestFirst: true, limit: newestRecords, form: 'binary' },
      { client, connection: client, signal },
      Number.POSITIVE_INFINITY,
    );
  }

  async #frames(request: ReadRequest, reader: ArchiveReader, most: number): Promise<Uint8Array<ArrayBuffer>[]> {
    const query = await this.#options.archive.read(request, reader);
    const pages: Uint8Array<ArrayBuffer>[] = [];
    let bytes = 0;
    for await (const page of query) {
      reader.signal?.throwIfAborted();
      pages.push(new Uint8Array(page)); // its memory is the reader's again
      bytes += page.length;
      if (bytes > most) break;
    }
    return pages;
  }
}
