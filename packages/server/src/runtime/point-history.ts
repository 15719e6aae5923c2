// The archive for providers: the history of the points that they serve, read as any other client reads it.
import { ProblemError } from '@telltale/schema';
import type { ArchiveAccess } from '../archive/index.ts';
import type { Commands, Measurements } from '../points/index.ts';
import type { HistoryAsked } from '../stacks/index.ts';
import type { PointFeed } from './point-feed.ts';

export interface PointHistoryOptions {
  readonly measurements: Measurements;
  readonly commands: Commands;
  readonly points: PointFeed;
  readonly archive: Pick<ArchiveAccess, 'read'>;
}

/** Of one answer, with the page that exceeds it. */
const mostBytes = 4 << 20;

export class PointHistory {
  readonly #options: PointHistoryOptions;

  constructor(options: PointHistoryOptions) {
    this.#options = options;
  }

  /** Frames of columns; the last frame of all is missing where there was too much. Rejects with `ProblemError`. */
  async read(provider: string, asked: HistoryAsked, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>[]> {
    const { kind, pointId, sinceUs, untilUs, newestFirst, limit, stepUs, aggregate } = asked;
    const { archive, points } = this.#options;
    const handle = points.served.handleOf(kind, pointId);
    if (handle < 0 || !points.values.serves(kind, handle, provider)) {
      throw new ProblemError('unknown-object', 'The point is no longer configured so.');
    }
    const name = this.#options[kind].nameOf(handle);
    const client = `provider/${provider}`;
    const query = await archive.read(
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
    );
    const pages: Uint8Array<ArrayBuffer>[] = [];
    let bytes = 0;
    for await (const page of query) {
      signal.throwIfAborted();
      pages.push(new Uint8Array(page)); // its memory is the reader's again
      bytes += page.length;
      if (bytes > mostBytes) break;
    }
    return pages;
  }
}
