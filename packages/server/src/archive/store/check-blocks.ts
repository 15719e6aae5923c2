// Reads block files as a whole and compares their checksums.
import type { BlockFile } from '../files/block-file.ts';
import { type Damage, Damaged } from '../files/damage.ts';
import { openBlock } from './block-list.ts';

/** What cannot be read of them, also of a file that is gone: the store knows whether it was replaced. */
export function checkBlocks(
  paths: readonly string[],
  onProgress: (doneBytes: number) => void,
  open = openBlock,
): Damage[] {
  const damages: Damage[] = [];
  let before = 0;
  for (const path of paths) {
    let block: BlockFile | undefined;
    try {
      block = open(path);
      damages.push(...block.verify((done) => onProgress(before + done)));
      before += block.bytes;
    } catch (error) {
      if (!(error instanceof Damaged)) throw error;
      damages.push(error.damage);
    } finally {
      block?.close();
    }
  }
  return damages;
}
