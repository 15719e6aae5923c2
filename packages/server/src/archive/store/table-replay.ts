// A generation as it comes back from its journal.
import { join } from 'node:path';
import { type Clock, form, traitsOf } from '@telltale/schema/values';
import type { Damage } from '../files/damage.ts';
import { journalName } from '../files/file-names.ts';
import { readJournalHead, replayJournal } from '../files/journal-replay.ts';
import type { SeriesCatalogue } from '../files/series-catalogue.ts';
import { type Columns, farthestAheadUs, type Series } from '../records.ts';
import type { Frozen } from './generations.ts';
import type { Inventory } from './inventory.ts';
import { Memtable, maxSeries } from './memtable.ts';
import type { Tombstones } from './tombstones.ts';

export interface TableReplayOptions {
  readonly folder: string;
  readonly generation: number;
  /** Of the journal, where it has another than usual. */
  readonly name?: string;
  /** The generation of the next journal, which may say that not all of this one counts. */
  readonly next: number | undefined;
  readonly catalogue: SeriesCatalogue;
  readonly tombstones: Tombstones;
  readonly clock: Clock;
  readonly inventory: Inventory;
  readonly onDamage: (damage: Damage) => void;
}

export class TableReplay {
  /** The series that the journal has records of, by number. */
  readonly declared = new Map<number, Series>();
  readonly frozen: Frozen;
  /** Numbers that the catalogue gives to another series: the owner of their records is unknown. */
  readonly #disputed = new Set<number>();
  readonly #table: Memtable;
  readonly #aheadUs: number;
  #isText = new Uint8Array(64);

  /** Throws `NewerVersion` and the system's errors. */
  constructor(options: TableReplayOptions) {
    const {
      folder,
      generation,
      name = journalName(generation),
      next,
      catalogue,
      tombstones,
      clock,
      inventory,
      onDamage,
    } = options;
    const journalPath = join(folder, name);
    const table = new Memtable(generation, 16_384);
    this.#table = table;
    this.#aheadUs = clock.now() + farthestAheadUs;
    const listener = {
      known: (number: number) => catalogue.byNumber(number),
      series: (series: Series) => this.#declare(series, catalogue),
      batch: (numbers: Uint32Array, columns: Columns, count: number, offset: number) => {
        tombstones.replayed(generation, offset, table.count);
        this.#take(numbers, columns, count);
      },
    };
    const head = next === generation + 1 ? readJournalHead(join(folder, journalName(next))) : undefined;
    const { damages, bytes, salt } = replayJournal(journalPath, listener, head?.endOfPrevious);
    const hadBytes = inventory.journalBytes(name, salt);
    const isCut = bytes < hadBytes;
    if (isCut) onDamage({ file: name, reason: `${bytes} bytes are right, and it had ${hadBytes}` });
    tombstones.replayed(generation, Number.POSITIVE_INFINITY, table.count);
    table.committed = table.count;
    for (const damage of damages) onDamage(damage);
    for (const series of this.#disputed) {
      onDamage({ file: name, series, reason: 'the catalogue has another series of this number' });
    }
    const isDamaged = isCut || damages.length > 0 || this.#disputed.size > 0;
    this.frozen = { table, journalPath, journalBytes: bytes, isDamaged, aheadUs: this.#aheadUs };
  }

  #declare(series: Series, catalogue: SeriesCatalogue): void {
    const { number, datatype } = series;
    const known = catalogue.byNumber(number);
    const isSame = known === undefined || catalogue.isSame(known, series);
    if (!isSame || number >= maxSeries) {
      this.#disputed.add(number);
      return;
    }
    this.declared.set(number, series);
    if (number >= this.#isText.length) {
      const isText = new Uint8Array(2 * (number + 1));
      isText.set(this.#isText);
      this.#isText = isText;
    }
    this.#isText[number] = traitsOf(datatype).form === form.text ? 1 : 0;
  }

  #take(numbers: Uint32Array, columns: Columns, count: number): void {
    const retained = this.#disputed.size === 0 ? count : this.#withoutDisputed(numbers, columns, count);
    if (retained > 0) this.#table.replay(numbers, columns, retained, this.#isText, this.#aheadUs);
  }

  #withoutDisputed(numbers: Uint32Array, columns: Columns, count: number): number {
    const { times, longs, qualities, texts } = columns;
    let retained = 0;
    for (let at = 0; at < count; at++) {
      const number = numbers[at] as number;
      if (this.#disputed.has(number)) continue;
      numbers[retained] = number;
      times[retained] = times[at] as number;
      longs[retained] = longs[at] as bigint;
      qualities[retained] = qualities[at] as number;
      if (this.#isText[number] === 1) texts[retained] = texts[at] as string;
      retained++;
    }
    return retained;
  }
}
