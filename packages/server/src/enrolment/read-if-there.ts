// A file of an authority or of a bus, which may not have been made yet.
import { readFile } from 'node:fs/promises';

/** Undefined: there is none. Rejects with the system's other errors. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
