// The journal of one generation, as it is written: the write-ahead log, which has what a commit acknowledges.
// journal-replay.ts reads it.
import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Batch, form } from '@telltale/schema/values';
import { ByteWriter } from '../codec/byte-writer.ts';
import { type Series, storedBits } from '../records.ts';
import { SyncFailed } from './damage.ts';
import { type Disk, syncFolder, systemDisk, writeAll } from './disk.ts';
import { journalName } from './file-names.ts';
import { drawSalt, fileHeader, frameHeaderBytes, frameOf, sealFrame } from './frames.ts';
import { batchHeadBytes, frameKind, journalFormat, maxFrameRecords } from './journal-format.ts';
import { writeSeries } from './series-entry.ts';

/** Of one frame, unless a single text is longer. */
const maxTextBytes = 2 ** 22;
const usualBytes = 2 ** 20;
/** The engine folds constants of the same module alone. */
const qualityMask = storedBits;

export interface JournalOptions {
  /** After `SyncFailed`: what counts of the journal before. */
  readonly endOfPrevious?: number | undefined;
  readonly disk?: Disk;
}

export class Journal {
  readonly path: string;
  readonly generation: number;
  readonly #file: number;
  readonly #disk: Disk;
  readonly #salt: number;
  readonly #declared = new Set<number>();
  /** On disk. */
  #committed = 0;
  #bytes = Buffer.alloc(0);
  #doubles = new Float64Array(0);
  #words = new Uint32Array(0);
  /** Pending in `#bytes`: whole frames, a multiple of 8. */
  #length = 0;
  #isGivenUp = false;
  // What a frame is gathered in.
  readonly #series = new Uint32Array(maxFrameRecords);
  readonly #runTimes = new Float64Array(maxFrameRecords);
  readonly #runStarts = new Uint32Array(maxFrameRecords + 1);
  readonly #qualityRuns = new Uint32Array(maxFrameRecords);
  readonly #textPlaces = new Uint32Array(maxFrameRecords);
  readonly #textBytes = new Uint32Array(maxFrameRecords);

  private constructor(path: string, generation: number, file: number, disk: Disk, salt: number) {
    this.path = path;
    this.generation = generation;
    this.#file = file;
    this.#disk = disk;
    this.#salt = salt;
    this.#lay(usualBytes);
  }

  /** Throws the system's error, and leaves no file then. The name is on disk when it returns. */
  static create(
    folder: string,
    generation: number,
    { endOfPrevious, disk = systemDisk }: JournalOptions = {},
  ): Journal {
    const path = join(folder, journalName(generation));
    const salt = drawSalt();
    const head = new ByteWriter(16);
    head.u32(frameKind.head);
    head.u32(generation);
    head.f64(endOfPrevious ?? -1);
    const bytes = Buffer.concat([fileHeader(journalFormat, salt), frameOf(head.written(), salt)]);
    const file = openSync(path, 'wx');
    try {
      writeAll(disk, file, bytes, bytes.length, 0);
      disk.sync(file);
      syncFolder(folder);
    } catch (error) {
      closeSync(file);
      rmSync(path, { force: true });
      throw error;
    }
    const journal = new Journal(path, generation, file, disk, salt);
    journal.#committed = bytes.length;
    return journal;
  }

  /** Bytes on disk. */
  get bytes(): number {
    return this.#committed;
  }

  get offset(): number {
    return this.#committed + this.#length;
  }

  /** Declares a series; before its first record. No effect where it is declared already. */
  declare(series: Series): void {
    if (this.#declared.has(series.number)) return;
    this.#declared.add(series.number);
    const out = new ByteWriter(96);
    out.u32(frameKind.series);
    writeSeries(out, series);
    while (out.length % 8 !== 0) out.u8(0);
    const frame = frameOf(out.written(), this.#salt);
    this.#reserve(frame.length);
    this.#bytes.set(frame, this.#length);
    this.#length += frame.length;
  }

  /**
   * Into the buffer. `seriesOf`: the number of the series, by the point of the batch; each is declared. A record is a
   * number, a 64-bit integer or a text, as its series' datatype asks; its time is whole and in range.
   */
  add(batch: Batch, seriesOf: Uint32Array): void {
    for (let from = 0; from < batch.count; ) from = this.#addFrame(batch, seriesOf, from);
  }

  /**
   * One write, one sync. After an error of the write the file has what was committed, the buffer stays, and a retry is
   * possible. `SyncFailed`: the journal is abandoned; it accepts no other commit.
   */
  commit(): void {
    if (this.#isGivenUp) throw new SyncFailed(this.path, this.#committed, 'given up');
    if (this.#length === 0) return;
    try {
      writeAll(this.#disk, this.#file, this.#bytes, this.#length, this.#committed);
    } catch (error) {
      this.#cutBack();
      throw error;
    }
    try {
      this.#disk.syncData(this.#file);
    } catch (error) {
      this.#isGivenUp = true;
      this.#cutBack();
      throw new SyncFailed(this.path, this.#committed, error);
    }
    this.#committed += this.#length;
    this.#length = 0;
    if (this.#bytes.length > 8 * usualBytes) this.#lay(usualBytes);
  }

  /** What waits is not written. */
  close(): void {
    closeSync(this.#file);
  }

  /** Answers where the frame ended in the batch. */
  #addFrame(batch: Batch, seriesOf: Uint32Array, from: number): number {
    const { points, times, qualities, forms } = batch;
    const end = Math.min(batch.count, from + maxFrameRecords);
    const series = this.#series;
    const runTimes = this.#runTimes;
    const runStarts = this.#runStarts;
    const qualityRuns = this.#qualityRuns;
    let timeRuns = 0;
    let time = -1;
    let qualityRunCount = 0;
    let quality = -1;
    let qualityFrom = from;
    let texts = 0;
    let textBytes = 0;
    let at = from;
    for (; at < end && textBytes < maxTextBytes; at++) {
      series[at - from] = seriesOf[points[at] as number] as number;
      if (times[at] !== time) {
        time = times[at] as number;
        runTimes[timeRuns] = time;
        runStarts[timeRuns++] = at - from;
      }
      if (((qualities[at] as number) & qualityMask) !== quality) {
        if (at > from) qualityRuns[qualityRunCount++] = ((quality << 16) | (at - qualityFrom)) >>> 0;
        quality = (qualities[at] as number) & qualityMask;
        qualityFrom = at;
      }
      if (forms[at] === form.text) {
        const text = batch.texts[at] as string;
        const bytes = Buffer.byteLength(text, encodingOf(text));
        this.#textPlaces[texts] = at - from;
        this.#textBytes[texts++] = bytes;
        textBytes += bytes;
      }
    }
    const count = at - from;
    qualityRuns[qualityRunCount++] = ((quality << 16) | (at - qualityFrom)) >>> 0;
    runStarts[timeRuns] = count;
    this.#write(batch, from, count, timeRuns, qualityRunCount, texts, textBytes);
    return at;
  }

  #write(
    batch: Batch,
    from: number,
    count: number,
    timeRuns: number,
    qualityRuns: number,
    texts: number,
    textBytes: number,
  ): void {
    const wordsEnd = batchHeadBytes + 12 * count + 12 * timeRuns + 4 * qualityRuns + 8 * texts;
    const payloadBytes = Math.ceil((wordsEnd + textBytes) / 8) * 8;
    this.#reserve(frameHeaderBytes + payloadBytes);
    const start = this.#length + frameHeaderBytes;
    const words = this.#words;
    const head = start / 4;
    words[head] = frameKind.batch;
    words[head + 1] = count;
    words[head + 2] = timeRuns;
    words[head + 3] = qualityRuns;
    words[head + 4] = texts;
    words[head + 5] = textBytes;
    const values = (start + batchHeadBytes) / 8;
    this.#doubles.set(batch.numbers.subarray(from, from + count), values);
    for (let at = 0; at < texts; at++) this.#doubles[values + (this.#textPlaces[at] as number)] = 0;
    this.#doubles.set(this.#runTimes.subarray(0, timeRuns), values + count);
    let word = 2 * (values + count + timeRuns);
    words.set(this.#series.subarray(0, count), word);
    word += count;
    for (let run = 0; run < timeRuns; run++) {
      words[word++] = (this.#runStarts[run + 1] as number) - (this.#runStarts[run] as number);
    }
    words.set(this.#qualityRuns.subarray(0, qualityRuns), word);
    word += qualityRuns;
    words.set(this.#textPlaces.subarray(0, texts), word);
    word += texts;
    let byte = 4 * (word + texts);
    for (let at = 0; at < texts; at++) {
      const text = batch.texts[from + (this.#textPlaces[at] as number)] as string;
      const encoding = encodingOf(text);
      words[word + at] = 2 * (this.#textBytes[at] as number) + (encoding === 'utf8' ? 0 : 1);
      byte += this.#bytes.write(text, byte, encoding);
    }
    this.#bytes.fill(0, byte, start + payloadBytes);
    sealFrame(this.#bytes, this.#length, payloadBytes, this.#salt);
    this.#length = start + payloadBytes;
  }

  #cutBack(): void {
    try {
      this.#disk.cut(this.#file, this.#committed);
    } catch {
      // What is behind stays until the next commit writes over it, or the next journal says that it does not count.
    }
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const old = this.#bytes;
    this.#lay(Math.max(this.#length + more, 2 * old.length));
    this.#bytes.set(old.subarray(0, this.#length));
  }

  #lay(capacity: number): void {
    const buffer = new ArrayBuffer(Math.ceil(capacity / 8) * 8);
    this.#bytes = Buffer.from(buffer);
    this.#doubles = new Float64Array(buffer);
    this.#words = new Uint32Array(buffer);
  }
}

/** A text that is no well-formed Unicode would be another one in UTF-8. */
function encodingOf(text: string): 'utf8' | 'utf16le' {
  return text.isWellFormed() ? 'utf8' : 'utf16le';
}
