// Aggregates: one record for each step of a grid, over the records from there to before the next. A chunk that is
// within one step counts by its summary.
import { quality } from '@telltale/schema/values';
import type { Aggregate } from '../archive-access.ts';
import { Columns, type Kind, simulated } from '../records.ts';
import type { Chunk } from './block.ts';
import { ChunkStage } from './chunk-stage.ts';
import { type Grid, gridBy } from './grid.ts';
import { atEnd, type atNothing, type RecordRuns } from './record-runs.ts';
import { firstSoundSlot, lastSlot, lastSoundSlot, maxSlot, minSlot, Tally } from './tally.ts';
import { firstFrom } from './time-search.ts';

export class Aggregation extends ChunkStage {
  readonly #grid: Grid;
  readonly #aggregate: Aggregate;
  readonly #tally: Tally;
  readonly #made = new Columns(1);
  /** Where the step begins whose records are tallied. */
  #stepUs: number;
  #isDone = false;

  /** The input gives chunks. */
  constructor(input: RecordRuns, kind: Kind, aggregate: Aggregate, grid: Grid) {
    super(input);
    this.#grid = grid;
    this.#aggregate = aggregate;
    this.#tally = new Tally(kind, aggregate === 'first' || aggregate === 'last');
    this.#stepUs = grid.sinceUs;
  }

  protected take(columns: Columns, from: number, to: number): number {
    if (!this.#goTo(columns.times[from] as number)) return from;
    const next = firstFrom(columns.times, from, to, this.#stepUs + this.#grid.stepUs);
    this.#tally.add(this.input.datatype, columns, from, next);
    return next;
  }

  protected takeChunk({ firstUs, lastUs, summary, hasSimulated }: Chunk): boolean {
    const isWithin = gridBy(this.#grid, firstUs) === gridBy(this.#grid, lastUs);
    if (!isWithin || summary === undefined || !this.#goTo(firstUs)) return false;
    return this.#tally.addSummary(this.input.datatype, summary, hasSimulated);
  }

  /** An empty interval has no steps, whatever is in force there. */
  protected override work(): typeof atEnd | typeof atNothing {
    return this.#grid.sinceUs < this.#grid.untilUs ? super.work() : atEnd;
  }

  protected finish(): boolean {
    if (this.#isDone) return true;
    if (!this.#goTo(gridBy(this.#grid, this.#grid.untilUs - 1)) || !this.#close()) return false;
    this.#isDone = true;
    return true;
  }

  /** Ends the steps before the one with `timeUs` in it. False: not all of them yet. */
  #goTo(timeUs: number): boolean {
    while (this.#stepUs + this.#grid.stepUs <= timeUs) {
      if (!this.#close()) return false;
      // Only counts are given for steps without records.
      this.#stepUs = this.#aggregate === 'count' ? this.#stepUs + this.#grid.stepUs : gridBy(this.#grid, timeUs);
    }
    return true;
  }

  /** Emits the result of the step. False: there was no room for it. */
  #close(): boolean {
    const tally = this.#tally;
    if (tally.count === 0 && this.#aggregate !== 'count') return true;
    if (!this.#putResult()) return false;
    this.stamp(this.#stepUs);
    const { qualities, count } = this.columns;
    let given = (qualities[count - 1] as number) & 0xff;
    if (tally.sound > 0 || tally.count === 0) given = tally.isAllGood ? quality.good : quality.uncertain.subnormal;
    qualities[count - 1] = tally.hasSimulated ? given | simulated : given;
    tally.clear();
    return true;
  }

  #putResult(): boolean {
    const tally = this.#tally;
    const made = this.#made;
    made.qualities[0] = tally.records.qualities[lastSlot] as number;
    switch (this.#aggregate) {
      case 'count':
        made.longs[0] = BigInt(tally.count - tally.gaps);
        return this.put('l', made, 0);
      case 'avg':
        made.numbers[0] = tally.sound > 0 ? tally.average : tally.newestNumber;
        return this.put('d', made, 0);
      case 'first':
        return this.#putSlot(firstSoundSlot);
      case 'last':
        return this.#putSlot(lastSoundSlot);
      case 'min':
        return this.#putSlot(minSlot);
      case 'max':
        return this.#putSlot(maxSlot);
    }
  }

  /** Where all are bad, the newest one. */
  #putSlot(soundSlot: number): boolean {
    const { sound, datatypes, records } = this.#tally;
    const slot = sound > 0 ? soundSlot : lastSlot;
    return this.put(datatypes[slot] as never, records, slot);
  }
}
