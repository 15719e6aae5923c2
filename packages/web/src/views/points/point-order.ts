// The order of all points by a column: by numbers that stand for what is compared, so that sorting 100,000 takes no texts
// in hand twice. Points that are alike are in the order of their names.
import type { PointList, TextColumn } from '../../data/point-list.ts';
import type { Snapshot } from '../../data/snapshot.ts';

/** Numbers in names count as such: `pump2` comes before `pump10`. */
function nameKey(name: string): string {
  return name.toLowerCase().replaceAll(/\d+/g, (digits) => digits.padStart(12, '0'));
}

/** Of each point, the place that it has among all by its name. */
export function nameRanks(list: PointList): Uint32Array {
  const keys = list.names.map(nameKey);
  const ids = Uint32Array.from(keys, (_, id) => id);
  ids.sort((a, b) => compare(keys[a] ?? '', keys[b] ?? '') || a - b);
  const ranks = new Uint32Array(ids.length);
  for (const [rank, id] of ids.entries()) ranks[id] = rank;
  return ranks;
}

export const liveColumns = ['value', 'quality', 'age'] as const;
export type LiveColumn = (typeof liveColumns)[number];

export const isLiveColumn = (column: string): column is LiveColumn =>
  (liveColumns as readonly string[]).includes(column);

/** By which number each point is sorted; undefined: by its name alone. */
export function sortNumbers(
  list: PointList,
  column: string,
  snapshot: Snapshot | undefined,
): ArrayLike<number> | undefined {
  switch (column) {
    case 'description':
      return textRanks(list.descriptions);
    case 'area':
    case 'connector':
    case 'datatype':
      return columnRanks(list, list[column]);
    case 'unit':
      return columnRanks(list, list.eu);
    case 'kind':
      return Uint8Array.from(list.names, (_, id) => Number(id >= list.measurements));
    case 'value':
      return snapshot?.values;
    case 'quality':
      return snapshot?.qualities;
    case 'age':
      // The youngest first.
      return snapshot && Float64Array.from(snapshot.times, (t) => -t);
    default:
      return undefined;
  }
}

/** All points in their order. What is not a number, of which nothing is known, comes last either way. */
export function orderOf(ranks: Uint32Array, numbers: ArrayLike<number> | undefined, descending: boolean): Uint32Array {
  const ids = Uint32Array.from(ranks, (_, id) => id);
  if (numbers === undefined) {
    for (const [id, rank] of ranks.entries()) ids[descending ? ranks.length - 1 - rank : rank] = id;
    return ids;
  }
  const sign = descending ? -1 : 1;
  return ids.sort((a, b) => {
    const [left, right] = [numbers[a] ?? Number.NaN, numbers[b] ?? Number.NaN];
    const unknown = Number(Number.isNaN(left)) - Number(Number.isNaN(right));
    return unknown || sign * (left - right) || (ranks[a] ?? 0) - (ranks[b] ?? 0);
  });
}

function columnRanks(list: PointList, column: TextColumn): Uint32Array {
  const ranks = textRanks(column.texts);
  return Uint32Array.from(list.names, (_, id) => ranks[column.numberAt(id)] ?? 0);
}

function textRanks(texts: readonly string[]): Uint32Array {
  const small = texts.map((text) => text.toLowerCase());
  const ids = Uint32Array.from(texts, (_, id) => id);
  ids.sort((a, b) => compare(small[a] ?? '', small[b] ?? ''));
  const ranks = new Uint32Array(texts.length);
  let rank = 0;
  for (const [at, id] of ids.entries()) {
    if (at > 0 && small[id] !== small[ids[at - 1] ?? id]) rank = at;
    ranks[id] = rank;
  }
  return ranks;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
