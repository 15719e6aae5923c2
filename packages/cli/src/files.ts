// Files and the standard input, and what is said where they cannot be read or written.
import { randomUUID } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { lstat, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import type { Bytes } from '@telltale/client';
import { type Call, Refused } from './declaration.ts';

/** No configuration is larger; what is has been named by mistake. */
const maxInputBytes = 1 << 30;

/** The bytes of a file, or of the standard input for `-`, until the signal. */
export async function* openInput({ input, signal }: Pick<Call, 'input' | 'signal'>, file: string) {
  try {
    yield* addAbortSignal(signal, file === '-' ? (input as Readable) : createReadStream(file)) as AsyncIterable<Buffer>;
  } catch (error) {
    throw asRefused(error, `${file === '-' ? 'The standard input' : file} cannot be read`);
  }
}

/** The whole of a file, or of the standard input for `-`. */
export async function readInput(call: Pick<Call, 'input' | 'signal'>, file: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of openInput(call, file)) {
    length += chunk.length;
    if (length > maxInputBytes) throw new Refused('The input is larger than 1 GiB, the limit of a configuration.');
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks);
}

/** The first bytes of a file. */
export async function readStart(file: string, length: number): Promise<Buffer> {
  try {
    await using handle = await open(file);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw asRefused(error, `${file} cannot be read`);
  }
}

/** A file as a stream, and its length; `onBytes` hears of each chunk as it is taken. */
export async function streamFile(
  file: string,
  onBytes: (count: number) => void,
): Promise<{ stream: Bytes; length: number }> {
  const { size } = await stat(file).catch((error) => {
    throw asRefused(error, `${file} cannot be read`);
  });
  async function* chunks() {
    try {
      for await (const chunk of createReadStream(file)) {
        onBytes(chunk.length);
        yield chunk as Uint8Array<ArrayBuffer>;
      }
    } catch (error) {
      throw asRefused(error, `${file} cannot be read`);
    }
  }
  return { stream: ReadableStream.from(chunks()) as ReadableStream<Uint8Array<ArrayBuffer>>, length: size };
}

/** Into a file, or to the standard output for `-`. */
export async function storeBytes(
  { terminal }: Pick<Call, 'terminal'>,
  file: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  async function* all() {
    yield* chunks;
  }
  if (file !== '-') await writeFileWhole(file, all());
  else for await (const chunk of chunks) await terminal.write(chunk);
}

/**
 * Writes beside the file and takes its place at the end: never half of it is there. Its mode stays, unless one is given.
 * What is no regular file (a link, a FIFO, a device) stays what it is, and is written into.
 */
export async function writeFileWhole(file: string, chunks: AsyncIterable<Uint8Array>, mode?: number): Promise<void> {
  try {
    const present = await lstat(file).catch(() => undefined);
    if (present === undefined || present.isFile()) await replaceFile(file, chunks, present, mode);
    else await writeFile(file, chunks);
  } catch (error) {
    throw asRefused(error, `${file} cannot be written`);
  }
}

const partEnd = '.part';

/** Hidden, so that nobody who reads the folder meanwhile takes it for a file that is whole. */
function partStart(file: string): string {
  return `.${basename(file)}.`;
}

/** Whether a file of this name in the same folder is what `writeFileWhole` writes into until it is whole. */
export function isPartOf(file: string, name: string): boolean {
  return name.startsWith(partStart(file)) && name.endsWith(partEnd);
}

async function replaceFile(
  file: string,
  chunks: AsyncIterable<Uint8Array>,
  present: Stats | undefined,
  mode = present?.mode,
): Promise<void> {
  const part = join(dirname(file), `${partStart(file)}${randomUUID()}${partEnd}`);
  await using handle = await open(part, 'wx', mode);
  try {
    await handle.writeFile(chunks); // all of each chunk: a disk that is nearly full takes a part, and says nothing
    // Root may give it back to its owner; anybody else becomes it.
    if (present !== undefined) await handle.chown(present.uid, present.gid).catch(() => undefined);
    if (mode !== undefined) await handle.chmod(mode & 0o7777);
    await handle.sync();
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** Of a call to the system: that it refused something is no fault of this program. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && ('syscall' in error || error.code === 'ERR_FS_FILE_TOO_LARGE');
}

/** Of the system, in words. */
const refusals: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file or folder'],
  ['EACCES', 'this user may not do that'],
  ['EISDIR', 'it is a folder'],
]);

/** What the system says becomes what a person can read; anything else stays what it is. */
export function asRefused(error: unknown, what: string): unknown {
  return isSystemError(error) ? new Refused(`${what}: ${refusals.get(error.code ?? '') ?? error.message}.`) : error;
}
