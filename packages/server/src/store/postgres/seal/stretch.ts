// Which sections of a site follow each other without a gap, so that their records may be in one chunk, under the highest rank.
import type { Section } from '../../../archive/parcel/index.ts';

/** Places of the newest epoch: a section that came as recorded begins at the first, and others follow it up to the last. */
export interface Stretch {
  readonly epoch: number;
  readonly since: number;
  /** Everything that was sealed of the epoch has at most this place. */
  readonly until: number;
}

/** The one that there was first; what follows it is in it as well. */
export const knownRun = 0;

export interface PlacedSection {
  readonly epoch: number;
  readonly place: number;
  /** Those of the same number may be in one chunk. */
  readonly run: number;
  /** Nothing that was sealed before hides any of its records, unless it erases them. */
  readonly isOnTop: boolean;
  readonly section: Section;
}

/** Takes sections in the order in which they came. */
export class Stretches {
  readonly #before: Stretch;
  #now: Stretch;
  #run = knownRun;
  #runs = knownRun;
  /** Pieces of a block have the same rank. */
  readonly #byRank = new Map<string, number>();

  constructor(before: Stretch) {
    this.#before = before;
    this.#now = before;
  }

  get now(): Stretch {
    return this.#now;
  }

  place(epoch: number, section: Section): PlacedSection {
    const { from, to, isRepeated } = section;
    const { epoch: known, until } = this.#before;
    const isOnTop = epoch > known || (epoch === known && to > until);
    const now = this.#now;
    const isNewer = epoch > now.epoch || (epoch === now.epoch && to > now.until);
    let run: number;
    if (isNewer && epoch === now.epoch && from === now.until && !isRepeated) {
      this.#now = { ...now, until: to };
      run = this.#run;
      this.#byRank.set(`${epoch} ${to}`, run);
    } else if (isNewer) {
      // What is sent again comes in pieces of one rank, which is where the next stretch begins.
      this.#now = { epoch, since: isRepeated ? to : from, until: to };
      run = ++this.#runs;
      this.#run = isRepeated ? ++this.#runs : run;
      this.#byRank.set(`${epoch} ${to}`, run);
    } else run = this.#runOfRank(`${epoch} ${to}`);
    return { epoch, place: to, run, isOnTop, section };
  }

  #runOfRank(rank: string): number {
    const run = this.#byRank.get(rank) ?? ++this.#runs;
    this.#byRank.set(rank, run);
    return run;
  }
}
