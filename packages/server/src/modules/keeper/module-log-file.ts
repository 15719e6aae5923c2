// The files of one stream of a module on disk: appended to, rotated, bounded. A disk that refuses writes costs only
// lines, which are counted and reported where they are missing.
import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { LogStream } from '@telltale/schema';

export const maxFileBytes = 1024 * 1024;
/** Of one stream; the oldest makes room for a new one. */
export const maxFiles = 4;
export const lineBreak = 10;

/** The newest is number 0. */
export function logPath(folder: string, stream: LogStream, number: number): string {
  return join(folder, number === 0 ? `${stream}.log` : `${stream}.log.${number}`);
}

export class ModuleLogFile {
  readonly #folder: string;
  readonly #stream: LogStream;
  readonly #fileBytes: number;
  #handle: number | undefined;
  #lost = 0;
  /** Why the last write failed. */
  #fault = '';

  constructor(folder: string, stream: LogStream, fileBytes: number) {
    this.#folder = folder;
    this.#stream = stream;
    this.#fileBytes = fileBytes;
  }

  /** Lines that could not be written, and that the log does not mention yet. */
  get lost(): number {
    return this.#lost;
  }

  /** Takes whole lines, each shorter than a file, and never throws. `stamp` is the time of a line about lines lost before. */
  append(stamp: string, lines: Buffer): void {
    this.reportLost(stamp);
    const written = this.#lost > 0 ? 0 : this.#write(lines);
    for (let at = lines.indexOf(lineBreak, written); at >= 0; at = lines.indexOf(lineBreak, at + 1)) this.#lost += 1;
  }

  reportLost(stamp: string): void {
    if (this.#lost === 0) return;
    const what = this.#lost === 1 ? '1 line is' : `${this.#lost} lines are`;
    const notice = Buffer.from(`${stamp} telltale: ${what} missing here, not written: ${this.#fault}\n`);
    if (this.#write(notice) === notice.length) this.#lost = 0;
  }

  close(): void {
    if (this.#handle === undefined) return;
    const handle = this.#handle;
    this.#handle = undefined;
    try {
      closeSync(handle);
    } catch {
      // what it would report is lost already, and the handle is gone in any case
    }
  }

  /** How many bytes are in the files: all, or whole lines up to where it failed. */
  #write(lines: Buffer): number {
    let written = 0;
    try {
      while (written < lines.length) {
        const { handle, sizeBytes } = this.#fileFor(lines.indexOf(lineBreak, written) + 1 - written);
        const end = lastBreak(lines, Math.min(lines.length, written + this.#fileBytes - sizeBytes));
        if (end <= written) throw new Error('the file has no room for a line');
        const { writtenBytes, error } = writeWhole(handle, lines.subarray(written, end), sizeBytes);
        written += writtenBytes;
        if (error !== undefined) throw error;
      }
    } catch (error) {
      this.#fault = error instanceof Error ? error.message : String(error);
      this.close();
    }
    return written;
  }

  /** The newest file, open, with room for so many bytes. */
  #fileFor(bytes: number): { handle: number; sizeBytes: number } {
    if (this.#handle !== undefined && fstatSync(this.#handle).nlink === 0) this.close(); // someone has deleted it
    let handle = this.#open();
    let sizeBytes = fstatSync(handle).size;
    if (sizeBytes > 0 && sizeBytes + bytes > this.#fileBytes) {
      this.close();
      this.#rotate();
      handle = this.#open();
      sizeBytes = fstatSync(handle).size;
    }
    return { handle, sizeBytes };
  }

  #open(): number {
    if (this.#handle !== undefined) return this.#handle;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#handle = openSync(logPath(this.#folder, this.#stream, 0), 'a+', 0o600);
    const sizeBytes = fstatSync(this.#handle).size;
    const last = Buffer.of(lineBreak);
    if (sizeBytes > 0) readSync(this.#handle, last, 0, 1, sizeBytes - 1);
    // a power cut has left half a line, which stays a line of its own
    if (last[0] !== lineBreak && sizeBytes < this.#fileBytes) writeSync(this.#handle, '\n');
    return this.#handle;
  }

  /** Files move up to the first free number: a crash in between overwrites at most the oldest. */
  #rotate(): void {
    const path = (number: number) => logPath(this.#folder, this.#stream, number);
    let free = 1;
    while (free < maxFiles - 1 && existsSync(path(free))) free += 1;
    for (let number = free; number > 0; number -= 1) renameSync(path(number - 1), path(number));
  }
}

/** Where it fails, whole lines are in the file, and the rest is not. */
function writeWhole(handle: number, lines: Buffer, sizeBytes: number): { writtenBytes: number; error?: unknown } {
  let written = 0;
  try {
    while (written < lines.length) written += writeSync(handle, lines, written);
    return { writtenBytes: written };
  } catch (error) {
    const writtenBytes = lastBreak(lines, written);
    if (writtenBytes < written) ftruncateSync(handle, sizeBytes + writtenBytes);
    return { writtenBytes, error };
  }
}

/** Where the last whole line before `end` ends. */
function lastBreak(lines: Buffer, end: number): number {
  return end === 0 ? 0 : lines.lastIndexOf(lineBreak, end - 1) + 1;
}
