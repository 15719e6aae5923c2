// What another node of the site has recorded, as an archive beside the own one. Parcels come in the order in which their records count:
// each is the newest that there is. It is there once, wherever the server is killed: before its records are written, the cursor says
// behind which one they begin, and how many they are.
import { mkdirSync } from 'node:fs';
import { type Disk, systemDisk } from '../files/disk.ts';
import { BadParcel, decodeParcel } from '../parcel/decode-parcel.ts';
import type { Parcel, ParcelErasure } from '../parcel/parcel.ts';
import type { ErasedInterval } from '../query/tombstone-filter.ts';
import type { Series, SeriesKey } from '../records.ts';
import { ArchiveStore, type ArchiveStoreOptions } from '../store/archive-store.ts';
import type { Frozen } from '../store/generations.ts';
import { type ReceivedBatch, receivedBatch } from './received-batch.ts';
import {
  type ReceivedEntry,
  readReceived,
  readSeriesNumbers,
  type SeriesNumbers,
  writeReceived,
  writeSeriesNumbers,
} from './received-file.ts';

/** What the other node has erased, of whatever was recorded up to its epoch. */
export interface ReceivedErasure {
  readonly key: SeriesKey;
  readonly sinceUs: number;
  readonly untilUs: number;
  readonly epoch: number;
}

export interface ReceivedStoreOptions extends ArchiveStoreOptions {
  /** Called while it is taken; on disk when it returns. It may come again. */
  readonly onErased: (erasure: ReceivedErasure) => void;
  /** What was erased of a series under an epoch after this one. */
  readonly erasedAfter: (key: SeriesKey, epoch: number) => readonly ErasedInterval[];
}

/** The newest parcel of an epoch. */
export interface NewestReceived {
  readonly seq: number;
  readonly position: string;
}

/** No parcel of this epoch is taken, or not any more: another is to be begun. */
export class NotTheEpoch extends Error {
  override readonly name = 'NotTheEpoch';
}

/** In order: an erasure, or records. */
type Step = { readonly place: number } & ({ readonly erasure: ParcelErasure } | ReceivedBatch);

const nothing: ReceivedEntry = {
  epoch: 0,
  seq: 0,
  position: '',
  arriving: undefined,
  cut: undefined,
  isKnown: false,
  counters: undefined,
  madeUs: 0,
};

export class ReceivedStore {
  readonly #folder: string;
  readonly #options: ReceivedStoreOptions;
  readonly #disk: Disk;
  #archive: ArchiveStore | undefined;
  #entry = nothing;
  /** Undefined: it is not known what the numbers of the epoch mean. */
  #numbers: SeriesNumbers | undefined;

  /** Throws `NewerVersion` and the system's errors. */
  constructor(folder: string, options: ReceivedStoreOptions) {
    this.#folder = folder;
    this.#options = options;
    this.#disk = options.disk ?? systemDisk;
    mkdirSync(folder, { recursive: true });
    this.#archive = this.#open();
  }

  /** Throws as the constructor, where the disk has refused what came last. */
  get archive(): ArchiveStore {
    this.#archive ??= this.#open();
    return this.#archive;
  }

  /** What is known of it for people. */
  get entry(): ReceivedEntry {
    return this.#entry;
  }

  /** Undefined: it does not know of this epoch. */
  newest(epoch: number): NewestReceived | undefined {
    const { seq, position } = this.#entry;
    return epoch === this.#entry.epoch && epoch > 0 && this.#numbers !== undefined ? { seq, position } : undefined;
  }

  /** The epoch that is begun: the one that a lease has given, or a higher one where that was had before. Throws the system's error. */
  claim(given: number): { readonly epoch: number; readonly isKnown: boolean } {
    const { epoch: last, seq, isKnown } = this.#entry;
    const isFree = given > last || (given === last && seq === 0);
    const epoch = isFree ? given : last + 1;
    this.#numbers = new Map();
    writeSeriesNumbers(this.#folder, epoch, this.#numbers, this.#disk);
    this.archive.lead(epoch);
    this.#save({ ...this.#entry, epoch, seq: 0, position: '', arriving: undefined });
    return { epoch, isKnown };
  }

  /**
   * On disk when it returns; answers the newest that there is then: another one where this did not come next. Throws `BadParcel`, `NotTheEpoch`,
   * and the system's errors: then it may come again.
   */
  take(bytes: Uint8Array): NewestReceived {
    const parcel = decodeParcel(bytes);
    const newest = this.newest(parcel.epoch);
    if (newest === undefined) throw new NotTheEpoch(`epoch ${parcel.epoch} is not the one that was begun last`);
    if (parcel.seq !== newest.seq + 1) return newest;
    try {
      this.#take(parcel);
    } catch (error) {
      // What of it is in memory is forgotten, and what is on disk is found when it is opened again.
      if (!(error instanceof BadParcel)) this.#abandon();
      throw error;
    }
    return { seq: parcel.seq, position: parcel.position };
  }

  close(): void {
    this.#archive?.close();
  }

  #abandon(): void {
    this.#archive?.abandon();
    this.#archive = undefined;
  }

  #open(): ArchiveStore {
    this.#entry = readReceived(this.#folder) ?? nothing;
    this.#numbers = readSeriesNumbers(this.#folder, this.#entry.epoch);
    const onReplayed = (frozen: readonly Frozen[]) => this.#settle(frozen);
    const archive = ArchiveStore.open(this.#folder, { ...this.#options, onReplayed });
    if (this.#entry.cut === undefined) return archive;
    while (archive.maintain(Number.POSITIVE_INFINITY));
    this.#save({ ...this.#entry, cut: undefined });
    return archive;
  }

  /** Whether what was on its way has come to the disk, all of it. */
  #settle(frozen: readonly Frozen[]): void {
    const { arriving, seq } = this.#entry;
    if (arriving !== undefined) {
      const { generation, records, count, erases, position } = arriving;
      const table = frozen.find((each) => each.table.generation === generation)?.table;
      // One that is in blocks was whole before.
      const isWhole = table === undefined || table.committed === records + count;
      const isThere = isWhole && !erases;
      const cut = table === undefined || isThere ? undefined : { generation, records };
      const newest = isThere ? { seq: seq + 1, position, isKnown: true } : {};
      this.#save({ ...this.#entry, ...newest, arriving: undefined, cut });
    }
    const { cut } = this.#entry;
    const cutOff = frozen.find((each) => each.table.generation === cut?.generation);
    if (cut !== undefined && cutOff !== undefined) cutOff.table.cutTo(cut.records, cutOff.aheadUs);
  }

  #take(parcel: Parcel): void {
    const { epoch, seq, position, counters, madeUs, erasures } = parcel;
    const archive = this.archive;
    this.#declare(epoch, parcel.series);
    const steps = this.#stepsOf(parcel);
    const count = steps.reduce((sum, step) => sum + ('batch' in step ? step.batch.count : 0), 0);
    const erases = erasures.length > 0;
    this.#save({ ...this.#entry, arriving: { position, ...archive.end(), count, erases } });
    for (const step of steps) {
      if ('batch' in step) archive.append(step.batch, step.numbers);
      else this.#erase(step.erasure, epoch);
    }
    archive.commit();
    const after = { ...this.#entry, seq, position, arriving: undefined, isKnown: true, counters, madeUs };
    // That its records are there says that all of it is.
    if (erases) this.#save(after);
    else this.#entry = after;
  }

  /** On disk when it returns. */
  #declare(epoch: number, declared: readonly Series[]): void {
    if (declared.length === 0) return;
    const archive = this.archive;
    const numbers = this.#numbers as SeriesNumbers;
    for (const { number, ...key } of declared) {
      const known = this.#seriesOf(number);
      if (known === undefined) numbers.set(number, seriesIn(archive, key).number);
      else if (known.kind !== key.kind || known.datatype !== key.datatype) {
        throw new BadParcel(`series ${number} was ${known.kind} ${known.datatype}, and is ${key.kind} ${key.datatype}`);
      } else if (known.name !== key.name) archive.renameSeries(known.number, key.name);
    }
    archive.commit();
    writeSeriesNumbers(this.#folder, epoch, numbers, this.#disk);
  }

  #stepsOf({ epoch, sections, erasures }: Parcel): Step[] {
    const seriesOf = (number: number) => this.#seriesOf(number);
    const erasedOf = (series: Series) => this.#options.erasedAfter(series, epoch);
    const records = sections.map((section): Step => {
      return { place: section.to, ...receivedBatch(section, seriesOf, erasedOf) };
    });
    const erased = erasures.map((erasure): Step => {
      if (seriesOf(erasure.series) !== undefined) return { place: erasure.place, erasure };
      throw new BadParcel(`it erases series ${erasure.series}, which was never declared`);
    });
    // Stable: an erasure has what is at its place.
    return [...records, ...erased].sort((a, b) => a.place - b.place);
  }

  #erase({ series: number, sinceUs, untilUs }: ParcelErasure, epoch: number): void {
    const series = this.#seriesOf(number) as Series;
    this.archive.eraseSeries(series, sinceUs, untilUs);
    this.#options.onErased({ key: series, sinceUs, untilUs, epoch });
  }

  /** Of this store, by a number of the sender. */
  #seriesOf(number: number): Series | undefined {
    const own = this.#numbers?.get(number);
    return own === undefined ? undefined : this.archive.seriesByNumber(own);
  }

  #save(entry: ReceivedEntry): void {
    writeReceived(this.#folder, entry, this.#disk);
    this.#entry = entry;
  }
}

function seriesIn(archive: ArchiveStore, key: SeriesKey): Series {
  try {
    return archive.seriesOf(key);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new BadParcel(error.message);
  }
}
