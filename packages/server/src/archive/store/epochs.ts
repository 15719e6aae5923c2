// Which generations are of which epoch. What was recorded before the first one is of epoch 0. Blocks of two epochs are never merged, so
// that what several nodes of a site have recorded can be put in order.
import type { Damage } from '../files/damage.ts';
import type { Disk } from '../files/disk.ts';
import { type EpochBegin, readEpochs, writeEpochs } from '../files/epochs-file.ts';
import type { BlockSpan } from '../files/file-names.ts';

/** Generations from `from` on and before `to`. */
export interface EpochSpan {
  readonly epoch: number;
  readonly from: number;
  readonly to: number;
  /** The last erasure before it. */
  readonly erased: number;
}

interface OfGenerations {
  readonly header: Pick<BlockSpan, 'genTo'>;
}

const first: EpochBegin = { epoch: 0, generation: 0, erased: 0 };

export class Epochs {
  readonly #folder: string;
  readonly #disk: Disk;
  #all: readonly EpochBegin[];
  #isSaved = true;

  private constructor(folder: string, disk: Disk, all: readonly EpochBegin[]) {
    this.#folder = folder;
    this.#disk = disk;
    this.#all = all;
  }

  static read(folder: string, disk: Disk, onDamage: (damage: Damage) => void): Epochs {
    const { entries, damages } = readEpochs(folder);
    for (const damage of damages) onDamage(damage);
    return new Epochs(
      folder,
      disk,
      entries.toSorted((a, b) => a.generation - b.generation || a.epoch - b.epoch),
    );
  }

  /** In order; the last one has no end. Always the same one where there is only one. */
  get spans(): readonly EpochSpan[] {
    const all = this.#all[0]?.generation === 0 ? this.#all : [first, ...this.#all];
    return all.map(({ epoch, generation: from, erased }, at) => {
      return { epoch, from, erased, to: all[at + 1]?.generation ?? Number.POSITIVE_INFINITY };
    });
  }

  /** That of what is recorded now. */
  get last(): number {
    return this.#all.at(-1)?.epoch ?? first.epoch;
  }

  /** What is recorded from a generation on is of another epoch. Throws the system's error: then it is on disk when that is saved next. */
  begin(begun: EpochBegin): void {
    this.#all = [...this.#all.filter(({ generation }) => generation < begun.generation), begun];
    this.#isSaved = false;
    this.save();
  }

  save(): void {
    if (this.#isSaved) return;
    writeEpochs(this.#folder, this.#all, this.#disk);
    this.#isSaved = true;
  }

  /** The last generation of everything up to an epoch; -1: there is none. Infinity: all of them. */
  lastOf(epoch: number): number {
    const later = this.#all.find((each) => each.epoch > epoch);
    return later === undefined ? Number.POSITIVE_INFINITY : later.generation - 1;
  }

  /** Whether an epoch begins between them. */
  isParted(a: OfGenerations, b: OfGenerations): boolean {
    return this.#all.some(({ generation }) => a.header.genTo < generation !== b.header.genTo < generation);
  }
}
