// Brings new records and erasures of a site into chunks and hours, within the transaction that removes their parcels.
import type { Erased } from '../../read/section-layers.ts';
import { weekOf } from '../../read/weeks.ts';
import type { Connection } from '../connection.ts';
import { appendPieces } from './append-pieces.ts';
import { ChunkChanges, type Piece } from './chunk-changes.ts';
import { eraseChunks, type SeriesErasure } from './erase-chunks.ts';
import type { GatheredRecords, SeriesSlice } from './gathered-records.ts';
import { HourTallies } from './hour-tallies.ts';
import { settleRecords } from './settle-records.ts';
import { knownRun, type PlacedSection, type Stretch } from './stretch.ts';
import { visibleRecords } from './visible-records.ts';

export interface NewRecords {
  readonly gathered: GatheredRecords;
  readonly erasures: readonly SeriesErasure[];
  /** As it was before them. */
  readonly stretch: Stretch;
}

/** Settled together: of each the store may have chunks in memory. */
const mostSeries = 256;
const mostRecords = 2 ** 18;

export async function sealRecords(connection: Connection, { gathered, erasures, stretch }: NewRecords): Promise<void> {
  const changes = new ChunkChanges(connection);
  const hours = new HourTallies();
  const append = (pieces: readonly Piece[]) => appendPieces(connection, changes, stretch, pieces);
  await eraseChunks(connection, changes, hours, erasures);
  const erasedOf = await erasuresOf(connection, gathered);
  const [plain, others] = parted(gathered.slices, ({ isPlain, series }) => isPlain && !erasedOf.has(series.id));
  const pieces = plain.flatMap((slice) => piecesOf(gathered, slice));
  const [following, separate] = parted(pieces, ({ run }) => run === knownRun);
  for (const piece of separate) {
    changes.add(piece);
    await changes.writeMany();
  }
  const amid = await append(following);
  const isAmid = new Set(amid);
  for (const piece of pieces) {
    if (!isAmid.has(piece)) hours.add(piece.series, piece.columns, piece.from, piece.to);
  }
  for (const some of groupsOf([...others, ...amid])) {
    const records = some.map((slice) => visibleRecords(gathered, slice, erasedOf.get(slice.series.id) ?? []));
    const left = await settleRecords({ connection, changes, hours, stretch }, records);
    await changes.write();
    const [behind, apart] = parted(left, ({ run }) => run === knownRun);
    for (const piece of [...apart, ...(await append(behind))]) changes.add(piece);
    await changes.write();
  }
  await changes.write();
  await hours.write(connection);
}

function piecesOf({ columns, sections, sectionOf }: GatheredRecords, { series, from, to }: SeriesSlice): Piece[] {
  const { run, epoch, place } = sections[sectionOf[to - 1] as number] as PlacedSection;
  const pieces: Piece[] = [];
  for (let at = from; at < to; ) {
    const week = weekOf(columns.times[at] as number);
    let end = at + 1;
    // Most often all are of one week.
    if (weekOf(columns.times[to - 1] as number) === week) end = to;
    while (end < to && weekOf(columns.times[end] as number) === week) end++;
    pieces.push({ series, run, rank: { epoch, place }, columns, from: at, to: end });
    at = end;
  }
  return pieces;
}

/** By series, those that may hide new records; new ones are among them by now. */
async function erasuresOf(
  connection: Connection,
  { sections: [lowest], slices }: GatheredRecords,
): Promise<Map<number, (Erased & { readonly series: number })[]>> {
  if (lowest === undefined) return new Map();
  const { rows } = await connection.query<Erased & { readonly series: number }>(
    `select series, since_us as "sinceUs", until_us as "untilUs", epoch, place from telltale.erasure
      where series = any($1::bigint[]) and (epoch, place) >= ($2, $3)`,
    [slices.map(({ series }) => series.id), lowest.epoch, lowest.place],
  );
  return Map.groupBy(rows, ({ series }) => series);
}

function groupsOf<T extends { readonly from: number; readonly to: number }>(slices: readonly T[]): T[][] {
  const groups: T[][] = [[]];
  let records = 0;
  for (const slice of slices) {
    if (groups.at(-1)?.length === mostSeries || records >= mostRecords) {
      groups.push([]);
      records = 0;
    }
    groups.at(-1)?.push(slice);
    records += slice.to - slice.from;
  }
  return groups;
}

function parted<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  const [first, second]: [T[], T[]] = [[], []];
  for (const one of all) (isFirst(one) ? first : second).push(one);
  return [first, second];
}
