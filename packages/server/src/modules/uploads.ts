// What was uploaded, by the place of the file: a file that is gone, or another one, is told until it is uploaded again or
// somebody acknowledges it. A file that has no record was put there by hand; nothing is known of it, and it is used.
import { join } from 'node:path';
import { damageOf, sumOf, type UploadSum } from './upload-sum.ts';

/** What is known of one place. */
export interface KeptUpload {
  /** The path of the file in the folder of executables. */
  readonly name: string;
  /** The file is one of these: more than one while it is replaced. The last is the newest. */
  readonly sums: readonly UploadSum[];
  /** The first upload is under way, or broke off: what is there may be anything. */
  readonly isFirst?: true;
}

/** Resolves when it is on disk. */
export interface UploadStore {
  keepUpload(kept: KeptUpload): Promise<void>;
  forgetUpload(name: string): Promise<void>;
}

export interface UploadsOptions {
  readonly folder: string;
  readonly keeper: UploadStore;
  /** A file is not what was uploaded: a sentence without its full stop, once. */
  readonly onDamage: (text: string) => void;
}

/** Of what is told; the others are counted. */
const mostTold = 5;

export class Uploads {
  readonly #options: UploadsOptions;
  readonly #records = new Map<string, KeptUpload>();
  /** By place; goes after its name. */
  readonly #damages = new Map<string, string>();
  /** Files are read one after the other, and one that is asked for again meanwhile is read once. */
  readonly #checks = new Map<string, Promise<string | undefined>>();
  #lastCheck: Promise<unknown> = Promise.resolve();

  constructor(options: UploadsOptions) {
    this.#options = options;
  }

  restore(kept: readonly KeptUpload[]): void {
    for (const record of kept) this.#records.set(record.name, record);
  }

  /** What the file must be; undefined where it may be anything. */
  of(place: string): readonly UploadSum[] | undefined {
    const record = this.#records.get(place);
    return record?.isFirst ? undefined : record?.sums;
  }

  /** A sentence each, without its full stop. */
  get missing(): readonly string[] {
    const told = [...this.#damages].slice(0, mostTold).map(([place, damage]) => sentence(place, damage));
    const more = this.#damages.size - told.length;
    return more > 0 ? [...told, `${more} more executables are gone, or not as they were uploaded`] : told;
  }

  /**
   * Both files count until the new one is in its place, so that a crash at any moment leaves one of those that count. Where
   * `replace` fails, both go on counting.
   */
  async replacing(place: string, sum: UploadSum, replace: () => Promise<void>): Promise<void> {
    const before = this.#records.get(place);
    // What would be a folder in the place of a file, or the other way round, makes room.
    for (const other of this.#records.keys()) {
      if (other.startsWith(`${place}/`) || place.startsWith(`${other}/`)) await this.forget(other);
    }
    const isFirst = before === undefined || before.isFirst === true;
    await this.#keep({ name: place, sums: [...(before?.sums ?? []), sum], ...(isFirst && { isFirst }) });
    await replace();
    this.#damages.delete(place);
    const record = { name: place, sums: [sum] };
    this.#records.set(place, record);
    await this.#options.keeper.keepUpload(record).catch(() => undefined); // the new file counts on disk already
  }

  /** Before the file is removed: one that stays after a crash is as if it had been put there by hand. */
  async forget(place: string): Promise<KeptUpload | undefined> {
    const before = this.#records.get(place);
    if (before === undefined) return undefined;
    await this.#options.keeper.forgetUpload(place);
    this.#records.delete(place);
    this.#damages.delete(place);
    return before;
  }

  /** After all, it was not removed. */
  async remember(record: KeptUpload | undefined): Promise<void> {
    if (record !== undefined) await this.#keep(record);
  }

  /** Reads all files that were uploaded, one after the other; what cannot be read now is left to the next time. */
  async checkAll(): Promise<void> {
    for (const place of [...this.#records.keys()]) await this.check(place).catch(() => undefined);
  }

  /** Reads the file; what is wrong with it goes after its name. */
  check(place: string): Promise<string | undefined> {
    const running = this.#checks.get(place);
    if (running !== undefined) return running;
    const check = this.#lastCheck.then(() => this.#check(place)).finally(() => this.#checks.delete(place));
    this.#checks.set(place, check);
    this.#lastCheck = check.catch(() => undefined);
    return check;
  }

  /** What is there now counts from now on, also where that is nothing. */
  async acknowledge(): Promise<void> {
    for (const place of [...this.#damages.keys()]) {
      const found = await sumOf(this.#path(place));
      if (found === undefined) await this.forget(place);
      else await this.#keep({ name: place, sums: [found] });
      this.#damages.delete(place);
    }
  }

  async #check(place: string): Promise<string | undefined> {
    const uploaded = this.of(place);
    const damage = uploaded === undefined ? undefined : damageOf(uploaded, await sumOf(this.#path(place)));
    if (this.of(place) !== uploaded) return this.#check(place); // replaced meanwhile
    if (damage === undefined) this.#damages.delete(place);
    else if (this.#damages.get(place) !== damage) {
      this.#damages.set(place, damage);
      this.#options.onDamage(sentence(place, damage));
    }
    return damage;
  }

  async #keep(record: KeptUpload): Promise<void> {
    await this.#options.keeper.keepUpload(record);
    this.#records.set(record.name, record);
  }

  #path(place: string): string {
    return join(this.#options.folder, place);
  }
}

function sentence(place: string, damage: string): string {
  return `executables/${place} ${damage}`;
}
