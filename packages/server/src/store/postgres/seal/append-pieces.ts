// Adds new records behind what there is of their series. The last chunks are written again together with them, unless they are many
// times as large: so chunks become full, and no record is written often.
import { Columns } from '../../../archive/index.ts';
import { appendRecords } from '../../read/append-records.ts';
import { weekOf } from '../../read/weeks.ts';
import type { Connection } from '../connection.ts';
import type { ChunkChanges, Piece } from './chunk-changes.ts';
import { mostInChunk } from './chunk-rows.ts';
import { readChunks, type StoredChunk, tailsOf } from './stored-chunks.ts';
import type { Stretch } from './stretch.ts';

/** A chunk that has more than so many records for each new one stays as it is: measured, records are written about 10 times. */
const timesLarger = 8;
/** Asked for in one go. */
const mostSpans = 2 ** 14;
const mostRecordsRead = 2 ** 17;

interface Extended {
  readonly piece: Piece;
  /** In order of time. */
  readonly chunks: readonly StoredChunk[];
}

/** Of the stretch; pieces of a series in order of time. Answers those that do not lie behind what there is of them: nothing was done with them. */
export async function appendPieces(
  connection: Connection,
  changes: ChunkChanges,
  stretch: Stretch,
  pieces: readonly Piece[],
): Promise<Piece[]> {
  const amid: Piece[] = [];
  /** By series, where the piece before ends: what lies before it may be written again with that one. */
  const ends = new Map<number, number>();
  for (const [week, ofWeek] of Map.groupBy(pieces, weekOfPiece)) {
    for (let at = 0; at < ofWeek.length; at += mostSpans) {
      const some = ofWeek.slice(at, at + mostSpans);
      const tails = await tailsOf(connection, week, some.map(spanOf), stretch);
      const extended: Extended[] = [];
      for (const [index, piece] of some.entries()) {
        const { series, firstUs, lastUs } = spanOf(piece);
        const endUs = ends.get(series) ?? -1;
        const tail = (tails[index] as StoredChunk[]).filter((chunk) => chunk.firstUs > endUs);
        ends.set(series, lastUs);
        if (tail[0] !== undefined && tail[0].lastUs > firstUs) amid.push(piece);
        else extended.push({ piece, chunks: smallOnes(tail, piece.to - piece.from) });
      }
      await writeExtended(connection, changes, week, extended);
    }
  }
  return amid;
}

export function weekOfPiece({ columns, from }: Piece): number {
  return weekOf(columns.times[from] as number);
}

export function spanOf({ series, columns, from, to }: Piece) {
  return { series: series.id, firstUs: columns.times[from] as number, lastUs: columns.times[to - 1] as number };
}

/** In order of time. */
function smallOnes(tail: readonly StoredChunk[], added: number): StoredChunk[] {
  const chunks: StoredChunk[] = [];
  let count = added;
  for (const chunk of tail) {
    if (chunk.count >= mostInChunk || chunk.count > timesLarger * count) break;
    // Where there is much, it is not worth it to make one full that is half full.
    if (chunk.count >= mostInChunk / 2 && added >= mostInChunk / 2) break;
    chunks.unshift(chunk);
    count += chunk.count;
  }
  return chunks;
}

async function writeExtended(
  connection: Connection,
  changes: ChunkChanges,
  week: number,
  extended: readonly Extended[],
): Promise<void> {
  for (let at = 0; at < extended.length; ) {
    const some: Extended[] = [];
    for (let records = 0; at < extended.length && records < mostRecordsRead; at++) {
      const next = extended[at] as Extended;
      some.push(next);
      records += next.chunks.reduce((sum, { count }) => sum + count, 0);
    }
    const chunks = some.flatMap((each) => each.chunks);
    const pieces = some.flatMap((each) => each.chunks.map(() => each.piece));
    const read = chunks.length === 0 ? [] : await readChunks(connection, week, chunks, pieces);
    let next = 0;
    for (const { piece, chunks: own } of some) {
      const before = read.slice(next, next + own.length);
      next += own.length;
      for (const chunk of own) changes.remove(chunk);
      changes.add(before.length === 0 ? piece : together(before, piece));
    }
    await changes.writeMany();
  }
}

function together(before: readonly Columns[], piece: Piece): Piece {
  const records = before.reduce((sum, { count }) => sum + count, piece.to - piece.from);
  const columns = new Columns(records);
  for (const each of before) appendRecords(each, 0, each.count, columns);
  appendRecords(piece.columns, piece.from, piece.to, columns);
  return { ...piece, columns, from: 0, to: columns.count };
}
