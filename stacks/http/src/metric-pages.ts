// The pages as they are asked for: made in the turns of the clients, good until something changes. However many ask, and
// take their time, share the bytes.
import type { ServingTurns } from '@telltale/stack-kit';
import { type Family, metricLines, type PageFormat, type PageOptions } from './metric-page.ts';

/** Some 0.1 ms. */
const linesAStep = 100;

export class MetricPages {
  readonly #turns: ServingTurns;
  readonly #options: PageOptions;
  readonly #families: () => Iterable<Family>;
  readonly #made = new Map<PageFormat, Buffer>();
  /** Asked for, and not yet begun. */
  readonly #next = new Map<PageFormat, Promise<Buffer>>();
  /** One is made at a time. */
  #last: Promise<unknown> = Promise.resolve();
  #version = 0;

  constructor(turns: ServingTurns, options: PageOptions, families: () => Iterable<Family>) {
    this.#turns = turns;
    this.#options = options;
    this.#families = families;
  }

  /** What the pages show is other than it was. */
  changed(): void {
    this.#version++;
    this.#made.clear();
  }

  /** Each point as it is now, or later. */
  get(format: PageFormat): Promise<Buffer> {
    const made = this.#made.get(format);
    if (made !== undefined) return Promise.resolve(made);
    const asked = this.#next.get(format);
    if (asked !== undefined) return asked;
    const next = this.#last.then(() => {
      this.#next.delete(format);
      return this.#made.get(format) ?? this.#make(format);
    });
    this.#next.set(format, next);
    this.#last = next.catch(() => undefined);
    return next;
  }

  async #make(format: PageFormat): Promise<Buffer> {
    const version = this.#version;
    const pieces: Buffer[] = [];
    await this.#turns.run(this.#steps(format, pieces));
    const page = Buffer.concat(pieces);
    if (version === this.#version) this.#made.set(format, page);
    return page;
  }

  *#steps(format: PageFormat, pieces: Buffer[]): Generator<void> {
    let text = '';
    let lines = 0;
    for (const line of metricLines(this.#families(), format, this.#options)) {
      text += `${line}\n`;
      if (++lines % linesAStep !== 0) continue;
      pieces.push(Buffer.from(text));
      text = '';
      yield;
    }
    pieces.push(Buffer.from(text));
  }
}
