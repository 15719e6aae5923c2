// The memtables: the active one, with its journal (the write-ahead log), and the frozen ones before it that wait for
// their flush. Committed records are in a journal; the rest waits here for the next commit.
import { type Batch, type Clock, form, traitsOf } from '@telltale/schema/values';
import { SyncFailed } from '../files/damage.ts';
import type { Disk } from '../files/disk.ts';
import { Journal } from '../files/journal.ts';
import type { SeriesCatalogue } from '../files/series-catalogue.ts';
import { farthestAheadUs, type Series } from '../records.ts';
import { Memtable, maxSeries } from './memtable.ts';

export interface Limits {
  readonly records: number;
  /** Of its texts, in units of UTF-16. */
  readonly textUnits: number;
  /** Of the archive. */
  readonly series?: number;
}

/** A generation that takes no more records. */
export interface Frozen {
  readonly table: Memtable;
  readonly journalPath: string;
  readonly journalBytes: number;
  /** The journal stays beside the blocks made from it. */
  readonly isDamaged: boolean;
  /** Times after this are those of a wrong clock. */
  readonly aheadUs: number;
}

export interface GenerationsOptions {
  readonly folder: string;
  readonly disk: Disk;
  readonly clock: Clock;
  readonly catalogue: SeriesCatalogue;
  readonly limits: Limits;
}

/** Room for so many records at first. */
const fewest = 16_384;
/** Records that are moved to another journal in one go. */
const movedAtOnce = 65_536;

export class Generations {
  readonly #options: GenerationsOptions;
  readonly #frozen: Frozen[];
  #active: Memtable;
  /** Undefined while the disk has refused the first one: the next commit retries. */
  #journal: Journal | undefined;
  readonly #failure: string | undefined;
  #spare: Memtable | undefined;
  /** The disk did not confirm a write to the journal: so much of it counts. */
  #endOfJournal: number | undefined;
  // By number of the series: the form of its records, 0 where there is none; 1 for texts.
  #formOf = new Uint8Array(0);
  #isText = new Uint8Array(0);
  #known = 0;

  /** `frozen` oldest first. Throws the system's error where the first journal cannot be made, except on a full disk. */
  constructor(options: GenerationsOptions, frozen: Frozen[], generation: number) {
    this.#options = options;
    this.#frozen = frozen;
    this.#active = new Memtable(generation, fewest);
    try {
      this.#begin();
    } catch (error) {
      if (!wantsRoom(error)) throw error;
      this.#failure = (error as Error).message;
    }
  }

  /** Why there is no journal; undefined where there is one. */
  get failure(): string | undefined {
    return this.#journal === undefined ? this.#failure : undefined;
  }

  /** It was to end, and the disk did not let it. */
  get isOverdue(): boolean {
    return this.#active.committed >= this.#options.limits.records;
  }

  get mostSeries(): number {
    return this.#options.limits.series ?? maxSeries;
  }

  get active(): Memtable {
    return this.#active;
  }

  /** Oldest first. */
  get frozen(): readonly Frozen[] {
    return this.#frozen;
  }

  /** Oldest first. */
  get tables(): Memtable[] {
    return [...this.#frozen.map(({ table }) => table), this.#active];
  }

  /** Records that are not on disk yet. */
  get pending(): number {
    return this.#active.count - this.#active.committed;
  }

  /** Oldest first, with what is on disk of each. */
  journals(): { readonly path: string; readonly bytes: number; readonly table: Memtable }[] {
    const active = this.#journal;
    return [
      ...this.#frozen.map(({ journalPath: path, journalBytes: bytes, table }) => ({ path, bytes, table })),
      ...(active === undefined ? [] : [{ path: active.path, bytes: active.bytes, table: this.#active }]),
    ];
  }

  get journalBytes(): number {
    return this.#frozen.reduce((sum, { journalBytes }) => sum + journalBytes, this.#journal?.bytes ?? 0);
  }

  /** The end of the journal, where nothing is pending: later records are at or behind it. */
  get offset(): number {
    return this.#journal?.offset ?? 0;
  }

  /** Throws RangeError where a record is invalid; nothing is taken then. */
  append(batch: Batch, seriesOf: Uint32Array): void {
    this.#learn();
    this.#check(batch, seriesOf);
    const known = this.#active.used.length;
    this.#active.append(batch, seriesOf, this.#isText, this.#aheadUs());
    // Otherwise the next journal gets it, with all that waits.
    if (this.#journal !== undefined && this.#endOfJournal === undefined) {
      this.#write(this.#journal, batch, seriesOf, known);
    }
  }

  /** Everything is on disk afterwards. Throws the system's error; what waits stays pending then. */
  commit(): void {
    const { catalogue, limits } = this.#options;
    catalogue.commit();
    const isOver = this.#endOfJournal !== undefined || this.#active.committed >= 4 * limits.records;
    const journal = isOver ? this.renew() : (this.#journal ?? this.#begin());
    try {
      journal.commit();
    } catch (error) {
      if (error instanceof SyncFailed) this.#endOfJournal = error.endOfPrevious;
      throw error;
    }
    this.#active.committed = this.#active.count;
    if (this.#active.count < limits.records && this.#active.textUnits < limits.textUnits) return;
    try {
      this.renew();
    } catch {
      // The disk is full, or the like: the current journal takes more, and the next commit retries.
    }
  }

  #begin(): Journal {
    const { folder, disk } = this.#options;
    const table = this.#active;
    const journal = Journal.create(folder, table.generation, { disk });
    this.#journal = journal;
    for (let at = 0; at < table.count; at += movedAtOnce) {
      const [batch, numbers] = table.batch(at, Math.min(at + movedAtOnce, table.count), this.#formOf);
      this.#write(journal, batch, numbers, 0);
    }
    return journal;
  }

  /** Starts the next generation, which gets the pending records. After the system's error nothing has changed. */
  renew(): Journal {
    const { folder, disk } = this.#options;
    const [old, oldJournal] = [this.#active, this.#journal ?? this.#begin()];
    const generation = old.generation + 1;
    const endOfPrevious = this.#endOfJournal;
    const journal = Journal.create(
      folder,
      generation,
      endOfPrevious === undefined ? { disk } : { disk, endOfPrevious },
    );
    this.#journal = journal;
    this.#endOfJournal = undefined;
    this.#active = new Memtable(generation, Math.max(fewest, Math.ceil(1.1 * old.committed)), this.#spare);
    this.#spare = undefined;
    for (let at = old.committed; at < old.count; at += movedAtOnce) {
      const [batch, numbers] = old.batch(at, Math.min(at + movedAtOnce, old.count), this.#formOf);
      this.append(batch, numbers);
    }
    const aheadUs = this.#aheadUs();
    old.cutBack(aheadUs);
    oldJournal.close();
    const { path: journalPath, bytes: journalBytes } = oldJournal;
    this.#frozen.push({ table: old, journalPath, journalBytes, isDamaged: false, aheadUs });
    return journal;
  }

  /** The oldest frozen one is in blocks; somebody may need its records still. */
  drop(isNeeded = false): void {
    const table = this.#frozen.shift()?.table;
    if (table === undefined || isNeeded) return;
    table.texts = [];
    this.#spare = table;
  }

  close(): void {
    this.#journal?.close();
  }

  #write(journal: Journal, batch: Batch, seriesOf: Uint32Array, known: number): void {
    const { used } = this.#active;
    for (let at = known; at < used.length; at++) {
      journal.declare(this.#options.catalogue.byNumber(used[at] as number) as Series);
    }
    journal.add(batch, seriesOf);
  }

  #check({ count, points, times, forms }: Batch, seriesOf: Uint32Array): void {
    const formOf = this.#formOf;
    for (let at = 0; at < count; at++) {
      const kind = forms[at] as number;
      const time = times[at] as number;
      if (kind !== 0 && kind === formOf[seriesOf[points[at] as number] as number] && isTime(time)) continue;
      throw new RangeError(`record ${at}: form ${kind} at ${time} is none of its series`);
    }
  }

  #aheadUs(): number {
    return this.#options.clock.now() + farthestAheadUs;
  }

  /** Looks up the datatypes of the new series. */
  #learn(): void {
    const { limit } = this.#options.catalogue;
    if (limit > this.#formOf.length) {
      const [formOf, isText] = [this.#formOf, this.#isText];
      this.#formOf = new Uint8Array(Math.max(limit, 2 * formOf.length));
      this.#isText = new Uint8Array(this.#formOf.length);
      this.#formOf.set(formOf);
      this.#isText.set(isText);
    }
    while (this.#known < limit) this.#define(this.#known++);
  }

  #define(number: number): void {
    const series = this.#options.catalogue.byNumber(number);
    if (series === undefined) return;
    const { form: held } = traitsOf(series.datatype);
    this.#formOf[number] = held;
    this.#isText[number] = held === form.text ? 1 : 0;
  }
}

function isTime(time: number): boolean {
  return time >= 0 && time < 9_007_199_254_740_992 && Math.floor(time) === time;
}

/** A disk that is full, or a quota, or a limit on the size of files: it may pass. */
function wantsRoom(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EFBIG'].includes((error as NodeJS.ErrnoException).code ?? '');
}
