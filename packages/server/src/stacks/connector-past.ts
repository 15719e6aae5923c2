// Readings of the past of a connector, in the thread of the stacks: hands them to the server's thread, and asks it until when the
// archive has records.
import { type Batch, type BatchMessage, ColumnsReader } from '@telltale/schema';
import {
  type ArchivedPoint,
  type ConnectorHistory,
  type LastRecorded,
  maxHistoryRecords,
  type PastOutcome,
  Refused,
} from '@telltale/stack-kit';

export interface ConnectorPastOptions {
  /** Of one of its measurements; undefined where it is none. */
  readonly nameOf: (id: number) => string | undefined;
  /** These throw `Refused`. */
  readonly store: (batch: BatchMessage) => Promise<PastOutcome>;
  readonly newest: (ids: readonly number[], signal: AbortSignal) => Promise<readonly Uint8Array[]>;
}

/** Batches that are under way at once. */
const maxBatches = 4;
/** Measurements that are asked for together. */
const idsAtOnce = 500;

export class ConnectorPast implements ConnectorHistory {
  readonly #options: ConnectorPastOptions;
  readonly #ended = new AbortController();
  #running = 0;

  constructor(options: ConnectorPastOptions) {
    this.#options = options;
  }

  /** The connector is stopped. */
  stop(): void {
    this.#ended.abort(new Refused('the connector is stopped'));
  }

  async publish(batch: Batch): Promise<PastOutcome> {
    this.#ended.signal.throwIfAborted();
    if (batch.count > maxHistoryRecords) throw new Refused(`a batch has at most ${maxHistoryRecords} readings`);
    if (this.#running >= maxBatches) throw new Refused(`${maxBatches} batches are on their way already`);
    if (batch.count === 0) return { stored: 0, dropped: 0 };
    this.#running++;
    try {
      return await this.#options.store(batch.take());
    } finally {
      this.#running--;
    }
  }

  async lastRecorded(measurements: readonly ArchivedPoint[]): Promise<readonly (LastRecorded | undefined)[]> {
    const found = new Map<string, LastRecorded>();
    for (let at = 0; at < measurements.length; at += idsAtOnce) {
      const ids = measurements.slice(at, at + idsAtOnce).map(({ id }) => id);
      this.#ended.signal.throwIfAborted();
      addNewest(await this.#options.newest(ids, this.#ended.signal), found);
    }
    return measurements.map(({ id }) => found.get(this.#options.nameOf(id) ?? ''));
  }
}

/** The newest of each name come first. */
function addNewest(frames: readonly Uint8Array[], found: Map<string, LastRecorded>): void {
  const reader = new ColumnsReader();
  for (const frame of frames) {
    for (const { name, times, qualities } of reader.feed(frame)) {
      for (let at = 0; at < times.length; at++) {
        const timeUs = times[at] as number;
        const { newestUs = timeUs, soundUs } = found.get(name) ?? {};
        const isSound = ((qualities[at] as number) & 0xc0) !== 0;
        found.set(name, { newestUs, soundUs: soundUs ?? (isSound ? timeUs : undefined) });
      }
    }
  }
  reader.end();
}
