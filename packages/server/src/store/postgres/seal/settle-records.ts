// Brings new records together with what the store has of their time: what replaces something takes it out, in either direction, and
// what lies amid chunks of its stretch goes into them. The chunks of a stretch do not overlap.
import { Columns, replaces } from '../../../archive/index.ts';
import { firstFrom } from '../../../archive/query/index.ts';
import { appendRecords } from '../../read/append-records.ts';
import { comparePlaces, type Place } from '../../read/place.ts';
import { weekOf } from '../../read/weeks.ts';
import type { Connection } from '../connection.ts';
import type { ChunkChanges, Piece } from './chunk-changes.ts';
import type { HourTallies } from './hour-tallies.ts';
import { overlapping, readChunks, type StoredChunk } from './stored-chunks.ts';
import { knownRun, type PlacedSection, type Stretch } from './stretch.ts';
import { isReplacing, pickRecords, type VisibleRecords } from './visible-records.ts';

export interface SettleParts {
  readonly connection: Connection;
  readonly changes: ChunkChanges;
  readonly hours: HourTallies;
  /** As it was before these records. */
  readonly stretch: Stretch;
}

/** Of one week. */
interface Settling extends VisibleRecords {
  readonly from: number;
  readonly to: number;
  /** 1: something hides it, 2: it is in a chunk that was there. */
  readonly state: Uint8Array;
  /** Of the chunks of the stretch that are of its time, the first time of each. */
  readonly bounds: number[];
}

const [waits, isHidden, isPlaced] = [0, 1, 2];
const mostChunksRead = 128;

/** Answers the pieces that are left to be written; what there is of their stretch lies before or behind each of them. */
export async function settleRecords(parts: SettleParts, records: readonly VisibleRecords[]): Promise<Piece[]> {
  const settling = records.flatMap(byWeek);
  for (const [week, ofWeek] of Map.groupBy(settling, ({ columns, from }) => weekOf(columns.times[from] as number))) {
    const found = await overlapping(parts.connection, week, ofWeek.map(spanOf));
    const touched = ofWeek.flatMap((each, at) => touchedChunks(parts, each, found[at] as StoredChunk[]));
    for (let at = 0; at < touched.length; at += mostChunksRead) {
      const some = touched.slice(at, at + mostChunksRead);
      const chunks = some.map(({ chunk }) => chunk);
      const read = await readChunks(
        parts.connection,
        week,
        chunks,
        some.map(({ settling: { series } }) => ({ series })),
      );
      for (const [index, { settling: each, chunk }] of some.entries())
        settleChunk(parts, each, chunk, read[index] as Columns);
      await parts.changes.writeMany();
    }
  }
  return settling.flatMap((each) => {
    addHours(parts.hours, each);
    return piecesOf(each);
  });
}

function byWeek(records: VisibleRecords): Settling[] {
  const { columns } = records;
  const all: Settling[] = [];
  const state = new Uint8Array(columns.count);
  for (let from = 0; from < columns.count; ) {
    const week = weekOf(columns.times[from] as number);
    let to = from + 1;
    while (to < columns.count && weekOf(columns.times[to] as number) === week) to++;
    all.push({ ...records, from, to, state, bounds: [] });
    from = to;
  }
  return all;
}

function spanOf({ series, columns, from, to }: Settling) {
  return { series: series.id, firstUs: columns.times[from] as number, lastUs: columns.times[to - 1] as number };
}

function touchedChunks({ changes, stretch }: SettleParts, settling: Settling, chunks: readonly StoredChunk[]) {
  const { columns, sectionOf } = settling;
  return chunks.flatMap((chunk) => {
    const [from, to] = within(settling, chunk);
    const isExtendable = isOf(stretch, chunk);
    if (isExtendable) settling.bounds.push(chunk.firstUs);
    let isTouched = false;
    for (let at = from; at < to; at++) {
      const section = sectionOf[at] as PlacedSection;
      changes.follow(chunk, section);
      if (isExtendable && section.run === knownRun) isTouched = true;
      else if (comparePlaces(section, chunk) < 0) isTouched ||= (chunk.flags & replaces) !== 0;
      else isTouched ||= isReplacing(columns, at);
    }
    return isTouched ? [{ settling, chunk }] : [];
  });
}

function isOf({ epoch, since }: Stretch, chunk: StoredChunk): boolean {
  return chunk.epoch === epoch && chunk.place > since;
}

/** The new records of its time. */
function within({ columns: { times }, from, to }: Settling, { firstUs, lastUs }: StoredChunk): [number, number] {
  const first = firstFrom(times, from, to, firstUs);
  return [first, firstFrom(times, first, to, lastUs + 1)];
}

function settleChunk(parts: SettleParts, settling: Settling, chunk: StoredChunk, stored: Columns): void {
  const { columns, sectionOf, series, state } = settling;
  const [from, to] = within(settling, chunk);
  const left: number[] = [];
  for (let at = 0, next = from; at < stored.count; at++) {
    const timeUs = stored.times[at] as number;
    while (next < to && (columns.times[next] as number) < timeUs) next++;
    let isReplaced = false;
    for (let i = next; i < to && columns.times[i] === timeUs; i++) {
      if (comparePlaces(sectionOf[i] as PlacedSection, chunk) < 0) {
        if (isReplacing(stored, at)) state[i] = isHidden;
      } else if (isReplacing(columns, i)) isReplaced = true;
    }
    if (isReplaced) parts.hours.recount(series, timeUs, timeUs + 1);
    else left.push(at);
  }
  const added: number[] = [];
  for (let at = from; at < to && isOf(parts.stretch, chunk); at++) {
    if ((sectionOf[at] as PlacedSection).run === knownRun && state[at] === waits) added.push(at);
  }
  if (added.length === 0) {
    if (left.length < stored.count) parts.changes.replace(series, chunk, pickRecords(stored, Uint32Array.from(left)));
    return;
  }
  for (const at of added) state[at] = isPlaced;
  const all = merged(pickRecords(stored, Uint32Array.from(left)), pickRecords(columns, Uint32Array.from(added)));
  parts.changes.remove(chunk);
  const rank = settling.rankOf.get(knownRun) as Place;
  parts.changes.add({ series, run: knownRun, rank, columns: all, from: 0, to: all.count });
}

/** Both in order of time; of the same time those of the first in front. */
function merged(a: Columns, b: Columns): Columns {
  const all = new Columns(a.count + b.count);
  let from = 0;
  for (let at = 0; at < b.count; ) {
    const upTo = firstFrom(a.times, from, a.count, (b.times[at] as number) + 1);
    if (upTo > from) appendRecords(a, from, upTo, all);
    from = upTo;
    const end = from < a.count ? firstFrom(b.times, at, b.count, a.times[from] as number) : b.count;
    appendRecords(b, at, end, all);
    at = end;
  }
  if (from < a.count) appendRecords(a, from, a.count, all);
  return all;
}

function addHours(hours: HourTallies, { series, columns, from, to, state }: Settling): void {
  for (let at = from; at < to; ) {
    let end = at;
    while (end < to && state[end] !== isHidden) end++;
    if (end > at) hours.add(series, columns, at, end);
    at = end + 1;
  }
}

/** What is left, by runs; of the stretch, between its chunks. */
function piecesOf({ series, columns, sectionOf, rankOf, from, to, state, bounds }: Settling): Piece[] {
  const positions: number[] = [];
  for (let at = from; at < to; at++) if (state[at] === waits) positions.push(at);
  const sorted = Float64Array.from(bounds).sort();
  return [...Map.groupBy(positions, (at) => (sectionOf[at] as PlacedSection).run)].flatMap(([run, own]) => {
    const left = pickRecords(columns, Uint32Array.from(own));
    const cuts = run === knownRun ? Array.from(sorted, (us) => firstFrom(left.times, 0, left.count, us)) : [];
    const ends = [...new Set([...cuts, left.count])].filter((end) => end > 0);
    const rank = rankOf.get(run) as Place;
    return ends.map((end, at) => ({ series, run, rank, columns: left, from: ends[at - 1] ?? 0, to: end }));
  });
}
