// What was uploaded, by the path of the file: a file that is gone, or another one, is reported until it is uploaded again or
// somebody acknowledges it. A file that has no record was put there by hand; nothing is known of it, and it is used.
import { join } from 'node:path';
import { damageOf, sumOf, type UploadSum } from './upload-sum.ts';

export interface UploadRecord {
  /** The path of the file in the folder of executables. */
  readonly name: string;
  /** The file is one of these: more than one while it is replaced. The last is the newest. */
  readonly sums: readonly UploadSum[];
  /** The first upload is under way, or broke off: what is there may be anything. */
  readonly isFirst?: true;
}

/** Resolves when it is on disk. */
export interface UploadStore {
  storeUpload(record: UploadRecord): Promise<void>;
  forgetUpload(name: string): Promise<void>;
}

export interface UploadsOptions {
  readonly folder: string;
  readonly store: UploadStore;
  /** A file is not what was uploaded: a sentence without its full stop, once. */
  readonly onDamage: (text: string) => void;
}

/** How many are reported; the others are counted. */
const mostReported = 5;

export class Uploads {
  readonly #options: UploadsOptions;
  readonly #records = new Map<string, UploadRecord>();
  /** By path; goes after its name. */
  readonly #damages = new Map<string, string>();
  /** Files are read one after the other, and one that is asked for again meanwhile is read once. */
  readonly #checks = new Map<string, Promise<string | undefined>>();
  #lastCheck: Promise<unknown> = Promise.resolve();

  constructor(options: UploadsOptions) {
    this.#options = options;
  }

  restore(records: readonly UploadRecord[]): void {
    for (const record of records) this.#records.set(record.name, record);
  }

  /** What the file must be; undefined where it may be anything. */
  of(path: string): readonly UploadSum[] | undefined {
    const record = this.#records.get(path);
    return record?.isFirst ? undefined : record?.sums;
  }

  /** A sentence each, without its full stop. */
  get missing(): readonly string[] {
    const reported = [...this.#damages].slice(0, mostReported).map(([path, damage]) => sentence(path, damage));
    const more = this.#damages.size - reported.length;
    return more > 0 ? [...reported, `${more} more executables are gone, or not as they were uploaded`] : reported;
  }

  /** Both files count until the new one has replaced the old: a crash at any moment leaves one that counts. */
  async replacing(path: string, sum: UploadSum, replace: () => Promise<void>): Promise<void> {
    const before = this.#records.get(path);
    // A record that would make a folder of a file, or a file of a folder, is deleted.
    for (const other of this.#records.keys()) {
      if (other.startsWith(`${path}/`) || path.startsWith(`${other}/`)) await this.forget(other);
    }
    const isFirst = before === undefined || before.isFirst === true;
    await this.#store({ name: path, sums: [...(before?.sums ?? []), sum], ...(isFirst && { isFirst }) });
    await replace();
    this.#damages.delete(path);
    const record = { name: path, sums: [sum] };
    this.#records.set(path, record);
    await this.#options.store.storeUpload(record).catch(() => undefined); // the new file counts on disk already
  }

  /** Before the file is removed: one that stays after a crash is as if it had been put there by hand. */
  async forget(path: string): Promise<UploadRecord | undefined> {
    const before = this.#records.get(path);
    if (before === undefined) return undefined;
    await this.#options.store.forgetUpload(path);
    this.#records.delete(path);
    this.#damages.delete(path);
    return before;
  }

  /** After all, it was not removed. */
  async remember(record: UploadRecord | undefined): Promise<void> {
    if (record !== undefined) await this.#store(record);
  }

  /** Reads all files that were uploaded, one after the other; what cannot be read now is left to the next time. */
  async checkAll(): Promise<void> {
    for (const path of [...this.#records.keys()]) await this.check(path).catch(() => undefined);
  }

  /** Reads the file; what is wrong with it goes after its name. */
  check(path: string): Promise<string | undefined> {
    const running = this.#checks.get(path);
    if (running !== undefined) return running;
    const check = this.#lastCheck.then(() => this.#check(path)).finally(() => this.#checks.delete(path));
    this.#checks.set(path, check);
    this.#lastCheck = check.catch(() => undefined);
    return check;
  }

  /** What is there now counts from now on, also where that is nothing. */
  async acknowledge(): Promise<void> {
    for (const path of [...this.#damages.keys()]) {
      const found = await sumOf(this.#fileOf(path));
      if (found === undefined) await this.forget(path);
      else await this.#store({ name: path, sums: [found] });
      this.#damages.delete(path);
    }
  }

  async #check(path: string): Promise<string | undefined> {
    const uploaded = this.of(path);
    const damage = uploaded === undefined ? undefined : damageOf(uploaded, await sumOf(this.#fileOf(path)));
    if (this.of(path) !== uploaded) return this.#check(path); // replaced meanwhile
    if (damage === undefined) this.#damages.delete(path);
    else if (this.#damages.get(path) !== damage) {
      this.#damages.set(path, damage);
      this.#options.onDamage(sentence(path, damage));
    }
    return damage;
  }

  async #store(record: UploadRecord): Promise<void> {
    await this.#options.store.storeUpload(record);
    this.#records.set(record.name, record);
  }

  #fileOf(path: string): string {
    return join(this.#options.folder, path);
  }
}

function sentence(path: string, damage: string): string {
  return `executables/${path} ${damage}`;
}
