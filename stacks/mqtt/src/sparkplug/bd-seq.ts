// The number of a connection of an edge node, in its birth and its death: another one each time, after a restart as well, so
// that a death that comes late is not taken for that of the present one.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile, type StackLog } from '@telltale/stack-kit';

/** `last` is negative before the first connection since the start. */
export async function nextBdSeq(folder: string, last: number, log: StackLog): Promise<number> {
  const path = join(folder, 'bdseq');
  const before = last >= 0 ? last : Number(await readFile(path, 'utf8').catch(() => '-1')) || 0;
  const next = (before + 1) & 0xff;
  try {
    await replaceFile(path, `${next}\n`);
  } catch (error) {
    log.warn(`the death sequence number could not be stored: ${(error as Error).message}`);
  }
  return next;
}
