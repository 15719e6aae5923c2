// An answer with several aggregates as columns: frames of each aggregate, which have the buckets in which it has a value.
import type { Datatype } from '@telltale/schema';
import type { Aggregate } from '../archive-access.ts';
import { Columns, type Kind, lacksValue } from '../records.ts';
import type { AnswerForm } from './answer-form.ts';
import { framedRecords, writeEnd, writeFrame } from './binary-form.ts';
import type { Page } from './page.ts';
import { copyRecord } from './record-runs.ts';

/** Of one aggregate: what goes into its next frame. */
interface Gathered {
  readonly aggregate: Aggregate;
  readonly columns: Columns;
  datatype: Datatype;
  hasFrame: boolean;
}

export class BinaryRows implements AnswerForm {
  readonly #kind: Kind;
  readonly #hasFlags: boolean;
  readonly #all: readonly Gathered[];
  #name = '';
  /** Which one of the row is next. */
  #next = 0;

  constructor(kind: Kind, aggregates: readonly Aggregate[], hasFlags: boolean) {
    this.#kind = kind;
    this.#hasFlags = hasFlags;
    this.#all = aggregates.map((aggregate) => ({ aggregate, columns: new Columns(), datatype: 'd', hasFrame: false }));
  }

  begin(): void {}

  beginName(_page: Page, name: string): void {
    this.#name = name;
    for (const each of this.#all) each.hasFrame = false;
  }

  write(page: Page, datatype: Datatype, columns: Columns, from: number, to: number): number {
    let index = from;
    for (; index < to && !page.isFull; index++) {
      const gathered = this.#all[this.#next] as Gathered;
      this.#next = (this.#next + 1) % this.#all.length;
      if (((columns.qualities[index] as number) & lacksValue) !== 0) continue;
      if (gathered.columns.count === framedRecords || datatype !== gathered.datatype) this.#flush(page, gathered);
      gathered.datatype = datatype;
      gathered.columns.reserve(framedRecords);
      copyRecord(datatype, columns, index, gathered.columns, gathered.columns.count++);
    }
    return index;
  }

  /** An aggregate without values has an empty frame, whose datatype says nothing. */
  endName(page: Page): void {
    for (const each of this.#all) {
      this.#flush(page, each);
      if (!each.hasFrame) this.#frame(page, each);
    }
  }

  end(page: Page): void {
    writeEnd(page);
  }

  #flush(page: Page, gathered: Gathered): void {
    if (gathered.columns.count === 0) return;
    this.#frame(page, gathered);
    gathered.columns.clear();
  }

  #frame(page: Page, gathered: Gathered): void {
    const { columns, datatype, aggregate } = gathered;
    const head = { kind: this.#kind, name: Buffer.from(this.#name), datatype, hasFlags: this.#hasFlags, aggregate };
    writeFrame(page, head, columns, 0, columns.count);
    gathered.hasFrame = true;
  }
}
