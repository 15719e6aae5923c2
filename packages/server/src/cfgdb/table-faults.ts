// What is wrong with a table, by row and column: all of it is told at once.
import { type Fault, ProblemError } from '@telltale/schema';
import { placeIn } from '../sheets/index.ts';

/** More cannot be corrected at once. */
const maxTableFaults = 100;

export class TableFaults {
  readonly #faults: Fault[] = [];
  #count = 0;

  add(row: number, column: string, message: string): undefined {
    this.#count++;
    if (this.#faults.length < maxTableFaults) this.#faults.push({ path: placeIn(row, column), message });
    return undefined;
  }

  /** Throws where there are any. */
  refuse(): void {
    const [first] = this.#faults;
    if (first === undefined) return;
    const count = this.#count;
    const what = count === 1 ? '' : `${count} things are wrong, and nothing was changed. `;
    const listed = count > maxTableFaults ? ` The first ${maxTableFaults} are listed.` : '';
    const sentence = `${first.path}: ${first.message}`;
    const detail = `${what}${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}${/[.?]$/.test(sentence) ? '' : '.'}${listed}`;
    throw new ProblemError('invalid-table', detail, this.#faults);
  }
}
