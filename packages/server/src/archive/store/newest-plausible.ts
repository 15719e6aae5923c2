// When the newest record of an archive came, as far as its files say.
import { astray } from '../files/file-names.ts';
import { farthestAheadUs } from '../records.ts';
import type { Block } from './block-list.ts';
import type { Memtable } from './memtable.ts';

/** Undefined: there is none. What is ahead of the clock does not count. */
export function newestPlausibleUs(
  blocks: readonly Block[],
  tables: readonly Memtable[],
  nowUs: number,
): number | undefined {
  let newestUs: number | undefined;
  const take = (timeUs: number) => {
    if (timeUs <= nowUs + farthestAheadUs && timeUs > (newestUs ?? Number.NEGATIVE_INFINITY)) newestUs = timeUs;
  };
  for (const { header, madeUs, firstUs, lastUs } of blocks) {
    for (const timeUs of header.partition === astray ? [madeUs] : [firstUs, lastUs]) take(timeUs);
  }
  for (const { minUs, maxUs } of tables) for (const timeUs of [minUs, maxUs]) take(timeUs);
  return newestUs;
}
