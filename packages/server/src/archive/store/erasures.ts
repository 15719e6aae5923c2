// The erasures that are not carried out for good yet: which records in memory and in blocks they still hide.
import type { Disk } from '../files/disk.ts';
import { type Erasure, readErasures, writeErasures } from '../files/erasures-file.ts';
import type { Series } from '../records.ts';
import type { ErasedRange, MemoryTable } from './memory-table.ts';

const none: readonly Erasure[] = [];

export class Erasures {
  readonly #folder: string;
  readonly #disk: Disk;
  #all: readonly Erasure[] = [];
  #bySeries = new Map<number, readonly Erasure[]>();
  /** By `seq`: so many records of its own generation came before. */
  readonly #positions = new Map<number, number>();
  #lastSeq = 0;

  constructor(folder: string, disk: Disk) {
    this.#folder = folder;
    this.#disk = disk;
  }

  /** Answers with what is damaged. */
  read(): ReturnType<typeof readErasures>['damages'] {
    const { erasures, damages } = readErasures(this.#folder);
    this.#set(erasures);
    return damages;
  }

  get size(): number {
    return this.#all.length;
  }

  /** That of the newest one ever, as far as anything remembers it. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  get lastGeneration(): number {
    return this.#all.reduce((last, { generation }) => Math.max(last, generation), 0);
  }

  /** A block has this number applied: the next erasure gets a higher one. */
  reached(seq: number): void {
    this.#lastSeq = Math.max(this.#lastSeq, seq);
  }

  ofSeries(series: number): readonly Erasure[] {
    return this.#bySeries.get(series) ?? none;
  }

  after(seq: number): readonly Erasure[] {
    return this.#all.filter((erasure) => erasure.seq > seq);
  }

  /** What is erased of a series in a generation that is in memory. */
  in({ generation }: MemoryTable, series: number): readonly ErasedRange[] {
    const erased: ErasedRange[] = [];
    for (const { seq, sinceUs, untilUs, generation: own } of this.ofSeries(series)) {
      if (own < generation) continue;
      erased.push({ sinceUs, untilUs, before: own > generation ? Infinity : (this.#positions.get(seq) ?? Infinity) });
    }
    return erased;
  }

  /** Erases what is there of the series; on disk when it returns. After an error nothing is erased. */
  add(
    series: readonly Series[],
    sinceUs: number,
    untilUs: number,
    { generation, committed }: MemoryTable,
    offset: number,
  ): void {
    const added = series.map(({ number }, index) => {
      return { seq: this.#lastSeq + 1 + index, series: number, sinceUs, untilUs, generation, offset };
    });
    const isCovered = (old: Erasure) =>
      old.sinceUs >= sinceUs && old.untilUs <= untilUs && series.some(({ number }) => number === old.series);
    const all = [...this.#all.filter((old) => !isCovered(old)), ...added];
    writeErasures(this.#folder, all, this.#disk);
    for (const { seq } of added) this.#positions.set(seq, committed);
    this.#set(all);
  }

  /** Drops those that apply to nothing any more. */
  keep(isNeeded: (erasure: Erasure) => boolean): void {
    const needed = this.#all.filter(isNeeded);
    if (needed.length === this.#all.length) return;
    writeErasures(this.#folder, needed, this.#disk);
    this.#set(needed);
    for (const seq of new Set(this.#positions.keys()).difference(new Set(needed.map((erasure) => erasure.seq)))) {
      this.#positions.delete(seq);
    }
  }

  /**
   * While a journal is read: `count` records came before its frame at `offset`. At its end the offset is infinite.
   */
  replayed(generation: number, offset: number, count: number): void {
    if (this.#all.length === 0) return;
    for (const erasure of this.#all) {
      if (erasure.generation !== generation || erasure.offset > offset || this.#positions.has(erasure.seq)) continue;
      this.#positions.set(erasure.seq, count);
    }
  }

  #set(erasures: readonly Erasure[]): void {
    this.#all = erasures;
    this.#bySeries = Map.groupBy(erasures, ({ series }) => series);
    for (const { seq } of erasures) this.reached(seq);
  }
}
