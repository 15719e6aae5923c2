// The erasures that are not carried out for good yet: which records in memory and in blocks they still hide.
import { Damaged } from '../files/damage.ts';
import type { Disk } from '../files/disk.ts';
import { type Erasure, everySeries, readErasures, writeErasures } from '../files/erasures-file.ts';
import { oldestPlausibleUs, type Series } from '../records.ts';
import { type Block, withBlock } from './block-list.ts';
import { extentOf } from './block-order.ts';
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
    const [own = none, every = none] = [this.#bySeries.get(series), this.#bySeries.get(everySeries)];
    return every.length === 0 ? own : [...own, ...every];
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
    this.#add(added);
    for (const { seq } of added) this.#positions.set(seq, committed);
  }

  /**
   * Erases what blocks have of every series from 2000 on and before `untilUs`; on disk when it returns. `generation` is
   * the last one that is in blocks, and none is on its way there.
   */
  dropBefore(untilUs: number, generation: number): void {
    const sinceUs = oldestPlausibleUs;
    this.#add([{ seq: this.#lastSeq + 1, series: everySeries, sinceUs, untilUs, generation, offset: 0 }]);
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

  /** In place of those that they cover. */
  #add(added: readonly Erasure[]): void {
    const isCovered = (old: Erasure) =>
      added.some(({ series, sinceUs, untilUs }) => {
        return series === old.series && old.sinceUs >= sinceUs && old.untilUs <= untilUs;
      });
    const all = [...this.#all.filter((old) => !isCovered(old)), ...added];
    writeErasures(this.#folder, all, this.#disk);
    this.#set(all);
  }

  #set(erasures: readonly Erasure[]): void {
    this.#all = erasures;
    this.#bySeries = Map.groupBy(erasures, ({ series }) => series);
    for (const { seq } of erasures) this.reached(seq);
  }
}

/** Whether an erasure applies to records of the block. Opens the file where it cannot be told otherwise. */
export function isTouched(block: Block, erasures: Erasures): boolean {
  const fresh = erasures
    .after(block.erasuresSeen)
    .filter(({ sinceUs, untilUs }) => sinceUs <= block.lastUs && untilUs > block.firstUs);
  try {
    if (fresh.length > 0) {
      withBlock(block.path, (file) => {
        for (const { seq, series, sinceUs, untilUs } of fresh) {
          const span = series === everySeries ? extentOf(block) : file.spanOf(series);
          if (span !== undefined && sinceUs <= span.lastUs && untilUs > span.firstUs) block.erasures.add(seq);
        }
      });
    }
  } catch (error) {
    if (!(error instanceof Damaged)) throw error;
    block.isDamaged = true;
    for (const { seq } of fresh) block.erasures.add(seq);
  }
  block.erasuresSeen = erasures.lastSeq;
  return block.erasures.size > 0;
}
