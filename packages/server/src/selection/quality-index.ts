// Measurements by the status of their quality. Where it changes is marked as values come, and looked at when somebody asks.
import { type QualityWord, quality, qualityMask } from '@telltale/schema';
import { stepItems } from '../points/index.ts';
import type { Qualities, Selectable } from './selectable.ts';

/** By the two bits of the status; what is neither good nor uncertain counts as bad. */
type StatusWord = 'good' | 'uncertain' | 'bad';
const words: readonly StatusWord[] = ['bad', 'uncertain', 'bad', 'good'];
const statusShift = 6;

export class QualityIndex {
  readonly #objects: Selectable;
  readonly #qualities: Qualities;
  /** Those whose quality is to be looked at; undefined before the first use. */
  #pending: Set<number> | undefined;
  readonly #handles = { good: new Set<number>(), uncertain: new Set<number>(), bad: new Set<number>() };
  readonly #wordOf: (StatusWord | undefined)[] = [];

  constructor(objects: Selectable, qualities: Qualities) {
    this.#objects = objects;
    this.#qualities = qualities;
  }

  /** Came, or went. */
  changed(handle: number): void {
    this.#pending?.add(handle);
  }

  /** In steps. */
  *refresh(): Generator<void, void> {
    const changed = this.#qualities.takeQualityChanges();
    if (this.#pending === undefined) this.#pending = new Set(this.#objects.all());
    else for (const handle of changed) this.#pending.add(handle);
    let items = 0;
    for (const handle of this.#pending) {
      this.#pending.delete(handle);
      this.#update(handle);
      if (++items % stepItems === 0) yield;
    }
  }

  count(word: QualityWord): number {
    return word === 'simulated' ? this.#qualities.simulated : this.#handles[word].size;
  }

  handles(word: QualityWord): Iterable<number> {
    return word === 'simulated' ? this.#qualities.simulatedHandles() : this.#handles[word];
  }

  #update(handle: number): void {
    const before = this.#wordOf[handle];
    const isThere = this.#objects.definitionAt(handle) !== undefined;
    const after = isThere ? statusWord(this.#qualities.qualityOf(handle)) : undefined;
    if (before === after) return;
    while (this.#wordOf.length <= handle) this.#wordOf.push(undefined);
    this.#wordOf[handle] = after;
    if (before !== undefined) this.#handles[before].delete(handle);
    if (after !== undefined) this.#handles[after].add(handle);
  }
}

export function statusWord(status: number): StatusWord {
  return words[(status & qualityMask.status) >>> statusShift] as StatusWord;
}

/** Whether a quality is one of these words'. */
export function isOfQuality(status: number, wanted: ReadonlySet<QualityWord>): boolean {
  return wanted.has(statusWord(status)) || (wanted.has('simulated') && (status & quality.simulated) !== 0);
}
