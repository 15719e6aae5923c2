// The mark that there is an archive, in the data folder and outside the archive's own: a start that finds the mark and
// no archive reports it as missing until that is acknowledged. The inventory reports missing files within an archive.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { replaceFile, syncFolder, systemDisk } from './files/disk.ts';
import { isTemporary } from './files/file-names.ts';

const markName = 'archive.control';

export class ArchiveMark {
  readonly #data: string;
  readonly #archive: string;
  #missing: readonly string[] = [];
  /** Whether the file says what is missing, and nothing else. */
  #isWritten = false;

  /** Looks at the data folder, and into the archive before that is opened. */
  constructor(data: string, archive: string) {
    this.#data = data;
    this.#archive = archive;
    const text = readIfThere(join(data, markName));
    if (text === undefined) return;
    const read = missingIn(text);
    this.#missing = read ?? [`${markName} is damaged: it is unknown whether ${basename(archive)} was complete`];
    this.#isWritten = read !== undefined;
    if (!this.#isEmpty() || this.#missing.length > 0) return;
    this.#missing = [
      `${basename(archive)} is missing or empty: the history that was archived before this start is missing. To restore it, stop ` +
        'the server and put the folder back',
    ];
    this.#isWritten = false;
  }

  /** A sentence each, which begins with a path from the data folder. */
  get missing(): readonly string[] {
    return this.#missing;
  }

  /** Writes the mark where that is to be done and the archive has something; on a full disk, the next call does. */
  write(): void {
    if (this.#isWritten || this.#isEmpty()) return;
    try {
      this.#write(this.#missing);
    } catch {
      // Records are stored all the same: the mark follows with the next ones.
    }
  }

  /** Throws the system's error: then it is still reported. */
  acknowledge(): void {
    if (this.#missing.length === 0) return;
    if (this.#isEmpty()) this.#remove();
    else this.#write([]);
    this.#missing = [];
  }

  #remove(): void {
    rmSync(join(this.#data, markName), { force: true });
    syncFolder(this.#data);
    this.#isWritten = false;
  }

  #write(missing: readonly string[]): void {
    replaceFile(systemDisk, this.#data, markName, Buffer.from(`${JSON.stringify({ missing })}\n`));
    this.#isWritten = true;
  }

  #isEmpty(): boolean {
    try {
      return readdirSync(this.#archive).every(isTemporary);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
      throw error;
    }
  }
}

/** Empty where the file exists and cannot be read: that is damage, too. */
function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : '';
  }
}

/** Undefined where the mark is not as it was written. */
function missingIn(text: string): string[] | undefined {
  try {
    const { missing } = JSON.parse(text) as { missing: unknown };
    return Array.isArray(missing) && missing.every((each) => typeof each === 'string') ? missing : undefined;
  } catch {
    return undefined;
  }
}
