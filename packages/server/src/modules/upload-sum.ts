// Length and SHA-256 of an uploaded file, and what a file that should be it lacks.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

export interface UploadSum {
  readonly bytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

/** Read in slices. Undefined where there is no regular file: a link, a pipe or a folder does not count. */
export async function sumOf(path: string): Promise<UploadSum | undefined> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (!(await file.stat()).isFile()) return undefined;
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of file.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      bytes += chunk.length;
    }
    return { bytes, sha256: hash.digest('hex') };
  } catch (error) {
    if (noFile.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

const noFile = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EISDIR']);

/** Undefined where the file is one of those that were uploaded; else what is wrong with it, to follow its name. */
export function damageOf(uploaded: readonly UploadSum[], found: UploadSum | undefined): string | undefined {
  if (found !== undefined && uploaded.some(({ sha256 }) => sha256 === found.sha256)) return undefined;
  const bytes = uploaded.at(-1)?.bytes ?? 0;
  if (found === undefined) return `is gone: ${bytes} bytes were uploaded`;
  const what = found.bytes === bytes ? `some of its ${bytes} bytes differ` : `it has ${found.bytes} of ${bytes} bytes`;
  return `is not as it was uploaded: ${what}`;
}
