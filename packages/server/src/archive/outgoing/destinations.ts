// Where the archive goes: to the store, and to each of the other nodes of the site. Each has come as far as it has.
import { readdirSync } from 'node:fs';
import { destinationOf } from '../files/outgoing-file.ts';
import type { Series } from '../records.ts';
import type { Block } from '../store/block-list.ts';
import type { Frozen } from '../store/generations.ts';
import type { Memtable } from '../store/memtable.ts';
import { Outgoing } from './outgoing.ts';
import type { OutgoingParts } from './outgoing-parts.ts';

export class Destinations {
  readonly #parts: OutgoingParts;
  readonly #all = new Map<string, Outgoing>();

  /** Those that it has gone to. `unsent`: of generations that are in blocks what one of them may lack. Throws the system's errors. */
  constructor(parts: OutgoingParts, unsent: readonly Frozen[]) {
    this.#parts = parts;
    for (const name of readdirSync(parts.folder)) {
      const destination = destinationOf(name);
      if (destination !== undefined) this.#open(destination, unsent);
    }
  }

  /** From the first call on the archive goes there, or waits until it can. Throws the system's error. */
  of(destination: string): Outgoing {
    return this.#all.get(destination) ?? this.#open(destination, []);
  }

  get names(): string[] {
    return [...this.#all.keys()];
  }

  get lastEpoch(): number | undefined {
    const epochs = this.#values.flatMap(({ lastEpoch }) => lastEpoch ?? []);
    return epochs.length === 0 ? undefined : Math.max(...epochs);
  }

  /** Erasures up to this one need not be remembered for any of them. */
  get erased(): number {
    return this.#values.reduce((least, { erased }) => Math.min(least, erased), Number.POSITIVE_INFINITY);
  }

  isInPart(table: Memtable): boolean {
    return this.#values.some((each) => each.isInPart(table));
  }

  isParted(a: Block, b: Block): boolean {
    return this.#values.some((each) => each.isParted(a, b));
  }

  leaveMemory(frozen: Frozen): void {
    for (const each of this.#values) each.leaveMemory(frozen);
  }

  /** Throws the system's error: then it is on disk when that is saved next. */
  lead(epoch: number): void {
    for (const each of this.#values) each.lead(epoch);
  }

  rename(series: readonly Series[]): void {
    for (const each of this.#values) each.rename(series);
  }

  noteDropped(count: number): void {
    for (const each of this.#values) each.noteDropped(count);
  }

  discard(block: Block): void {
    for (const each of this.#values) each.discard(block);
  }

  save(): void {
    for (const each of this.#values) each.save();
  }

  get #values(): readonly Outgoing[] {
    return [...this.#all.values()];
  }

  #open(destination: string, unsent: readonly Frozen[]): Outgoing {
    const isRetained = (generation: number) => this.#values.some((each) => each.retains(generation));
    const opened = new Outgoing({ ...this.#parts, destination, isRetained }, unsent);
    this.#all.set(destination, opened);
    return opened;
  }
}
