// The distinct values of a column: sorted, with the index of each record's value among them. Compared by their bits, so
// that -0 is not 0.
import type { WorkArrays } from './byte-writer.ts';

/** Fills `work.distinct` and `work.indexes`; returns the number of distinct values, 0 if they are more than half. */
export function findDistinct(source: Float64Array, from: number, to: number, work: WorkArrays): number {
  const count = to - from;
  const words = new Int32Array(source.buffer, source.byteOffset + 8 * from, 2 * count);
  const { distinct, indexes, slots } = work;
  // At least twice as many slots as values: a search always ends at an empty one.
  const mask = 2 ** Math.ceil(Math.log2(2 * count)) - 1;
  slots.fill(0, 0, mask + 1);
  let found = 0;
  for (let index = 0; index < count; index++) {
    const low = words[2 * index] as number;
    const high = words[2 * index + 1] as number;
    let slot = hash(low, high) & mask;
    let holder = slots[slot] as number;
    while (holder !== 0 && (words[2 * holder - 2] !== low || words[2 * holder - 1] !== high)) {
      slot = (slot + 1) & mask;
      holder = slots[slot] as number;
    }
    if (holder === 0) {
      if (2 * (found + 1) > count) return 0;
      slots[slot] = index + 1;
      distinct[found++] = source[from + index] as number;
    }
  }
  distinct.subarray(0, found).sort();
  return rank(distinct, found, words, count, indexes, slots, mask) ? found : 0;
}

/** False where sorting has changed the bits of a value: some are NaN. */
function rank(
  distinct: Float64Array,
  found: number,
  words: Int32Array,
  count: number,
  indexes: Float64Array,
  slots: Int32Array,
  mask: number,
): boolean {
  const sorted = new Int32Array(distinct.buffer, distinct.byteOffset, 2 * found);
  slots.fill(0, 0, mask + 1);
  for (let place = 0; place < found; place++) {
    let slot = hash(sorted[2 * place] as number, sorted[2 * place + 1] as number) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = place + 1;
  }
  for (let index = 0; index < count; index++) {
    const low = words[2 * index] as number;
    const high = words[2 * index + 1] as number;
    let slot = hash(low, high) & mask;
    let holder = slots[slot] as number;
    while (holder !== 0 && (sorted[2 * holder - 2] !== low || sorted[2 * holder - 1] !== high)) {
      slot = (slot + 1) & mask;
      holder = slots[slot] as number;
    }
    if (holder === 0) return false;
    indexes[index] = holder - 1;
  }
  return true;
}

function hash(low: number, high: number): number {
  const mixed = Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}
