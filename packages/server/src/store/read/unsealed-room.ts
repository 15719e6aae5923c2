// How much one read may take of what is not sealed: all of it is in memory at once. Who seals it may have stopped for days.
import { ProblemError } from '@telltale/schema/values';
import type { Columns } from '../../archive/query/index.ts';

const [bytesOfRecord, bytesOfText, bytesOfErasure, bytesOfSection] = [18, 16, 64, 128];

export class UnsealedRoom {
  #bytes: number;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Records of a section. Throws `ProblemError` where there is no room for them. */
  takeRecords({ texts }: Columns, from: number, to: number): void {
    let bytes = bytesOfSection + bytesOfRecord * (to - from);
    for (let at = from; at < to && texts[at] !== undefined; at++) {
      if (at === from || texts[at] !== texts[at - 1]) bytes += bytesOfText + 2 * (texts[at] as string).length;
    }
    this.#take(bytes);
  }

  takeErasure(): void {
    this.#take(bytesOfErasure);
  }

  #take(bytes: number): void {
    this.#bytes -= bytes;
    if (this.#bytes >= 0) return;
    const detail = 'Too much of what is asked for has come to the store and is not sealed there yet';
    throw new ProblemError('overloaded', `${detail}: ask for fewer names or a shorter time, or again later.`);
  }
}
