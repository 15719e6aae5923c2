// The records of one series that are in memory, of all generations, as a query gets them.
import { form, traitsOf } from '@telltale/schema/values';
import { Columns, isWanted, oldestPlausibleUs, replaces, type Series, type SimulatedFilter } from '../records.ts';
import type { ErasedRange, Memtable } from './memtable.ts';
import { headCutOff } from './retention.ts';
import type { Tail } from './snapshot.ts';
import { sortByTime } from './time-order.ts';

export interface TailRequest {
  readonly series: Series;
  readonly sinceUs: number;
  readonly untilUs: number;
  /** Also the newest record before `sinceUs`. */
  readonly needsHead: boolean;
  /** Records from 2000 on and before this have expired; 0: none have. */
  readonly cutOffUs: number;
  /** Of the records before `sinceUs`: the newest that is wanted, and whatever may have replaced older ones since. */
  readonly simulated?: SimulatedFilter | undefined;
}

/** `tables` oldest first; `erasedOf` says what was erased of the series in a table. */
export function tailOf(
  tables: readonly Memtable[],
  erasedOf: (table: Memtable) => readonly ErasedRange[],
  request: TailRequest,
): Tail | undefined {
  const { series, sinceUs, untilUs, cutOffUs } = request;
  const isText = traitsOf(series.datatype).form === form.text;
  const columns = request.needsHead ? headOf(tables, erasedOf, request) : new Columns();
  for (const table of tables) {
    if (!table.hasIn(series.number, sinceUs, untilUs)) continue;
    const take = (fromUs: number, toUs: number) => {
      const positions = table.positions(series.number, fromUs, toUs, erasedOf(table));
      table.copy(positions, 0, positions.length, isText, columns);
    };
    if (cutOffUs > 0 && sinceUs < oldestPlausibleUs) take(sinceUs, Math.min(untilUs, oldestPlausibleUs));
    take(Math.max(sinceUs, cutOffUs), untilUs);
  }
  return columns.count === 0 ? undefined : inOrder(columns, isText);
}

function headOf(
  tables: readonly Memtable[],
  erasedOf: (table: Memtable) => readonly ErasedRange[],
  request: TailRequest,
): Columns {
  const { series, sinceUs, cutOffUs, simulated } = request;
  if (simulated !== undefined) return filteredHead(tables, erasedOf, request, simulated);
  const columns = new Columns();
  let best: { readonly table: Memtable; readonly at: number } | undefined;
  let bestUs = headCutOff(sinceUs, cutOffUs);
  for (const table of tables) {
    const at = table.positionBefore(series.number, sinceUs, erasedOf(table));
    if (at < 0) continue;
    const time = table.times[at] as number;
    if (time < bestUs) continue;
    best = { table, at };
    bestUs = time;
  }
  const isText = traitsOf(series.datatype).form === form.text;
  best?.table.copy(Uint32Array.of(best.at), 0, 1, isText, columns);
  return columns;
}

/**
 * Where the newest record that is wanted was replaced by one that is not, the next older one counts. All that replace are
 * given, since they hide older ones in blocks.
 */
function filteredHead(
  tables: readonly Memtable[],
  erasedOf: (table: Memtable) => readonly ErasedRange[],
  { series, sinceUs, cutOffUs }: TailRequest,
  filter: SimulatedFilter,
): Columns {
  const isText = traitsOf(series.datatype).form === form.text;
  const leastUs = headCutOff(sinceUs, cutOffUs);
  for (let untilUs = sinceUs; ; ) {
    let newestUs = -1;
    for (const table of tables) {
      const at = table.positionBefore(series.number, untilUs, erasedOf(table), filter);
      if (at >= 0) newestUs = Math.max(newestUs, table.times[at] as number);
    }
    const isNone = newestUs < Math.max(0, leastUs);
    const found = new Columns();
    for (const table of tables) {
      const positions = table.positions(series.number, isNone ? leastUs : newestUs, sinceUs, erasedOf(table));
      const needed = positions.filter((at) => {
        const quality = table.qualities[at] as number;
        return isWanted(quality, filter) || (quality & replaces) !== 0;
      });
      table.copy(needed, 0, needed.length, isText, found);
    }
    if (isNone || inOrder(found, isText).qualities.some((quality) => isWanted(quality, filter))) return found;
    untilUs = newestUs;
  }
}

function inOrder(columns: Columns, isText: boolean): Tail {
  if (columns.count === columns.capacity && isOrdered(columns)) {
    const { times, numbers, qualities, texts } = columns;
    return { times, numbers: numbers.buffer as ArrayBuffer, qualities, texts };
  }
  const order = new Uint32Array(columns.count);
  for (let i = 0; i < order.length; i++) order[i] = i;
  for (const _ of sortByTime(order, 0, order.length, columns.times));
  const count = dropReplaced(order, 0, order.length, columns.times, columns.qualities);
  const source = new Int32Array(columns.numbers.buffer);
  const [times, words, qualities] = [new Float64Array(count), new Int32Array(2 * count), new Uint16Array(count)];
  const texts: string[] = [];
  for (let i = 0; i < count; i++) {
    const at = order[i] as number;
    times[i] = columns.times[at] as number;
    words[2 * i] = source[2 * at] as number;
    words[2 * i + 1] = source[2 * at + 1] as number;
    qualities[i] = columns.qualities[at] as number;
    if (isText) texts.push(columns.texts[at] as string);
  }
  return { times, numbers: words.buffer, qualities, texts };
}

/** As most are: records come in order of time, and none of them replaces another. */
function isOrdered({ count, times, qualities }: Columns): boolean {
  for (let at = 0; at < count; at++) {
    if (((qualities[at] as number) & replaces) !== 0) return false;
    if (at > 0 && (times[at] as number) < (times[at - 1] as number)) return false;
  }
  return true;
}

/**
 * Of positions in order of time, then arrival, removes those that a later one at the same time replaces. Returns the
 * end of the remaining ones. A record that replaces is then the first of its time.
 */
export function dropReplaced(
  order: Uint32Array,
  from: number,
  to: number,
  times: Float64Array,
  qualities: Uint16Array,
): number {
  let out = from;
  for (let i = from; i < to; i++) {
    const at = order[i] as number;
    if (((qualities[at] as number) & replaces) !== 0) {
      const time = times[at] as number;
      while (out > from && times[order[out - 1] as number] === time) out--;
    }
    order[out++] = at;
  }
  return out;
}
