// Records that are in memory, as a query reads those of a block. Nothing of them is erased any more.
import { type Block, type Chunk, Columns, type Series, simulated } from '../../archive/query/index.ts';

/** Of a chunk; queries read one at a time. */
const chunkRecords = 1024;

interface ColumnsChunk extends Chunk {
  readonly from: number;
}

export class ColumnsBlock implements Block {
  readonly header = { tombstonesApplied: Number.POSITIVE_INFINITY };
  readonly #columns: Columns;
  #chunks: readonly ColumnsChunk[] | undefined;

  /** In order of time, then of arrival; there is at least one. */
  constructor(columns: Columns) {
    this.#columns = columns;
  }

  chunksOf(): readonly Chunk[] {
    this.#chunks ??= chunksOf(this.#columns);
    return this.#chunks;
  }

  read(_series: Series, chunk: Chunk, into: Columns): undefined {
    const { from, count } = chunk as ColumnsChunk;
    appendRecords(this.#columns, from, from + count, into);
  }

  takeColumns(): Columns {
    return new Columns(chunkRecords);
  }

  giveBack(): void {}
}

function chunksOf({ count, times, qualities }: Columns): ColumnsChunk[] {
  const chunks: ColumnsChunk[] = [];
  for (let from = 0; from < count; from += chunkRecords) {
    const to = Math.min(count, from + chunkRecords);
    const hasSimulated = qualities.subarray(from, to).some((quality) => (quality & simulated) !== 0);
    const [firstUs, lastUs] = [times[from] as number, times[to - 1] as number];
    chunks.push({ from, firstUs, lastUs, count: to - from, hasSimulated, summary: undefined });
  }
  return chunks;
}

/** Bit by bit. */
export function appendRecords(columns: Columns, from: number, to: number, into: Columns): void {
  const at = into.count;
  into.reserve(at + to - from);
  into.times.set(columns.times.subarray(from, to), at);
  into.longs.set(columns.longs.subarray(from, to), at);
  into.qualities.set(columns.qualities.subarray(from, to), at);
  if (columns.texts[from] !== undefined) {
    for (let i = from; i < to; i++) into.texts[at + i - from] = columns.texts[i] as string;
  }
  into.count = at + to - from;
}
