// The log of a function module as it comes: the newest lines, of which there are never more than some thousand here. The
// service keeps more.

import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { newLines } from '@telltale/client';
import type { LogLine, LogStream } from '@telltale/schema';
import { fromTimestamp } from '@telltale/schema/values';
import { channel, client } from './service.ts';
import { soon } from './soon.ts';

export interface ShownLine {
  /** In the order in which they came. */
  readonly id: number;
  /** Microseconds since 1970. */
  readonly t: number;
  /** `skipped`: the text is the number of lines that came faster than they could be sent. */
  readonly stream: LogStream | 'skipped';
  readonly text: string;
}

export const mostLines = 5000;
/** Lines may be long: beyond so many characters in all, the oldest go. */
const mostCharacters = 8_000_000;
const firstLines = 1000;
/** People see no more changes than these. */
const flushMs = 200;
const retryMs = 2000;

export class ModuleLog {
  readonly #name: string;
  readonly #end = new AbortController();
  readonly #shown: Signal<readonly ShownLine[] | undefined> = signal(undefined);
  readonly #error = signal<unknown>(undefined);
  #lines: ShownLine[] = [];
  #characters = 0;
  #nextId = 0;
  readonly #flushSoon = soon(() => {
    if (!this.#end.signal.aborted) this.#shown.value = this.#lines.slice(-mostLines);
  }, flushMs);

  constructor(name: string) {
    this.#name = name;
    void this.#follow();
  }

  /** In order; undefined until they have come. A new list whenever there are more. */
  readonly lines: ReadonlySignal<readonly ShownLine[] | undefined> = this.#shown;
  /** Why there are none. */
  readonly error: ReadonlySignal<unknown> = this.#error;

  close(): void {
    this.#end.abort();
  }

  /** The watch begins before the log is read, so that no line falls between the two; after a loss of the link, both again. */
  async #follow(): Promise<void> {
    const { signal } = this.#end;
    try {
      const watch = channel.watchFunctionModuleLogs([this.#name], { signal });
      let isNew = await this.#read();
      for await (const { updates, skipped, refused, resumed } of watch) {
        const [refusal] = refused;
        if (refusal !== undefined) this.#error.value = new Error(refusal.error?.detail ?? refusal.name);
        if (resumed) isNew = await this.#read();
        if (skipped > 0) this.#push({ t: 0, stream: 'skipped', text: String(skipped) });
        for (const line of updates) if (isNew(line)) this.#push(shownOf(line));
      }
    } catch (error) {
      if (!signal.aborted) this.#error.value = error;
    }
    if (!signal.aborted) setTimeout(() => void this.#follow(), retryMs);
  }

  async #read(): Promise<(line: LogLine) => boolean> {
    const { signal } = this.#end;
    // What comes from here on is watched.
    await channel.request('Heartbeat', {}, { signal });
    const printed = await client.functionModules.log(this.#name, { lines: firstLines, signal });
    this.#lines = [];
    this.#characters = 0;
    for (const line of printed) this.#push(shownOf(line));
    this.#error.value = undefined;
    this.#flushSoon();
    return newLines(printed);
  }

  #push(line: Omit<ShownLine, 'id'>): void {
    this.#lines.push({ ...line, id: this.#nextId++ });
    this.#characters += line.text.length;
    if (this.#lines.length > 2 * mostLines || this.#characters > mostCharacters) this.#trim();
    this.#flushSoon();
  }

  #trim(): void {
    let first = Math.max(0, this.#lines.length - mostLines);
    for (const { text } of this.#lines.slice(0, first)) this.#characters -= text.length;
    while (this.#characters > mostCharacters / 2 && first < this.#lines.length - 1) {
      this.#characters -= this.#lines[first]?.text.length ?? 0;
      first++;
    }
    this.#lines = this.#lines.slice(first);
  }
}

const shownOf = ({ t, stream, text }: LogLine) => ({ t: fromTimestamp(t), stream, text });
