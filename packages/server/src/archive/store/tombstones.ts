// The tombstones: which records in memory and in blocks are erased, until compaction has removed them from the files.
import { Damaged } from '../files/damage.ts';
import type { Disk } from '../files/disk.ts';
import {
  everySeries,
  readTombstones,
  type Tombstone,
  wholeGeneration,
  writeTombstones,
} from '../files/tombstones-file.ts';
import { oldestPlausibleUs, type Series } from '../records.ts';
import { type Block, withBlock } from './block-list.ts';
import { extentOf } from './block-order.ts';
import type { ErasedRange, Memtable } from './memtable.ts';

const none: readonly Tombstone[] = [];

export class Tombstones {
  readonly #folder: string;
  readonly #disk: Disk;
  #all: readonly Tombstone[] = [];
  #bySeries = new Map<number, readonly Tombstone[]>();
  /** By `seq`: so many records of its own generation came before. */
  readonly #positions = new Map<number, number>();
  #lastSeq = 0;

  constructor(folder: string, disk: Disk) {
    this.#folder = folder;
    this.#disk = disk;
  }

  /** Answers with what is damaged. */
  read(): ReturnType<typeof readTombstones>['damages'] {
    const { tombstones, damages } = readTombstones(this.#folder);
    this.#set(tombstones);
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

  /** A block has this number applied: the next tombstone gets a higher one. */
  reached(seq: number): void {
    this.#lastSeq = Math.max(this.#lastSeq, seq);
  }

  ofSeries(series: number): readonly Tombstone[] {
    const [own = none, every = none] = [this.#bySeries.get(series), this.#bySeries.get(everySeries)];
    return every.length === 0 ? own : [...own, ...every];
  }

  after(seq: number): readonly Tombstone[] {
    return this.#all.filter((tombstone) => tombstone.seq > seq);
  }

  /** What is erased of a series in a generation that is in memory. */
  in({ generation }: Memtable, series: number): readonly ErasedRange[] {
    const erased: ErasedRange[] = [];
    for (const { seq, sinceUs, untilUs, generation: own } of this.ofSeries(series)) {
      if (own < generation) continue;
      erased.push({ sinceUs, untilUs, before: own > generation ? Infinity : (this.#positions.get(seq) ?? Infinity) });
    }
    return erased;
  }

  /** So many records of its generation, in memory, came before it. */
  positionOf(seq: number): number | undefined {
    return this.#positions.get(seq);
  }

  /** Of a generation in memory, the number of records before the first erasure that came after so many; Infinity: none did. */
  cutAfter(generation: number, records: number): number {
    let cut = Number.POSITIVE_INFINITY;
    for (const { seq, generation: own } of this.#all) {
      const position = own === generation ? this.#positions.get(seq) : undefined;
      if (position !== undefined && position > records) cut = Math.min(cut, position);
    }
    return cut;
  }

  /** Erases what is there of the series; on disk when it returns. After an error nothing is erased. */
  add(
    series: readonly Series[],
    sinceUs: number,
    untilUs: number,
    { generation, committed }: Memtable,
    offset: number,
  ): void {
    const added = series.map(({ number }, index) => {
      return { seq: this.#lastSeq + 1 + index, series: number, sinceUs, untilUs, generation, offset };
    });
    this.#add(added);
    for (const { seq } of added) this.#positions.set(seq, committed);
  }

  /** What another node has erased: of the series what is in generations up to this one; on disk when it returns. */
  addUpTo(series: readonly Series[], sinceUs: number, untilUs: number, generation: number): void {
    const added = series.map(({ number }, index) => {
      return { seq: this.#lastSeq + 1 + index, series: number, sinceUs, untilUs, generation, offset: wholeGeneration };
    });
    this.#write([...this.#all, ...added]);
  }

  /** Erases what blocks have of every series from 2000 until `untilUs`; on disk when it returns. */
  dropBefore(untilUs: number, generation: number): void {
    const sinceUs = oldestPlausibleUs;
    this.#add([{ seq: this.#lastSeq + 1, series: everySeries, sinceUs, untilUs, generation, offset: 0 }]);
  }

  /** Discards those that no longer apply to anything. */
  keep(isNeeded: (tombstone: Tombstone) => boolean): void {
    const needed = this.#all.filter(isNeeded);
    if (needed.length === this.#all.length) return;
    writeTombstones(this.#folder, needed, this.#disk);
    this.#set(needed);
    for (const seq of new Set(this.#positions.keys()).difference(new Set(needed.map((tombstone) => tombstone.seq)))) {
      this.#positions.delete(seq);
    }
  }

  /** While a journal is read: `count` records came before its frame at `offset`; at its end that is infinite. */
  replayed(generation: number, offset: number, count: number): void {
    if (this.#all.length === 0) return;
    for (const tombstone of this.#all) {
      if (tombstone.generation !== generation || tombstone.offset > offset || this.#positions.has(tombstone.seq))
        continue;
      this.#positions.set(tombstone.seq, count);
    }
  }

  /** They replace those that they cover. */
  #add(added: readonly Tombstone[]): void {
    const isCovered = (old: Tombstone) =>
      added.some(({ series, sinceUs, untilUs }) => {
        return series === old.series && old.sinceUs >= sinceUs && old.untilUs <= untilUs;
      });
    this.#write([...this.#all.filter((old) => !isCovered(old)), ...added]);
  }

  #write(all: readonly Tombstone[]): void {
    writeTombstones(this.#folder, all, this.#disk);
    this.#set(all);
  }

  #set(tombstones: readonly Tombstone[]): void {
    this.#all = tombstones;
    this.#bySeries = Map.groupBy(tombstones, ({ series }) => series);
    for (const { seq } of tombstones) this.reached(seq);
  }
}

/** What came after it, it does not erase. */
export function appliesTo({ generation }: Tombstone, { header }: Pick<Block, 'header'>): boolean {
  return header.genFrom <= generation;
}

/** Adds to the block the new tombstones that apply to its records. Opens the file where its times alone do not say. */
export function applyTombstones(block: Block, tombstones: Tombstones): void {
  const fresh = tombstones
    .after(block.tombstonesSeen)
    .filter((each) => each.sinceUs <= block.lastUs && each.untilUs > block.firstUs && appliesTo(each, block));
  try {
    if (fresh.length > 0) {
      withBlock(block.path, (file) => {
        for (const { seq, series, sinceUs, untilUs } of fresh) {
          const span = series === everySeries ? extentOf(block) : file.spanOf(series);
          if (span !== undefined && sinceUs <= span.lastUs && untilUs > span.firstUs) block.tombstones.add(seq);
        }
      });
    }
  } catch (error) {
    if (!(error instanceof Damaged)) throw error;
    block.isDamaged = true;
    for (const { seq } of fresh) block.tombstones.add(seq);
  }
  block.tombstonesSeen = tombstones.lastSeq;
}
