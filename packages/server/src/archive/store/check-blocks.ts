// Reads block files as a whole and compares their checksums.
import { BlockFile } from '../files/block-file.ts';
import { type Damage, Damaged } from '../files/damage.ts';
import { isMissing } from '../files/damaged-files.ts';

/** What cannot be read of them. A file that a merge has replaced meanwhile is no damage. Throws the system's errors. */
export function checkBlocks(
  paths: readonly string[],
  onProgress: (doneBytes: number) => void,
  open = (path: string) => BlockFile.open(path),
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
      if (error instanceof Damaged) damages.push(error.damage);
      else if (!isMissing(error)) throw error;
    } finally {
      block?.close();
    }
  }
  return damages;
}
