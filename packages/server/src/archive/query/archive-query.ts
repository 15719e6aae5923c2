// A query of the archive: from the request to the pages of the answer, one a call, so that a thread serves many in
// turns. Only the current chunks are in memory.
import type { ReadRequest } from '../archive-access.ts';
import type { Snapshot } from '../store/snapshot.ts';
import type { AnswerForm } from './answer-form.ts';
import { BinaryForm } from './binary-form.ts';
import { BinaryRows } from './binary-rows.ts';
import type { Arrival } from './block.ts';
import { CsvForm } from './csv-form.ts';
import { JsonForm } from './json-form.ts';
import { recordsOf, refuseUnfit } from './name-records.ts';
import { NameSnapshot } from './name-snapshot.ts';
import { Page, PageBuffers } from './page.ts';
import { type Query, QueryContext, type QueryOptions, usualStepsATime, usualTurnMs } from './query.ts';
import { atEnd, atRun, type RecordRuns } from './record-runs.ts';
import { CsvRows, JsonRows } from './row-forms.ts';

/** A page of so much is worth being given at the end of a turn; shorter ones wait for more. */
const worthGiving = 64 * 1024;

export class ArchiveQuery implements Query {
  readonly #request: ReadRequest;
  readonly #context: QueryContext;
  readonly #nowMs: () => number;
  readonly #stepsATime: number;
  readonly #form: AnswerForm;
  readonly #page: Page;
  readonly #known: ReadonlySet<string>;
  /** Of the current name, or of the one that is wanted next. */
  #name = 0;
  #snapshot: NameSnapshot | undefined;
  #runs: RecordRuns | undefined;
  /** In the current run, where there is one. */
  #at = 0;
  #end = 0;
  /** Records of the name that may still be given. */
  #left = 0;
  #isBegun = false;
  #isOver = false;

  constructor(request: ReadRequest, options: QueryOptions) {
    this.#request = request;
    this.#context = new QueryContext(options);
    this.#page = new Page(options.buffers ?? new PageBuffers());
    this.#nowMs = options.nowMs ?? (() => performance.now());
    this.#stepsATime = options.stepsATime ?? usualStepsATime;
    this.#form = formOf(request);
    this.#known = new Set(request.known);
  }

  get wanted(): string | undefined {
    return this.#snapshot === undefined ? this.#request.names[this.#name] : undefined;
  }

  get sinceUs(): number {
    return this.#request.sinceUs;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get awaited(): Arrival | undefined {
    return this.#context.awaited;
  }

  give(snapshot: Snapshot | undefined): void {
    const parts = snapshot?.series ?? [];
    refuseUnfit(
      this.#request,
      parts.map(({ series }) => series),
    );
    this.#snapshot = new NameSnapshot(parts, this.#context);
  }

  next(turnMs = usualTurnMs): Uint8Array<ArrayBuffer> | undefined {
    if (this.#isOver) return undefined;
    const { names } = this.#request;
    if (!this.#isBegun) this.#form.begin(this.#page);
    this.#isBegun = true;
    const deadlineMs = this.#nowMs() + turnMs;
    this.#context.awaited = undefined;
    for (let steps = 1; !this.#page.isFull && this.#name < names.length && this.wanted === undefined; steps++) {
      this.#step();
      const isTurnOver = steps % this.#stepsATime === 0 && this.#nowMs() >= deadlineMs;
      if (isTurnOver || this.awaited !== undefined) {
        return this.#page.at >= worthGiving ? this.#page.take() : new Uint8Array();
      }
    }
    if (this.#name === names.length) {
      this.#form.end(this.#page);
      this.#isOver = true;
    } else if (!this.#page.isFull) {
      // The next name is wanted: what there is of this one shares a page with it.
      return new Uint8Array();
    }
    return this.#page.take();
  }

  #step(): void {
    if (this.#runs === undefined) this.#beginName(this.#snapshot as NameSnapshot);
    else if (this.#at < this.#end) this.#write(this.#runs);
    else if (this.#left === 0) this.#endName();
    else {
      const step = this.#runs.next();
      if (step === atEnd) this.#endName();
      else if (step === atRun) {
        this.#at = this.#runs.from;
        this.#end = Math.min(this.#runs.to, this.#at + this.#left);
        this.#left -= this.#end - this.#at;
        this.#write(this.#runs);
      }
    }
  }

  #beginName(snapshot: NameSnapshot): void {
    const name = this.#request.names[this.#name] as string;
    const { series } = snapshot;
    if (series.length === 0 && !this.#known.has(name)) {
      this.#forget();
      return;
    }
    this.#runs = recordsOf(snapshot, this.#request);
    // A row has a record for each aggregate.
    this.#left = (this.#request.limit ?? Number.POSITIVE_INFINITY) * (this.#request.aggregates?.length ?? 1);
    this.#form.beginName(this.#page, name, series.at(-1)?.datatype);
  }

  #write({ datatype, columns }: RecordRuns): void {
    this.#at = this.#form.write(this.#page, datatype, columns, this.#at, this.#end);
  }

  #endName(): void {
    this.#form.endName(this.#page);
    this.#forget();
  }

  #forget(): void {
    this.#name++;
    this.#snapshot = this.#runs = undefined;
    this.#at = this.#end = 0;
  }
}

function formOf({ form, kind, flags = false, unit, aggregates = [] }: ReadRequest): AnswerForm {
  if (aggregates.length > 1) {
    if (form === 'csv') return new CsvRows(kind, aggregates, flags);
    return form === 'binary' ? new BinaryRows(kind, aggregates, flags) : new JsonRows(kind, aggregates, flags);
  }
  // Not all aggregates have the unit of their values.
  if (form === 'csv') return new CsvForm(kind, flags, aggregates.length === 0 ? unit : undefined);
  return form === 'binary' ? new BinaryForm(kind, flags) : new JsonForm(kind, flags);
}
