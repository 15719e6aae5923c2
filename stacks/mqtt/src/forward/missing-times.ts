// Which times the receiver of a provider lacks values of: those of outages, until their values have been sent. Kept in a file,
// so that a restart forgets none.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile, type StackLog } from '@telltale/stack-kit';

/** Half-open. */
export interface Span {
  readonly sinceUs: number;
  readonly untilUs: number;
}

export interface MissingTimesOptions {
  readonly folder: string;
  readonly log: StackLog;
  /** A loss is noticed late: what was sent so long before it may not have arrived. */
  readonly overlapUs: number;
  /** What is older is given up. */
  readonly maxAgeUs: number;
}

interface Sent extends Span {
  readonly atUs: number;
}

interface Stored {
  readonly missing: readonly Span[];
  readonly sent: readonly Sent[];
  readonly presentUs: number | undefined;
}

/** Those of more outages are joined: what is between them is sent twice. */
const maxSpans = 100;
/** That the receiver is there. After a crash, as much more is sent again. */
const storeEveryUs = 10_000_000;

export class MissingTimes {
  readonly #options: MissingTimesOptions;
  #missing: readonly Span[];
  /** What was sent of late, and when. */
  #sent: readonly Sent[];
  /** When the receiver was last known to be there; undefined: never. */
  #presentUs: number | undefined;
  #writing: Promise<void> | undefined;
  #isStored = true;
  #presentStoredUs = 0;

  static async load(options: MissingTimesOptions): Promise<MissingTimes> {
    const text = await readFile(pathIn(options.folder), 'utf8').catch(() => '');
    return new MissingTimes(options, parse(text));
  }

  private constructor(options: MissingTimesOptions, { missing, sent, presentUs }: Stored) {
    this.#options = options;
    this.#missing = missing;
    this.#sent = sent;
    this.#presentUs = presentUs;
  }

  get first(): Span | undefined {
    return this.#missing[0];
  }

  /** When the receiver was last known to be there; undefined: never. */
  get presentUs(): number | undefined {
    return this.#presentUs;
  }

  /** The receiver is back, or there for the first time. Returns the span that is given up, since it is too old. */
  begin(nowUs: number): Span | undefined {
    const { overlapUs, maxAgeUs } = this.#options;
    if (this.#presentUs !== undefined) {
      // A time of day that was set back meanwhile: the archive has values on both sides of it.
      const sinceUs = Math.min(this.#presentUs, nowUs) - overlapUs;
      const untilUs = Math.max(this.#presentUs, nowUs);
      const again = this.#sent.filter(({ atUs }) => atUs >= sinceUs);
      this.#missing = joined([...this.#missing, ...again, { sinceUs, untilUs }]);
    }
    this.#sent = [];
    this.#presentUs = nowUs;
    const oldestUs = nowUs - maxAgeUs;
    const first = this.#missing[0];
    this.#missing = this.#missing
      .map(({ sinceUs, untilUs }) => ({ sinceUs: Math.max(sinceUs, oldestUs), untilUs }))
      .filter(({ sinceUs, untilUs }) => sinceUs < untilUs);
    this.#store();
    return first !== undefined && first.sinceUs < oldestUs ? { sinceUs: first.sinceUs, untilUs: oldestUs } : undefined;
  }

  /** The receiver is still there. */
  present(nowUs: number): void {
    this.#presentUs = nowUs;
    this.#sent = this.#sent.filter(({ atUs }) => atUs >= nowUs - this.#options.overlapUs);
    if (Math.abs(nowUs - this.#presentStoredUs) < storeEveryUs) return;
    this.#presentStoredUs = nowUs;
    this.#store();
  }

  /** The values of the first span up to here were sent. */
  sentUntil(untilUs: number, nowUs: number): void {
    const [first, ...others] = this.#missing;
    if (first === undefined) return;
    this.#sent = [...this.#sent, { sinceUs: first.sinceUs, untilUs, atUs: nowUs }];
    this.#missing = untilUs < first.untilUs ? [{ ...first, sinceUs: untilUs }, ...others] : others;
    this.#store();
  }

  /** Resolves when the file has what is known here. */
  async stored(): Promise<void> {
    this.#store();
    await this.#writing;
  }

  /** One write at a time, of what is known when it begins. */
  #store(): void {
    this.#isStored = false;
    this.#writing ??= this.#writeAll()
      .catch((error: Error) => {
        this.#options.log.warn(`what has been sent is not stored, and is sent again after a restart: ${error.message}`);
      })
      .finally(() => {
        this.#writing = undefined;
      });
  }

  async #writeAll(): Promise<void> {
    while (!this.#isStored) {
      this.#isStored = true;
      await this.#write();
    }
  }

  async #write(): Promise<void> {
    const { folder } = this.#options;
    const stored: Stored = { missing: this.#missing, sent: this.#sent, presentUs: this.#presentUs };
    await replaceFile(pathIn(folder), `${JSON.stringify(stored)}\n`);
  }
}

function pathIn(folder: string): string {
  return join(folder, 'missing-times.json');
}

/** In order; what overlaps or touches becomes one, and so do the oldest of very many. */
function joined(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.sinceUs - b.sinceUs)) {
    const last = result.at(-1);
    if (last !== undefined && span.sinceUs <= last.untilUs) {
      result[result.length - 1] = { sinceUs: last.sinceUs, untilUs: Math.max(last.untilUs, span.untilUs) };
    } else result.push({ sinceUs: span.sinceUs, untilUs: span.untilUs });
  }
  const excess = result.splice(0, result.length - maxSpans + 1);
  const [first] = excess;
  const last = excess.at(-1);
  return first === undefined || last === undefined
    ? result
    : [{ sinceUs: first.sinceUs, untilUs: last.untilUs }, ...result];
}

function parse(text: string): Stored {
  const none: Stored = { missing: [], sent: [], presentUs: undefined };
  try {
    const { missing, sent, presentUs } = JSON.parse(text) as Partial<Stored>;
    const spans = [...(missing ?? []), ...(sent ?? [])];
    const numbers = [...spans.flatMap((span) => [span.sinceUs, span.untilUs]), presentUs ?? 0];
    if (!numbers.every(Number.isSafeInteger) || !(sent ?? []).every(({ atUs }) => Number.isSafeInteger(atUs)))
      return none;
    return { missing: joined(missing ?? []), sent: sent ?? [], presentUs };
  } catch {
    return none;
  }
}
