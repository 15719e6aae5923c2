// What of the archive goes to the store, or to another node of the site, on the thread that has the files: gives what is in memory, says which block is
// next, and keeps apart what was sent and what was not. The sender, on the thread of the store, asks and sends.
import { randomInt } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { unsentName } from '../files/file-names.ts';
import {
  type GivenEpoch,
  type Opening,
  type OutgoingEntry,
  readOutgoing,
  theStore,
  writeOutgoing,
} from '../files/outgoing-file.ts';
import { generationOf, parcelLimits, placeOf } from '../parcel/parcel.ts';
import type { Series } from '../records.ts';
import type { Block } from '../store/block-list.ts';
import type { Frozen } from '../store/generations.ts';
import type { Memtable } from '../store/memtable.ts';
import { isBefore, side, sideOf } from './block-side.ts';
import { erasuresAfter } from './erasures.ts';
import { givenSoFar, noneGiven, withNext } from './given-epochs.ts';
import { MemoryRecords } from './memory-records.ts';
import { nextBlock } from './next-block.ts';
import type { DestinationParts } from './outgoing-parts.ts';
import { type Discarded, nothingDiscarded, type OutgoingCounts, type OutgoingPiece } from './outgoing-piece.ts';
import {
  firstPosition,
  inNextEpoch,
  type Position,
  positionText,
  readPosition,
  repeatedSince,
  withoutMemoryBefore,
} from './position.ts';

/** Of those before them positions are no longer known: then everything is sent again. */
const mostOpenings = 1000;

export class Outgoing {
  readonly #parts: DestinationParts;
  readonly #memory: MemoryRecords;
  /** The times that the archive was opened before. */
  readonly #openings: readonly Opening[];
  /** Which time this is. */
  readonly #opened = randomInt(2 ** 47);
  /** The end of the archive when it was opened: nothing behind it was sent before. */
  readonly #end: number;
  #site: string | undefined;
  #epoch: number | undefined;
  /** That come after it, in order. */
  #given: readonly GivenEpoch[];
  /** The first position of the epoch, as text. */
  #begun: string;
  /** What the store has, as far as is known. */
  #position: Position;
  /** What the sender was given since then: the store may have it. Until the store has said what it has, that may be anything. */
  #handed: Pick<OutgoingPiece, 'position' | 'block'> | 'anything' | undefined = 'anything';
  #discarded: Discarded;
  /** So many records were stored, up to this place. */
  #stored: number;
  #storedTo: number;
  /** Records that were discarded before they came to the archive: before this start, and since. */
  readonly #droppedBefore: number;
  #dropped = 0;
  #saved: OutgoingEntry | undefined;
  #savedErased = 0;
  /** Series whose names the store may not have. */
  readonly #renamed: Set<number>;

  /** `unsent`: of generations that are in blocks what the store may lack. Throws the system's errors. */
  constructor(parts: DestinationParts, unsent: readonly Frozen[]) {
    const saved = readOutgoing(parts.folder, parts.destination);
    this.#parts = parts;
    this.#memory = new MemoryRecords(parts, unsent);
    this.#end = this.#memory.end;
    this.#openings = saved === undefined ? [] : this.#withLast(saved);
    this.#site = saved?.site;
    this.#epoch = saved?.epoch;
    this.#given = saved?.given ?? (saved === undefined ? givenSoFar(parts) : []);
    const position = saved && readPosition(saved.position);
    this.#position = position ?? firstPosition(this.#opened, this.#memory.firstGeneration);
    this.#begun = saved?.begun ?? positionText(this.#position);
    this.#discarded = saved?.discarded ?? nothingDiscarded;
    this.#stored = saved?.stored ?? parts.blocks.all.reduce((sum, { records }) => sum + records, 0);
    this.#storedTo = saved?.storedTo ?? 0;
    this.#droppedBefore = saved?.dropped ?? 0;
    this.#renamed = new Set(parts.catalogue.renamed().map(({ number }) => number));
    parts.tombstones.reached(this.#position.erased);
    // On disk before anything is sent that says so.
    this.save();
  }

  /** In which this folder sends; undefined: it has none yet. */
  get epoch(): number | undefined {
    return this.#epoch;
  }

  /** The one that begins when everything of the present one is sent. */
  get nextEpoch(): number | undefined {
    return this.#given[0]?.epoch;
  }

  /** The highest that this folder was given or has claimed. */
  get lastEpoch(): number | undefined {
    return this.#given.at(-1)?.epoch ?? this.#epoch;
  }

  /** Erasures up to this one need not be remembered for the store. */
  get erased(): number {
    return this.#savedErased;
  }

  /** It is sent as this site from now on: epochs of another one are not of this one. Throws the system's error. */
  sendAs(site: string): void {
    if (this.#site !== undefined && this.#site !== site) {
      this.#epoch = undefined;
      this.#take(firstPosition(this.#opened, this.#memory.firstGeneration));
    }
    this.#site = site;
    this.save();
  }

  series(): Series[] {
    return [...this.#parts.catalogue.all()];
  }

  /**
   * The store has come to this position in our epoch; empty: it has nothing of it. Undefined: the text is no position, or this
   * folder never had it, since it was restored from a backup.
   */
  resume(text: string): Position | undefined {
    const position = readPosition(text === '' ? this.#begun : text);
    if (position === undefined || !this.#hasSent(position)) return undefined;
    for (const { number } of this.#parts.catalogue.renamed()) this.#renamed.add(number);
    this.#take({ ...position, opened: this.#opened });
    return this.#position;
  }

  /**
   * What is recorded and erased from now on is of this epoch, which a lease has given; nothing was recorded since the last generation was
   * frozen, unless the disk refuses. Throws the system's error: then it is on disk when that is saved next.
   */
  lead(epoch: number): void {
    if (epoch === this.lastEpoch) return;
    const { lastSeq: erased } = this.#parts.tombstones;
    this.#given = withNext(this.#given, { epoch, from: placeOf(this.#memory.activeGeneration, 0), erased });
    this.save();
  }

  /**
   * The first position of an epoch; on disk when it returns. `isKnown`: the store may have something of this site; then no
   * record was taken since the last generation was frozen, or a lease has given the epoch. `reached`: the position that the store has of
   * the epoch before.
   */
  begin(epoch: number, isKnown: boolean, reached: string | undefined): Position {
    const { firstGeneration, activeGeneration } = this.#memory;
    const given = this.#given.find((each) => each.epoch <= epoch);
    const end = given === undefined ? activeGeneration : generationOf(given.from);
    const next = this.#given.find((each) => each.epoch > epoch);
    const ofEpoch = next === undefined ? firstGeneration : Math.min(firstGeneration, generationOf(next.from));
    const first = firstPosition(this.#opened, ofEpoch);
    const had = reached === undefined ? undefined : readPosition(reached);
    const isBehindOurs = had !== undefined && had.sent >= this.#position.sent;
    // What is repeated is sent from blocks: there each time can replace what the store has of it.
    const from = isBehindOurs ? this.#position : { ...first, live: placeOf(0, 0), ranges: [] };
    this.#take(isKnown ? repeatedSince(from, this.#opened, end) : first);
    return this.#beginAtPosition(epoch);
  }

  /** The first position of the next epoch, where the store has everything of this one by that position; on disk when it returns. */
  beginNext(epoch: number, reached: Position): Position {
    this.#take(inNextEpoch(reached, this.#opened, this.#given[0]?.from ?? 0));
    return this.#beginAtPosition(epoch);
  }

  /** What is to be sent after this position; of memory at most so many records, and no more of series and erasures. */
  next(from: Position, most: number): OutgoingPiece {
    const { catalogue } = this.#parts;
    const [given] = this.#given;
    const { from: until, erased: lastErased } = given ?? noneGiven;
    const live = Math.min(this.#memory.behind(from.live), Math.max(until, from.live));
    const inMemory = Math.min(this.#memory.firstWhole(generationOf(live)), generationOf(until));
    const position = withoutMemoryBefore({ ...from, live }, inMemory);
    const { declared, renamed, series } = this.#undeclared(position.declared, most);
    // Records come when all series are known.
    const isDeclared = declared === catalogue.limit;
    const {
      erasures,
      erased,
      areAll: areAllErased,
    } = erasuresAfter(this.#parts, this.#memory, {
      after: position.erased,
      last: lastErased,
      most,
    });
    const isLiveNext = isDeclared && (!this.#isInOrder || (position.ranges.length === 0 && areAllErased));
    const records = isLiveNext ? this.#memory.from(position.live, until, most) : [];
    const next = { ...position, live: records.at(-1)?.to ?? position.live, declared, erased };
    const isBlockNext = isDeclared && (!this.#isInOrder || areAllErased);
    const block = isBlockNext ? nextBlock(this.#parts, this.#memory.firstGeneration, position) : undefined;
    this.#handed = { position: next, block };
    const isOver = isDeclared && next.live >= until && next.ranges.length === 0 && next.erased >= (given?.erased ?? 0);
    return {
      position: next,
      series,
      renamed,
      erasures,
      live: records,
      block,
      nextEpoch: isOver ? given?.epoch : undefined,
      ...this.counts(next),
    };
  }

  /** What waits after this position. */
  counts(position = this.#position): OutgoingCounts {
    return {
      discarded: this.#discarded,
      stored: this.count(),
      dropped: this.#droppedBefore + this.#dropped,
      waiting: this.#waiting(position),
      oldestUnsentUs: this.#oldestUs(position),
    };
  }

  /** The store has this, and the present names of these series. */
  sent(position: Position, renamed: readonly number[]): void {
    for (const number of renamed) this.#renamed.delete(number);
    this.#take(position);
  }

  /** Whether the store may have some of its records, and lack others. */
  isInPart({ generation }: Memtable): boolean {
    const { live } = this.#position;
    return live < placeOf(generation + 1, 0) && Math.max(live, this.#handedTo) > placeOf(generation, 0);
  }

  /** Whether it is in blocks, and its records are needed as they came. */
  retains(generation: number): boolean {
    return this.#memory.retains(generation, generation);
  }

  /** A generation is in blocks. */
  leaveMemory(frozen: Frozen): void {
    this.count();
    if (!this.isInPart(frozen.table) || frozen.isDamaged) return;
    const journalPath = join(this.#parts.folder, unsentName(frozen.table.generation));
    this.#memory.retain({ ...frozen, journalPath });
  }

  /** These series have got another name. */
  rename(series: readonly Series[]): void {
    for (const { number } of series) this.#renamed.add(number);
  }

  /** So many records since the start. */
  noteDropped(count: number): void {
    this.#dropped = count;
  }

  /** A block is deleted for its age or for room. */
  discard(block: Block): void {
    if (sideOf(block, this.#position) === side.sent) return;
    const { count, sinceUs, untilUs } = this.#discarded;
    this.#discarded = {
      count: count + block.records,
      sinceUs: count === 0 ? block.firstUs : Math.min(sinceUs, block.firstUs),
      untilUs: Math.max(untilUs, block.lastUs),
    };
  }

  /** Whether the store has one and may lack the other, or gets them in two epochs: those are never merged. */
  isParted(a: Block, b: Block): boolean {
    if (this.#given.some(({ from }) => isBefore(a, from) !== isBefore(b, from))) return true;
    if (sideOf(a, this.#position) !== sideOf(b, this.#position)) return true;
    const [first, second] = [a.header, b.header];
    if (this.#memory.retains(first.genFrom, first.genTo) !== this.#memory.retains(second.genFrom, second.genTo))
      return true;
    if (this.#handed === undefined || sideOf(a, this.#position) === side.sent) return false;
    if (this.#handed === 'anything') return Math.min(a.header.genFrom, b.header.genFrom) <= generationOf(this.#end);
    const { position, block } = this.#handed;
    if (block?.path === a.path || block?.path === b.path) return true;
    return sideOf(a, position) !== sideOf(b, position);
  }

  /** Records stored up to now. */
  count(): number {
    this.#stored += this.#memory.count(this.#storedTo);
    this.#storedTo = this.#memory.end;
    return this.#stored;
  }

  /** On disk when it returns, where something has changed. Throws the system's error. */
  save(): void {
    const entry: OutgoingEntry = {
      opened: this.#opened,
      openings: this.#openings,
      site: this.#site,
      epoch: this.#epoch,
      given: this.#given,
      begun: this.#begun,
      position: positionText(this.#position),
      stored: this.count(),
      storedTo: this.#storedTo,
      dropped: this.#droppedBefore + this.#dropped,
      discarded: this.#discarded,
    };
    if (isDeepStrictEqual(entry, this.#saved)) return;
    writeOutgoing(this.#parts.folder, this.#parts.destination, entry, this.#parts.disk);
    this.#saved = entry;
    this.#savedErased = this.#position.erased;
  }

  /** The time before this one is over: behind what is there now, it had nothing. */
  #withLast({ opened, openings }: OutgoingEntry): Opening[] {
    const { catalogue, tombstones } = this.#parts;
    const last = { opened, end: this.#memory.replayedEnd, series: catalogue.limit, erased: tombstones.lastSeq };
    return [...openings, last].slice(-mostOpenings);
  }

  /** Whether this folder did, and not one that went on from the same backup. */
  #hasSent({ opened, live, declared, erased }: Position): boolean {
    const before = this.#openings.find((each) => each.opened === opened);
    if (before === undefined) return opened === this.#opened;
    return live <= before.end && declared <= before.series && erased <= before.erased;
  }

  /** What it came after is over, and so is every epoch before it that nothing was sent in. */
  #beginAtPosition(epoch: number): Position {
    this.#given = this.#given.filter((each) => each.epoch > epoch);
    this.#begun = positionText(this.#position);
    this.#epoch = epoch;
    this.save();
    return this.#position;
  }

  #take(position: Position): void {
    this.#position = position;
    this.#handed = undefined;
    // What cannot be removed now goes when the archive is opened again.
    for (const { journalPath, table } of this.#memory.release(generationOf(position.live))) {
      if (!this.#parts.isRetained(table.generation)) rmSync(journalPath, { force: true });
    }
  }

  /** Records before this place may have been sent. */
  get #handedTo(): number {
    if (this.#handed === 'anything') return this.#end;
    return this.#handed?.position.live ?? 0;
  }

  /** Another node takes what comes as the newest that there is: nothing overtakes what it has to hide, or what hides it. */
  get #isInOrder(): boolean {
    return this.#parts.destination !== theStore;
  }

  #undeclared(
    from: number,
    most: number,
  ): { readonly declared: number; readonly renamed: number[]; readonly series: Series[] } {
    const { catalogue } = this.#parts;
    const mostSeries = Math.min(most, parcelLimits.series / 2);
    const renamed = [...this.#renamed].filter((number) => number < from).slice(0, mostSeries);
    const declared = Math.min(catalogue.limit, from + mostSeries);
    const numbers = [...renamed, ...Array.from({ length: declared - from }, (_, at) => from + at)];
    return { declared, renamed, series: numbers.flatMap((number) => catalogue.byNumber(number) ?? []) };
  }

  /** About so many records. */
  #waiting(position: Position): number {
    const { live, ranges } = this.#withLater(position);
    const [first] = ranges;
    const count = this.#memory.count(live);
    if (first === undefined) return count;
    const inMemory = this.#memory.count(placeOf(first.from, 0)) - this.#memory.count(placeOf(generationOf(live), 0));
    return this.#unsentBlocks().reduce((sum, { records }) => sum + records, count + inMemory);
  }

  /** 0: nothing waits. */
  #oldestUs(position: Position): number {
    const { live, ranges } = this.#withLater(position);
    const blocks = ranges.length === 0 ? [] : this.#unsentBlocks();
    const oldestUs = blocks.reduce((oldest, { firstUs }) => Math.min(oldest, firstUs), this.#memory.timeAt(live));
    return oldestUs === Number.POSITIVE_INFINITY ? 0 : oldestUs;
  }

  #unsentBlocks(): Block[] {
    const position = this.#withLater(this.#position);
    return this.#parts.blocks.all.filter((block) => sideOf(block, position) > side.notYet);
  }

  /** What is of epochs that come later may have left memory. */
  #withLater(position: Position): Position {
    if (this.#given.length === 0) return position;
    return withoutMemoryBefore(position, this.#memory.firstWhole(generationOf(position.live)));
  }
}
