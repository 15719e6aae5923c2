// Brings what is to survive of points to disk. Operations on one point are carried out in the order in which they came.
// What the disk has refused is tried again every second, as it is by then, until the disk takes it: a restart must neither
// show what is older, nor bring back what has ended.
import type { Clock } from '@telltale/schema';
import { Turns } from './turns.ts';

const pauseMs = 1000;

/** Each resolves when it is on disk, in the order of the calls. */
export interface PointKeeper<Kept> {
  keep(kept: Kept): Promise<void>;
  forget(name: string): Promise<void>;
}

export class PointKeeping<Kept extends { readonly name: string }> {
  readonly #keeper: PointKeeper<Kept>;
  readonly #clock: Clock;
  readonly #present: (name: string) => Kept | undefined;
  readonly #turns = new Turns();
  /** Names of which the disk may have something else than `present` tells. */
  readonly #unkept = new Set<string>();
  #cancelTry: (() => void) | undefined;
  #isClosed = false;

  /** `present` tells what should be on disk; undefined: nothing about this name. */
  constructor(keeper: PointKeeper<Kept>, clock: Clock, present: (name: string) => Kept | undefined) {
    this.#keeper = keeper;
    this.#clock = clock;
    this.#present = present;
  }

  /** Of how many names the disk has refused the present state. */
  get unkept(): number {
    return this.#unkept.size;
  }

  /** Whether something else than the present state of the name may be on disk. */
  isUnkept(name: string): boolean {
    return this.#unkept.has(name);
  }

  /** One operation at a time on each name; only the one that has its turn calls `keep` and `forget`. */
  operate(name: string, carryOut: () => Promise<void>): Promise<void> {
    return this.#turns.take(name, carryOut);
  }

  /** Resolves when it is on disk. Refused, the present state is kept again later: it may have got there all the same. */
  keep(kept: Kept): Promise<void> {
    return this.#ask(kept.name, this.#keeper.keep(kept));
  }

  /** Resolves when nothing is on disk about the name. */
  forget(name: string): Promise<void> {
    return this.#ask(name, this.#keeper.forget(name));
  }

  /** What should be on disk about the name is not what was there: it is brought there in the background. */
  changed(name: string): void {
    this.#bringInTurn(name, () => true);
  }

  /** The disk is asked for the last time. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTry?.();
    for (const name of this.#unkept) if (!this.#turns.isBusy(name)) void this.#bring(name);
  }

  #bringInTurn(name: string, isDue: () => boolean): void {
    this.operate(name, async () => {
      await undefined; // whoever calls may be in the middle of the change
      if (!this.#isClosed && isDue()) await this.#bring(name);
    });
  }

  async #bring(name: string): Promise<void> {
    const kept = this.#present(name);
    // A refusal is remembered.
    await (kept === undefined ? this.forget(name) : this.keep(kept)).catch(() => undefined);
  }

  async #ask(name: string, asked: Promise<void>): Promise<void> {
    try {
      await asked;
      this.#unkept.delete(name);
    } catch (error) {
      this.#unkept.add(name);
      this.#tryLater();
      throw error;
    }
  }

  #tryLater(): void {
    if (this.#isClosed) return;
    this.#cancelTry ??= this.#clock.after(pauseMs, () => {
      this.#cancelTry = undefined;
      for (const name of this.#unkept) this.#bringInTurn(name, () => this.#unkept.has(name));
    });
  }
}
