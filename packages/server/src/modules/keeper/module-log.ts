// The output of one stream of a module, split into lines and stored: cuts long lines, escapes what is not text, and
// reports when it comes too fast. ModuleLogFile owns the files.
import type { LogLine, LogStream } from '@telltale/schema';
import { type Clock, formatTimestamp, timeAfter, toTimestamp } from '@telltale/schema/values';
import { lineBreak, ModuleLogFile, maxFileBytes } from './module-log-file.ts';
import { shownText } from './module-log-text.ts';

/** A longer text becomes several lines; in bytes of UTF-8, as it is stored. */
export const maxTextBytes = 8 * 1024;
/** On average, in bytes as they are stored, times included: so that lines of one letter cost no more than others. */
const ratePerMs = (1024 * 1024) / 1000;
const burstBytes = 4 * 1024 * 1024;
/** What may be taken again before it is called for, so that it is not called for letter by letter. */
const drainedBytes = 64 * 1024;
const partialLineMs = 5000;

export interface ModuleLogOptions {
  readonly folder: string;
  readonly stream: LogStream;
  readonly clock: Clock;
  /** Enough was said before: now more is welcome. */
  readonly onDrain: () => void;
  /** The time of a line. Where both streams of a module have the same one, their lines are read in the order they came in. */
  readonly stamp?: () => number;
  readonly fileBytes?: number;
}

export type LinesListener = (lines: readonly LogLine[]) => void;

/** Microseconds, each later than the one before, though the clock counts in milliseconds. */
export function stampsOf(clock: Clock): () => number {
  let lastUs = 0;
  return () => {
    lastUs = timeAfter(lastUs, clock.now());
    return lastUs;
  };
}

export class ModuleLog {
  readonly #stream: LogStream;
  readonly #clock: Clock;
  readonly #onDrain: () => void;
  readonly #stamp: () => number;
  readonly #file: ModuleLogFile;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #listener: LinesListener | undefined;
  #partial: Buffer = Buffer.alloc(0);
  #partialSinceMs = 0;
  /** The line that goes on has been written so far: its end alone is no line. */
  #isContinued = false;
  #cancelPartial: (() => void) | undefined;
  #budgetBytes = burstBytes;
  #budgetAtMs: number;
  #cancelDrain: (() => void) | undefined;
  #isEnded = false;

  constructor({ folder, stream, clock, onDrain, stamp, fileBytes }: ModuleLogOptions) {
    this.#stream = stream;
    this.#clock = clock;
    this.#onDrain = onDrain;
    this.#stamp = stamp ?? stampsOf(clock);
    this.#file = new ModuleLogFile(folder, stream, fileBytes ?? maxFileBytes);
    this.#budgetAtMs = clock.monotonicMs();
  }

  /** Lines that the disk did not take, and that the log does not mention yet. */
  get lost(): number {
    return this.#file.lost;
  }

  /** Receives every line from now on, also those that the disk does not take. One at a time. */
  watch(listener: LinesListener | undefined): void {
    this.#listener = listener;
  }

  /** Takes all of it, whatever it answers, and never throws. False: no more, please, until `onDrain`. */
  write(chunk: Buffer): boolean {
    if (this.#isEnded) return true;
    this.#take(this.#decoder.decode(chunk, { stream: true }), false);
    if (this.#cancelDrain !== undefined) return false;
    if (this.#budget() > 0) return true;
    this.#cancelDrain = this.#clock.after((drainedBytes - this.#budgetBytes) / ratePerMs, () => {
      this.#cancelDrain = undefined;
      this.#onDrain();
    });
    return false;
  }

  /** Writes the incomplete last line. Afterwards there are no callbacks, and no handle stays open. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#cancelDrain?.();
    this.#cancelPartial?.();
    this.#take(this.#decoder.decode(), true);
    if (this.#file.lost > 0) this.#file.reportLost(formatTimestamp(this.#stamp()));
    this.#file.close();
  }

  #take(text: string, isAll: boolean): void {
    const bytes = Buffer.concat([this.#partial, Buffer.from(shownText(text))]);
    const texts: Buffer[] = [];
    let start = 0;
    for (let end = bytes.indexOf(lineBreak); end >= 0; end = bytes.indexOf(lineBreak, start)) {
      if (end > start || !this.#isContinued) pushCut(texts, bytes.subarray(start, end));
      this.#isContinued = false;
      start = end + 1;
    }
    if (start > 0) this.#partialSinceMs = this.#clock.monotonicMs();
    let rest: Buffer = bytes.subarray(start);
    if (rest.length > maxTextBytes || (isAll && rest.length > 0)) {
      pushCut(texts, rest);
      rest = isAll ? Buffer.alloc(0) : (texts.pop() as Buffer);
      this.#partialSinceMs = this.#clock.monotonicMs();
    }
    this.#hold(rest);
    if (texts.length > 0) this.#keep(texts);
  }

  /** A copy: what it is part of may be large. */
  #hold(partial: Buffer): void {
    if (this.#partial.length === 0) this.#partialSinceMs = this.#clock.monotonicMs();
    this.#partial = Buffer.from(partial);
    if (partial.length > 0) this.#cancelPartial ??= this.#waitForRest(partialLineMs);
  }

  /** One timer, which looks when it fires how old the partial line is: most are whole at once. */
  #waitForRest(ms: number): () => void {
    return this.#clock.after(ms, () => {
      this.#cancelPartial = undefined;
      if (this.#partial.length === 0) return;
      const leftMs = this.#partialSinceMs + partialLineMs - this.#clock.monotonicMs();
      if (leftMs > 0) {
        this.#cancelPartial = this.#waitForRest(leftMs);
        return;
      }
      const partial = this.#partial;
      this.#partial = Buffer.alloc(0);
      this.#isContinued = true;
      this.#keep([partial]);
    });
  }

  #keep(texts: readonly Buffer[]): void {
    const timeUs = this.#stamp();
    const stamp = formatTimestamp(timeUs);
    const lines = linesOf(`${stamp} `, texts);
    this.#budgetBytes = this.#budget() - lines.length;
    this.#file.append(stamp, lines);
    if (this.#listener === undefined) return;
    const t = toTimestamp(timeUs);
    this.#listener(texts.map((text) => ({ t, stream: this.#stream, text: text.toString() })));
  }

  /** Bytes that may come now. */
  #budget(): number {
    const nowMs = this.#clock.monotonicMs();
    this.#budgetBytes = Math.min(burstBytes, this.#budgetBytes + (nowMs - this.#budgetAtMs) * ratePerMs);
    this.#budgetAtMs = nowMs;
    return this.#budgetBytes;
  }
}

/** One buffer, filled directly: a flood of short lines is most of the work of this process. */
function linesOf(stamp: string, texts: readonly Buffer[]): Buffer {
  const before = Buffer.from(stamp);
  const length = texts.reduce((sum, text) => sum + before.length + text.length + 1, 0);
  const lines = Buffer.allocUnsafe(length);
  let at = 0;
  for (const text of texts) {
    lines.set(before, at);
    lines.set(text, at + before.length);
    at += before.length + text.length;
    lines[at++] = lineBreak;
  }
  return lines;
}

/** Pieces of at most the length of a line, none of which ends within a letter. */
function pushCut(texts: Buffer[], text: Buffer): void {
  let start = 0;
  while (text.length - start > maxTextBytes) {
    let end = start + maxTextBytes;
    while (((text[end] as number) & 0xc0) === 0x80) end -= 1;
    texts.push(text.subarray(start, end));
    start = end;
  }
  texts.push(text.subarray(start));
}
