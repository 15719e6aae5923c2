// The executables of function modules on disk. A module has a folder of its own, whose name the server makes; a path
// never leaves it, not even through symbolic links. Whether a module exists is not decided here.
import { createHash, randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { type ExecutableStat, ProblemError, Semaphore } from '@telltale/schema';
import { moduleFolder } from './module-folder.ts';
import type { UploadSum } from './upload-sum.ts';
import { type UploadRecord, type UploadStore, Uploads } from './uploads.ts';

const defaultPath = 'executable';
const runnable = 0o755;
/** Uploads, and downloads: each has an open file, of which there are few. Other uploads are refused, other downloads wait. */
export const mostAtOnce = 16;

export interface ExecutablesOptions {
  readonly folder: string;
  readonly store: UploadStore;
  /** One that was uploaded is gone, or another: a sentence without its full stop, once. */
  readonly onDamage?: (text: string) => void;
}

export class Executables {
  readonly #folder: string;
  readonly #incoming: string;
  readonly #uploads: Uploads;
  #lastChange: Promise<unknown> = Promise.resolve();
  #uploading = 0;
  readonly #downloads = new Semaphore(mostAtOnce);

  constructor({ folder, store, onDamage = () => undefined }: ExecutablesOptions) {
    this.#folder = folder;
    this.#incoming = join(folder, '.incoming');
    this.#uploads = new Uploads({ folder, store, onDamage });
  }

  /** Of those that were uploaded: which are missing or changed, a sentence each. */
  get missing(): readonly string[] {
    return this.#uploads.missing;
  }

  /** Accepts the present state, also where nothing is there. */
  acknowledgeMissing(): Promise<void> {
    return this.#inTurn(() => this.#uploads.acknowledge());
  }

  /** Makes the folder and removes what an interrupted upload left. */
  async open(uploads: readonly UploadRecord[] = []): Promise<void> {
    this.#uploads.restore(uploads);
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await rm(this.#incoming, { recursive: true, force: true });
    await mkdir(this.#incoming, { mode: 0o700 });
  }

  /** Replaces the executable: on disk when it resolves, else the old one stays. `overloaded`: too many at once. */
  async put(module: string, path: string | undefined, body: Readable): Promise<void> {
    if (this.#uploading >= mostAtOnce) {
      throw new ProblemError('overloaded', `${mostAtOnce} uploads of executables are under way.`);
    }
    this.#uploading++;
    const temporary = join(this.#incoming, randomUUID());
    try {
      const sum = await writeWhole(temporary, body);
      await this.#inTurn(() =>
        this.#uploads.replacing(storedPathOf(module, path), sum, async () => {
          const target = await this.#resolve(module, path, true);
          if ((await kindOf(target))?.isDirectory()) await rm(target, { recursive: true });
          await rename(temporary, target);
          await syncFolder(dirname(target));
        }),
      );
    } catch (error) {
      throw error instanceof ProblemError ? error : storageFailed(error);
    } finally {
      this.#uploading--;
      await rm(temporary, { force: true });
    }
  }

  pathOf(module: string, path: string | undefined): string {
    return join(this.#folder, storedPathOf(module, path));
  }

  /** The sums with which it may run; undefined where it was not uploaded, but put there by hand. */
  uploadedAs(module: string, path: string | undefined): readonly UploadSum[] | undefined {
    return this.#uploads.of(storedPathOf(module, path));
  }

  /** Checks whether it is what was uploaded; deviations are listed in `missing`. */
  async check(module: string, path: string | undefined): Promise<void> {
    await this.#uploads.check(storedPathOf(module, path));
  }

  /** As `check`, for all of them, one after the other. */
  checkAll(): Promise<void> {
    return this.#uploads.checkAll();
  }

  async get(module: string, path: string | undefined): Promise<{ stream: Readable; size: number }> {
    await this.#downloads.acquire();
    try {
      const file = await this.#openWhole(module, path, await this.#damageOf(module, path));
      const { size } = await file.stat();
      const stream = file.createReadStream();
      stream.once('close', () => this.#downloads.release());
      return { stream, size };
    } catch (error) {
      this.#downloads.release();
      throw error;
    }
  }

  /** Of what was uploaded last. */
  sumOf(module: string, path: string | undefined): UploadSum | undefined {
    return this.#uploads.of(storedPathOf(module, path))?.at(-1);
  }

  async stat(module: string, path: string | undefined): Promise<ExecutableStat> {
    const damage = await this.#damageOf(module, path);
    return this.#inTurn(() => this.#stat(module, path, damage)); // one file open at a time
  }

  async #stat(module: string, path: string | undefined, damage: string | undefined): Promise<ExecutableStat> {
    await using file = await this.#openWhole(module, path, damage);
    const { mode, uid, gid, size, atimeMs, mtimeMs, ctimeMs } = await file.stat();
    const seconds = (ms: number) => Math.floor(ms / 1000);
    return { mode, uid, gid, size, atime: seconds(atimeMs), mtime: seconds(mtimeMs), ctime: seconds(ctimeMs) };
  }

  delete(module: string, path: string | undefined): Promise<void> {
    return this.#inTurn(() => this.#delete(module, path));
  }

  async #delete(module: string, path: string | undefined): Promise<void> {
    const stored = storedPathOf(module, path);
    const file = await this.#openFile(module, path).catch(async (error: ProblemError) => {
      if (error.problem === 'no-executable') await this.#uploads.forget(stored); // it is missed no more
      throw error;
    });
    await file.close();
    const target = await this.#resolve(module, path, false);
    const upload = await this.#uploads.forget(stored);
    try {
      await unlink(target);
      await syncFolder(dirname(target));
    } catch (error) {
      await this.#uploads.remember(upload);
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EACCES' && code !== 'EPERM' && code !== 'EBUSY') throw storageFailed(error);
      throw new ProblemError('executable-locked', `The executable of ${module} cannot be deleted: ${code}.`);
    }
  }

  /** Changes of folders and names come one after the other. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#lastChange.then(work);
    this.#lastChange = turn.catch(() => undefined);
    return turn;
  }

  /** Only one that is what was uploaded, or was put there by hand. */
  async #openWhole(module: string, path: string | undefined, damage: string | undefined): Promise<FileHandle> {
    const file = await this.#openFile(module, path, damage);
    if (damage === undefined) return file;
    await file.close();
    throw new ProblemError('executable-damaged', `The executable of ${module} ${damage}.`);
  }

  /** Undefined where it is what was uploaded. */
  async #damageOf(module: string, path: string | undefined): Promise<string | undefined> {
    try {
      return await this.#uploads.check(storedPathOf(module, path));
    } catch (error) {
      throw storageFailed(error);
    }
  }

  /** Only a regular file; a symbolic link, a pipe or a device is refused. */
  async #openFile(module: string, path: string | undefined, damage?: string): Promise<FileHandle> {
    let file: FileHandle | undefined;
    try {
      const target = await this.#resolve(module, path, false);
      if ((await kindOf(target))?.isFile()) {
        file = await open(target, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
        if ((await file.stat()).isFile()) return file;
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'ELOOP') throw storageFailed(error);
    }
    await file?.close();
    const what = damage === undefined ? `${module} has no executable` : `The executable of ${module} ${damage}`;
    throw new ProblemError('no-executable', `${what}.`);
  }

  /** The path of the file, below real folders, created with `make`. A former file in place of a folder is removed. */
  async #resolve(module: string, path: string = defaultPath, make: boolean): Promise<string> {
    const parts = [moduleFolder(module), ...path.split('/')];
    const name = parts.pop() ?? defaultPath;
    let folder = this.#folder;
    for (const part of parts) {
      const parent = folder;
      folder = join(folder, part);
      if (make && (await kindOf(folder))?.isFile()) await rm(folder);
      if (make && (await makeFolder(folder))) await syncFolder(parent);
      const kind = await lstat(folder);
      if (!kind.isDirectory()) throw Object.assign(new Error(`${part} is not a folder`), { code: 'ENOTDIR' });
    }
    return join(folder, name);
  }
}

/** Seen from the folder of executables. */
function storedPathOf(module: string, path: string = defaultPath): string {
  return join(moduleFolder(module), path);
}

/** Undefined where there is nothing. */
async function kindOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function makeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o755 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function writeWhole(path: string, body: Readable): Promise<UploadSum> {
  await using file = await open(path, 'wx', runnable);
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    await file.writeFile(chunk);
    hash.update(chunk);
    bytes += chunk.length;
  }
  if (bytes === 0) throw new ProblemError('invalid-body', 'The body is empty: an executable has at least one byte.');
  await file.chmod(runnable);
  await file.sync();
  return { bytes, sha256: hash.digest('hex') };
}

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r');
  await folder.sync();
}

function storageFailed(error: unknown): ProblemError {
  return new ProblemError('storage-failed', `${(error as Error).message}; nothing was changed.`);
}
