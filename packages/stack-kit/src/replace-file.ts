// Small files of state, replaced whole.
import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** How the names of files begin that are not whole yet. */
export const unfinishedPrefix = '.';

/** Wholly old or wholly new, whatever ends the process; for its owner alone. Makes the folder where it is missing. */
export async function replaceFile(file: string, content: string | Buffer): Promise<void> {
  const temporary = join(dirname(file), `${unfinishedPrefix}${basename(file)}.${randomUUID()}`);
  await mkdir(dirname(file), { recursive: true });
  try {
    await writeFile(temporary, content, { mode: 0o600, flush: true });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
