// Of the transitions of an alarm those into an active state.
import { isActiveAlarm } from '../alarm-text.ts';
import { MadeRuns } from './made-runs.ts';
import { atEnd, atNothing, atRun, type RecordRuns } from './record-runs.ts';

export class ActiveAlarms extends MadeRuns {
  readonly #input: RecordRuns;
  #at = 0;
  #end = 0;

  /** The input gives no chunks. */
  constructor(input: RecordRuns) {
    super();
    this.#input = input;
  }

  protected work(): typeof atEnd | typeof atNothing {
    if (this.#at < this.#end) {
      const { datatype, columns } = this.#input;
      for (; this.#at < this.#end; this.#at++) {
        if (isActiveAlarm(columns.texts[this.#at] as string) && !this.put(datatype, columns, this.#at)) break;
      }
      return atNothing;
    }
    const step = this.#input.next();
    if (step === atEnd) return atEnd;
    if (step === atRun) {
      this.#at = this.#input.from;
      this.#end = this.#input.to;
    }
    return atNothing;
  }
}
