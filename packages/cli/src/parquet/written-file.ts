// What a Parquet file of before says of its records, so that it need not be written again.
import { open } from 'node:fs/promises';

/** Others give each file another content: those of before are written again. */
const format = 1;
export const aboutKey = 'telltale';
/** It is among the last of a file; what follows it is the same in every file. */
const tailBytes = 1024;

export interface About {
  readonly records: number;
  /** Of the records: see RecordsDigest. */
  readonly sha256: string;
}

export function aboutText({ records, sha256 }: About): string {
  return JSON.stringify({ format, records, sha256 });
}

/** Undefined where there is no file, or none that was written here. */
export async function readAbout(file: string): Promise<About | undefined> {
  let tail: string;
  try {
    await using handle = await open(file);
    const { size } = await handle.stat();
    const from = Math.max(0, size - tailBytes);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(tailBytes), 0, tailBytes, from);
    tail = buffer.toString('latin1', 0, bytesRead);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const text = /.*(\{"format":1,"records":\d+,"sha256":"[0-9a-f]{64}"\}).*PAR1$/s.exec(tail)?.[1];
  return text === undefined ? undefined : (JSON.parse(text) as About);
}
