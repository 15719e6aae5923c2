// The files of secrets: one folder for each connector or provider, in it one file a secret, plain or sealed. Nothing here
// follows a symbolic link, and nothing is ever half written.
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isIdentifier, secretNamePattern } from '@telltale/schema';
import { type Destination, isStored, type Role, type Seal, type StoredSecret } from './seal.ts';

const namePattern = new RegExp(secretNamePattern);
export const mostSecretBytes = 65_536;
/** Windows has neither, nor pipes and links that anybody may make. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
/** Of what a stopped server left behind. */
const temporaryForm = /^\.[0-9a-f-]{36}\.tmp$/;

export interface FoundSecret {
  readonly secret: StoredSecret;
  /** Somebody wrote it there as it is. */
  readonly isPlain: boolean;
  /** What told whom it is bound to is damaged. */
  readonly isDamaged: boolean;
  /** Other users can read it. */
  readonly isExposed: boolean;
}

export interface ListedSecret {
  readonly owner: string;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly changedMs: number;
  readonly isSealed: boolean;
}

/** Beside a plain file that is not sealed: whom it is bound to, as long as it is that file. */
interface Beside {
  readonly file: string;
  readonly bound: StoredSecret['bound'];
}

interface ReadFile {
  readonly text: string;
  readonly mode: number;
  readonly changedMs: number;
  /** Another one for each file that somebody writes. */
  readonly mark: string;
}

export function isSecretName(name: string): boolean {
  return namePattern.test(name);
}

export class SecretFiles {
  readonly #root: string;
  readonly #seal: Seal;

  /** `root` has the folders of all. */
  constructor(root: string, seal: Seal) {
    this.#root = root;
    this.#seal = seal;
  }

  /** Rejects with the error of the file system, with `SealedOtherwise`, or with a text for people. */
  async read(owner: string, name: string): Promise<FoundSecret> {
    const { text, mode, mark } = await this.#read(owner, name);
    const isExposed = await this.#isExposed(owner, mode);
    const [line = ''] = text.split(/\r?\n/, 1);
    if (isStored(line)) {
      const secret = this.#seal.open(line);
      if (secret.of !== ofFile(owner, name)) throw new Error('it was set for another one, and copied here');
      return { secret, isPlain: false, isDamaged: false, isExposed };
    }
    const beside = await this.#beside(owner, name);
    const bound = beside !== 'damaged' && beside?.file === mark ? beside.bound : {};
    const secret = { of: ofFile(owner, name), text, bound, isOpen: true } as const;
    return { secret, isPlain: true, isDamaged: beside === 'damaged', isExposed };
  }

  /** On disk when it resolves. */
  async write(owner: string, name: string, secret: Omit<StoredSecret, 'of'>): Promise<void> {
    await this.#makeFolder(owner);
    await this.#replace(owner, name, `${this.#seal.seal({ ...secret, of: ofFile(owner, name) })}\n`);
    await rm(this.#besidePath(owner, name), { force: true });
  }

  /** A secret that was read and is not bound yet: from now on it is. A plain one is sealed, where there is a key. */
  async bind(
    owner: string,
    name: string,
    { secret, isPlain }: FoundSecret,
    role: Role,
    to: Destination,
  ): Promise<void> {
    const bound = { ...secret.bound, [role]: to };
    if (!isPlain || this.#seal.hasKey) {
      await this.write(owner, name, { ...secret, bound });
      return;
    }
    const { mark } = await this.#read(owner, name);
    await this.#replace(owner, besideName(name), JSON.stringify({ file: mark, bound } satisfies Beside));
  }

  /** False where there is none. */
  async remove(owner: string, name: string): Promise<boolean> {
    const isThere = (await lstat(this.#path(owner, name)).catch(() => undefined))?.isFile() === true;
    await rm(this.#path(owner, name), { force: true });
    await rm(this.#besidePath(owner, name), { force: true });
    return isThere;
  }

  /** In order of their names. */
  async list(): Promise<ListedSecret[]> {
    const listed: ListedSecret[] = [];
    for (const owner of await this.#owners()) {
      for (const name of (await namesIn(join(this.#root, owner))).filter(isSecretName)) {
        const file = await this.#read(owner, name).catch(() => undefined);
        if (file === undefined) continue;
        const isSealed = file.text.startsWith('sealed:1:');
        listed.push({ owner, name, changedMs: file.changedMs, isSealed });
      }
    }
    return listed;
  }

  /**
   * Seals what is plain, or sealed with an earlier key, and removes what a server that was killed left. Without a key nothing
   * is sealed. Answers with how many were, and with why others were not.
   */
  async sealAll(): Promise<{ readonly sealed: number; readonly failed: readonly string[] }> {
    const failed: string[] = [];
    let sealed = 0;
    for (const owner of await this.#owners()) {
      for (const name of await namesIn(join(this.#root, owner))) {
        if (temporaryForm.test(name)) await rm(this.#path(owner, name), { force: true }).catch(() => undefined);
        if (!this.#seal.hasKey || !isSecretName(name)) continue;
        try {
          if (await this.#sealOne(owner, name)) sealed++;
        } catch (error) {
          failed.push(`secrets/${owner}/${name}: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`);
        }
      }
    }
    return { sealed, failed };
  }

  async #sealOne(owner: string, name: string): Promise<boolean> {
    const { text } = await this.#read(owner, name);
    const [line = ''] = text.split(/\r?\n/, 1);
    if (line === '' || this.#seal.isCurrent(line)) return false;
    const { secret } = await this.read(owner, name);
    await this.write(owner, name, secret);
    return true;
  }

  /** No symbolic link leads to another one's secret: neither of the folder nor of the file. */
  async #read(owner: string, name: string): Promise<ReadFile> {
    await this.#checkFolder(owner);
    // Without blocking: what looks like a file may be a pipe without a writer.
    await using file = await open(this.#path(owner, name), constants.O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const { mode, size, mtimeMs, ino } = await file.stat();
    if (!isOfType(mode, constants.S_IFREG)) throw new Error('it is no file');
    if (size > mostSecretBytes * 2) throw new Error(`it has more than ${mostSecretBytes} bytes`);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0);
    const text = buffer.toString('utf8', 0, bytesRead);
    if (size > mostSecretBytes && !isStored(text.trimEnd()))
      throw new Error(`it has more than ${mostSecretBytes} bytes`);
    return { text, mode, changedMs: mtimeMs, mark: `${ino} ${size} ${mtimeMs}` };
  }

  async #checkFolder(owner: string): Promise<void> {
    const { mode } = await lstat(join(this.#root, owner));
    if (!isOfType(mode, constants.S_IFDIR)) throw new Error('its folder is a symbolic link, or no folder');
  }

  /** Where other users may read the file and enter both folders; Windows has no such modes. */
  async #isExposed(owner: string, mode: number): Promise<boolean> {
    if (process.platform === 'win32') return false;
    const folder = await lstat(join(this.#root, owner));
    const root = await stat(this.#root);
    return ((mode >> 2) & folder.mode & root.mode & 0o011) !== 0;
  }

  async #makeFolder(owner: string): Promise<void> {
    await mkdir(this.#root, { recursive: true, mode: 0o700 });
    await mkdir(join(this.#root, owner), { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await this.#checkFolder(owner);
  }

  /** Undefined: it is not bound yet. */
  async #beside(owner: string, name: string): Promise<Beside | 'damaged' | undefined> {
    try {
      const { file, bound } = JSON.parse(await readFile(this.#besidePath(owner, name), 'utf8')) as Beside;
      return typeof file === 'string' && typeof bound === 'object' && bound !== null ? { file, bound } : 'damaged';
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : 'damaged';
    }
  }

  /** The old one or the new one, wherever the server is killed. */
  async #replace(owner: string, name: string, content: string): Promise<void> {
    const temporary = join(this.#root, owner, `.${randomUUID()}.tmp`);
    try {
      const file = await open(temporary, 'wx', 0o600);
      try {
        await file.writeFile(content);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, this.#path(owner, name));
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw error;
    }
    const folder = await open(join(this.#root, owner), 'r');
    try {
      await folder.sync();
    } catch {
      // Some file systems cannot: the file itself is on disk.
    } finally {
      await folder.close();
    }
  }

  async #owners(): Promise<string[]> {
    const owners: string[] = [];
    for (const name of await namesIn(this.#root)) {
      if (isIdentifier(name) && (await lstat(join(this.#root, name))).isDirectory()) owners.push(name);
    }
    return owners;
  }

  #path(owner: string, name: string): string {
    return join(this.#root, owner, name);
  }

  #besidePath(owner: string, name: string): string {
    return this.#path(owner, besideName(name));
  }
}

function ofFile(owner: string, name: string): string {
  return `secrets/${owner}/${name}`;
}

/** No name of a secret begins with a dot. */
function besideName(name: string): string {
  return `.${name}.bound`;
}

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch((): string[] => [])).sort();
}

function isOfType(mode: number, type: number): boolean {
  return (mode & constants.S_IFMT) === type;
}
