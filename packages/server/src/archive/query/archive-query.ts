// A query of the archive: from the request to the pages of the answer, one a call, so that a thread serves many in
// turns. Only the current chunks are in memory.
import type { ReadRequest } from '../archive-access.ts';
import { type Damage, Damaged } from '../files/damage.ts';
import type { Snapshot } from '../store/snapshot.ts';
import type { AnswerForm } from './answer-form.ts';
import { BinaryForm } from './binary-form.ts';
import { BinaryRows } from './binary-rows.ts';
import type { Block } from './block.ts';
import { CsvForm } from './csv-form.ts';
import { JsonForm } from './json-form.ts';
import { recordsOf, refuseUnfit } from './name-records.ts';
import { NameSnapshot } from './name-snapshot.ts';
import { Page, PageBuffers } from './page.ts';
import { atEnd, atRun, type RecordRuns } from './record-runs.ts';
import { CsvRows, JsonRows } from './row-forms.ts';

const usualTurnMs = 8;
/** A page of so much is worth being given at the end of a turn; shorter ones wait for more. */
const worthGiving = 64 * 1024;
/** A step takes some microseconds, and asking for the time is not free. */
const usualStepsATime = 8;

export interface ArchiveQueryOptions {
  /** Opens a block, or has it open; the next call may close it. May throw `Damaged`. */
  readonly blockOf: (path: string) => Block;
  /** Records were left out, since they cannot be read. */
  readonly onDamage: (damage: Damage) => void;
  readonly buffers?: PageBuffers;
  /** That goes on by itself. */
  readonly nowMs?: () => number;
  /** Steps between two looks at the time. */
  readonly stepsATime?: number;
}

export class ArchiveQuery {
  readonly #request: ReadRequest;
  readonly #options: ArchiveQueryOptions;
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

  constructor(request: ReadRequest, options: ArchiveQueryOptions) {
    this.#request = request;
    this.#options = options;
    this.#page = new Page(options.buffers ?? new PageBuffers());
    this.#nowMs = options.nowMs ?? (() => performance.now());
    this.#stepsATime = options.stepsATime ?? usualStepsATime;
    this.#form = formOf(request);
    this.#known = new Set(request.known);
  }

  /** The name whose snapshot must be given before a page is asked for. */
  get wanted(): string | undefined {
    return this.#snapshot === undefined ? this.#request.names[this.#name] : undefined;
  }

  /** Everything was given. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Of the name that is wanted; undefined where the archive does not know it. Throws a problem. */
  give(snapshot: Snapshot | undefined): void {
    const parts = snapshot?.series ?? [];
    refuseUnfit(
      this.#request,
      parts.map(({ series }) => series),
    );
    this.#snapshot = new NameSnapshot(parts, {
      blockOf: (path) => this.#open(path),
      onUnreadable: (error) => this.#report(error),
    });
  }

  /** Works for about so long, or until a page is full. Returns the next page, maybe empty; undefined at the end. */
  next(turnMs = usualTurnMs): Uint8Array<ArrayBuffer> | undefined {
    if (this.#isOver) return undefined;
    const { names } = this.#request;
    if (!this.#isBegun) this.#form.begin(this.#page);
    this.#isBegun = true;
    const deadlineMs = this.#nowMs() + turnMs;
    for (let steps = 1; !this.#page.isFull && this.#name < names.length && this.wanted === undefined; steps++) {
      this.#step();
      if (steps % this.#stepsATime === 0 && this.#nowMs() >= deadlineMs) {
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

  #open(path: string): Block | undefined {
    try {
      return this.#options.blockOf(path);
    } catch (error) {
      this.#report(error);
      return undefined;
    }
  }

  #report(error: unknown): void {
    if (!(error instanceof Damaged)) throw error;
    this.#options.onDamage(error.damage);
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
