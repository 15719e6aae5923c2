// The wire bytes of some of the points of a family, for readers who may not see the others: pages with those points alone.
// A page is copied again when it has changed.
import { CollectionCopies, type CopiedPage, type Lease } from './collection-copies.ts';

/** Some of the points. */
export interface ChosenHandles {
  /** Another number whenever one of them came, went or is configured otherwise. */
  readonly version: number;
  has(handle: number): boolean;
}

/** Where all of the points lie. */
export interface Slots {
  /** By number. A page that is laid out anew has other bytes. */
  readonly pages: readonly CopiedPage[];
  /** Those that are shown, in the order of their bytes. */
  handlesIn(page: number): number[];
  startOf(handle: number): number;
  lengthOf(handle: number): number;
  /** The version of the whole at which the value of the point, or what is configured of it, was last written. */
  changedAt(handle: number): number;
}

class ChosenPage implements CopiedPage {
  bytes: Buffer = Buffer.alloc(0);
  length = 0;
  version = -1;
  /** The newest change of its points. */
  changedAt = 0;
  /** What it was laid out from. */
  whole: Buffer | undefined;
  #handles: readonly number[] = [];
  /** Where its bytes lie in those of the whole: begin and end of each run. */
  #runs: number[] = [];

  layOut(slots: Slots, number: number, chosen: ChosenHandles): void {
    const { bytes, length } = slots.pages[number] as CopiedPage;
    this.#handles = slots.handlesIn(number).filter((handle) => chosen.has(handle));
    this.#runs = [];
    for (const handle of this.#handles) {
      const start = slots.startOf(handle);
      if (this.#runs.at(-1) === start) this.#runs.pop();
      else this.#runs.push(start);
      this.#runs.push(start + slots.lengthOf(handle));
    }
    this.whole = bytes;
    this.length = this.#handles.reduce((sum, handle) => sum + slots.lengthOf(handle), 0);
    this.bytes = this.length === length ? bytes : Buffer.alloc(this.length);
    this.version = -1;
  }

  copy(slots: Slots, { bytes, version }: CopiedPage): void {
    this.version = version;
    this.changedAt = this.#handles.reduce((newest, handle) => Math.max(newest, slots.changedAt(handle)), 0);
    if (this.bytes === bytes) return;
    let end = 0;
    for (let at = 0; at < this.#runs.length; at += 2) {
      end += bytes.copy(this.bytes, end, this.#runs[at], this.#runs[at + 1]);
    }
  }
}

export class ChosenPages {
  readonly #chosen: ChosenHandles;
  readonly #pages: ChosenPage[] = [];
  readonly #copies = new CollectionCopies();
  #chosenVersion = -1;
  #layout = 0;

  constructor(chosen: ChosenHandles) {
    this.#chosen = chosen;
  }

  /** With every value as it is at `version`, of which `slots` are. */
  lend(slots: Slots, version: number): Lease {
    this.#refresh(slots);
    return this.#copies.lend(this.#pages, version, this.#layout);
  }

  /** Equal for equal bytes; what happens to other points leaves it as it is. */
  versionIn(slots: Slots): string {
    this.#refresh(slots);
    const newest = this.#pages.reduce((found, { changedAt }) => Math.max(found, changedAt), 0);
    return `${this.#chosenVersion}.${newest}`;
  }

  #refresh(slots: Slots): void {
    const isOther = this.#chosen.version !== this.#chosenVersion;
    this.#chosenVersion = this.#chosen.version;
    for (let number = 0; number < slots.pages.length; number++) {
      const page = slots.pages[number] as CopiedPage;
      this.#pages[number] ??= new ChosenPage();
      const own = this.#pages[number] as ChosenPage;
      if (isOther || own.whole !== page.bytes) {
        own.layOut(slots, number, this.#chosen);
        this.#layout++;
      }
      if (own.version !== page.version) own.copy(slots, page);
    }
  }
}
