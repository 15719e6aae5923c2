// Finds a time among the chunks of a series in one block.
import type { Chunk } from './block.ts';

/** The first chunk with a record that is not before `timeUs`; the number of chunks where there is no such chunk. */
export function firstEndingFrom(chunks: readonly Chunk[], timeUs: number): number {
  let low = 0;
  let high = chunks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((chunks[middle] as Chunk).lastUs < timeUs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first chunk whose records are all at or after `timeUs`; the number of chunks where there is no such chunk. */
export function firstStartingFrom(chunks: readonly Chunk[], timeUs: number): number {
  let low = 0;
  let high = chunks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((chunks[middle] as Chunk).firstUs < timeUs) low = middle + 1;
    else high = middle;
  }
  return low;
}
