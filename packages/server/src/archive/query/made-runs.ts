// What stages have in common that make records by themselves: they are gathered into runs of one datatype.
import type { Datatype } from '@telltale/schema';
import { Columns } from '../records.ts';
import { atEnd, type atNothing, atRun, copyRecord, type RecordRuns, type Step } from './record-runs.ts';

const capacity = 1024;

export abstract class MadeRuns implements RecordRuns {
  datatype: Datatype = 'd';
  readonly columns = new Columns(capacity);
  readonly from = 0;
  to = 0;
  readonly chunk = undefined;
  #isFull = false;

  openChunk(): void {}

  next(): Step {
    if (this.to > 0) {
      this.to = 0;
      this.#isFull = false;
      this.columns.clear();
    }
    const step = this.work();
    if (this.columns.count === 0 || (step !== atEnd && !this.#isFull)) return step;
    this.to = this.columns.count;
    return atRun;
  }

  /** Takes at most one step of its input and puts the result; what `put` refuses is put again by the next call. */
  protected abstract work(): typeof atEnd | typeof atNothing;

  /** False: the run must be given first. */
  protected put(datatype: Datatype, from: Columns, at: number): boolean {
    const { columns } = this;
    if (columns.count === capacity || (columns.count > 0 && datatype !== this.datatype)) {
      this.#isFull = true;
      return false;
    }
    this.datatype = datatype;
    copyRecord(datatype, from, at, columns, columns.count++);
    return true;
  }

  /** Gives the record that was put last this time. */
  protected stamp(timeUs: number): void {
    this.columns.times[this.columns.count - 1] = timeUs;
  }
}
