// The catalogue: which number is which series. Appended to, and on disk before a journal uses a number. A damaged one
// is rebuilt from what the journals and blocks say.
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { ByteReader } from '../codec/byte-reader.ts';
import { ByteWriter } from '../codec/byte-writer.ts';
import type { Kind, Series, SeriesKey, SeriesRename } from '../records.ts';
import type { Damage } from './damage.ts';
import { isMissing, preserveDamaged } from './damaged-files.ts';
import { type Disk, replaceFile, systemDisk, writeAll } from './disk.ts';
import { seriesCatalogueName } from './file-names.ts';
import { drawSalt, type FileFormat, framedFile, frameOf, readFrames } from './frames.ts';
import { readFormerNames, readSeries, textOfKey, writeRenamedSeries } from './series-entry.ts';

export interface SeriesCatalogueOptions {
  /** Every series that journals and blocks name; asked for only where the file is damaged or says too little. */
  recover(): Iterable<Series>;
  /** The highest number that a journal or block uses; -1: none. No number up to it is given to another series. */
  readonly highest?: number;
  readonly disk?: Disk;
}

const format: FileFormat = { magic: 0x43_54_54_54, version: 1 }; // 'TTTC'
const none: readonly Series[] = [];

export class SeriesCatalogue {
  readonly damages: Damage[] = [];
  readonly #folder: string;
  readonly #disk: Disk;
  readonly #byNumber = new Map<number, Series>();
  readonly #byKey = new Map<string, Series>();
  readonly #byName = new Map<string, Series[]>();
  /** Names that a series had, by its number. */
  readonly #formerNames = new Map<number, readonly string[]>();
  #next = 0;
  #pending: Series[] = [];
  #salt = 0;
  #bytes = 0;
  /** The file is not what is known to be right: the next commit replaces it. */
  #isStale = false;

  private constructor(folder: string, disk: Disk) {
    this.#folder = folder;
    this.#disk = disk;
  }

  /** Writes nothing: `commit` replaces a missing or damaged file. Throws `NewerVersion` and the system's errors. */
  static open(folder: string, { recover, highest = -1, disk = systemDisk }: SeriesCatalogueOptions): SeriesCatalogue {
    const catalogue = new SeriesCatalogue(folder, disk);
    const isWhole = catalogue.#read();
    if (!isWhole || highest >= catalogue.#next) {
      for (const series of recover()) catalogue.#recover(series);
    }
    catalogue.#next = Math.max(catalogue.#next, highest + 1);
    return catalogue;
  }

  get size(): number {
    return this.#byNumber.size;
  }

  /** One more than the highest number that was ever given. */
  get limit(): number {
    return this.#next;
  }

  byNumber(number: number): Series | undefined {
    return this.#byNumber.get(number);
  }

  get(key: SeriesKey): Series | undefined {
    return this.#byKey.get(textOfKey(key));
  }

  /** Those of a name, one a datatype, the oldest first. */
  find(kind: Kind, name: string): readonly Series[] {
    return this.#byName.get(`${kind}/${name}`) ?? none;
  }

  all(): Iterable<Series> {
    return this.#byNumber.values();
  }

  /** The series, created where it does not exist; on disk after the next `commit`. */
  add({ kind, name, datatype }: SeriesKey): Series {
    const known = this.get({ kind, name, datatype });
    if (known !== undefined) return known;
    const series: Series = { number: this.#next, kind, name, datatype };
    this.#take(series);
    this.#pending.push(series);
    return series;
  }

  /** All series of a name get another one; on disk after the next `commit`. Where there are none, nothing happens. */
  rename({ kind, from, to }: SeriesRename): void {
    this.#rename(this.find(kind, from), to);
  }

  /** The same of one of them. */
  renameOne(number: number, to: string): void {
    const series = this.#byNumber.get(number);
    if (series !== undefined) this.#rename([series], to);
  }

  #rename(renamed: readonly Series[], to: string): void {
    if (renamed.every(({ name }) => name === to)) return;
    for (const series of renamed) {
      const formerNames = [...(this.#formerNames.get(series.number) ?? []), series.name];
      this.#formerNames.set(
        series.number,
        [...new Set(formerNames)].filter((name) => name !== to),
      );
      this.#byNumber.set(series.number, { ...series, name: to });
    }
    const all = [...this.#byNumber.values()];
    for (const map of [this.#byNumber, this.#byKey, this.#byName]) map.clear();
    for (const series of all) this.#take(series);
    this.#isStale = true;
  }

  /** Whether it is what a journal or block calls it, now or before it was renamed. */
  isSame(known: Series, { kind, name, datatype }: SeriesKey): boolean {
    const hasName = known.name === name || this.#formerNames.get(known.number)?.includes(name) === true;
    return known.kind === kind && known.datatype === datatype && hasName;
  }

  /** Those that journals and blocks may give another name. */
  renamed(): Series[] {
    return [...this.#formerNames.keys()].flatMap((number) => this.#byNumber.get(number) ?? []);
  }

  /** Afterwards all of it is on disk. Throws the system's error; what waits stays pending then. */
  commit(): void {
    if (this.#isStale) {
      this.#replace();
      return;
    }
    if (this.#pending.length === 0) return;
    const frames = Buffer.concat(this.#pending.map((series) => frameOf(this.#entryOf(series), this.#salt)));
    // After an error it is unknown what is in the file.
    this.#isStale = true;
    const file = openSync(join(this.#folder, seriesCatalogueName), constants.O_WRONLY);
    try {
      writeAll(this.#disk, file, frames, frames.length, this.#bytes);
      this.#disk.syncData(file);
    } finally {
      closeSync(file);
    }
    this.#isStale = false;
    this.#bytes += frames.length;
    this.#pending = [];
  }

  #replace(): void {
    const salt = drawSalt();
    const bytes = framedFile(
      format,
      salt,
      Array.from(this.#byNumber.values(), (series) => this.#entryOf(series)),
    );
    replaceFile(this.#disk, this.#folder, seriesCatalogueName, bytes);
    this.#salt = salt;
    this.#bytes = bytes.length;
    this.#isStale = false;
    this.#pending = [];
  }

  /** False: the file is not there, or not all of it is right. */
  #read(): boolean {
    const path = join(this.#folder, seriesCatalogueName);
    try {
      const { bytes, tornBytes, damages, salt } = readFrames(path, format, (payload) => this.#takeEntry(payload));
      this.#salt = salt ?? 0;
      this.#bytes = bytes;
      this.#isStale = damages.length > 0 || tornBytes > 0 || salt === undefined;
      if (damages.length > 0) preserveDamaged(path);
      this.damages.push(...damages);
    } catch (error) {
      if (!isMissing(error)) throw error;
      this.#isStale = true;
    }
    return !this.#isStale;
  }

  #takeEntry(payload: Uint8Array): string | undefined {
    try {
      const reader = new ByteReader(payload);
      const series = readSeries(reader);
      const formerNames = readFormerNames(reader);
      const fault = this.#take(series);
      if (fault === undefined && formerNames.length > 0) this.#formerNames.set(series.number, formerNames);
      return fault;
    } catch {
      return 'no series';
    }
  }

  #recover(series: Series): void {
    const known = this.#byNumber.get(series.number);
    if (known === undefined) {
      this.#take(series);
      this.#isStale = true;
    } else if (!this.isSame(known, series)) {
      const reason = `number ${series.number} is ${textOfKey(known)} here, and ${textOfKey(series)} elsewhere`;
      this.damages.push({ file: seriesCatalogueName, series: series.number, reason });
    }
  }

  /** Answers why it cannot be. A series whose number was lost and came back has two; new records go to the first. */
  #take(series: Series): string | undefined {
    const text = textOfKey(series);
    if (this.#byNumber.has(series.number)) return `number ${series.number} stands twice`;
    this.#byNumber.set(series.number, series);
    if (!this.#byKey.has(text)) this.#byKey.set(text, series);
    const name = `${series.kind}/${series.name}`;
    const sameName = this.#byName.get(name);
    if (sameName === undefined) this.#byName.set(name, [series]);
    else sameName.push(series);
    this.#next = Math.max(this.#next, series.number + 1);
    return undefined;
  }

  #entryOf(series: Series): Uint8Array {
    const out = new ByteWriter(80);
    writeRenamedSeries(out, series, this.#formerNames.get(series.number) ?? []);
    return out.written();
  }
}
