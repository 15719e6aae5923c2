// Replays a journal after a crash: what is damaged is left out, and nothing else is mistaken for a record.
import { form, type Traits, traitsOf } from '@telltale/schema/values';
import { ByteReader } from '../codec/byte-reader.ts';
import { Columns, maxRecordTextBytes, type Series, storedBits } from '../records.ts';
import type { FramesRead } from './frames.ts';
import { fileHeaderBytes, frameHeaderBytes, readFrames } from './frames.ts';
import { batchHeadBytes, frameKind, journalFormat, maxFrameRecords } from './journal-format.ts';
import { readSeries } from './series-entry.ts';

export interface JournalListener {
  /** Before the first record of it. */
  series(series: Series): void;
  /** Records in order of arrival: series' numbers and columns, valid during the call. `offset`: of the frame. */
  batch(numbers: Uint32Array, columns: Columns, count: number, offset: number): void;
  /** What is known of a number whose declaration is damaged. */
  known?(number: number): Series | undefined;
}

export interface JournalHead {
  readonly generation: number;
  /** How much of the journal before counts; undefined: all of it. */
  readonly endOfPrevious: number | undefined;
}

export interface Replayed extends FramesRead {
  readonly records: number;
}

const headBytes = 16;

/** Undefined: it is damaged. Throws `NewerVersion` and the system's errors. */
export function readJournalHead(path: string): JournalHead | undefined {
  let head: JournalHead | undefined;
  readFrames(
    path,
    journalFormat,
    (payload) => {
      if (payload.length !== headBytes || payload.readUInt32LE(0) !== frameKind.head) return 'no head';
      const end = payload.readDoubleLE(8);
      head = { generation: payload.readUInt32LE(4), endOfPrevious: end >= 0 ? end : undefined };
      return undefined;
    },
    fileHeaderBytes + frameHeaderBytes + headBytes,
  );
  return head;
}

/** `end`: what the journal of the next generation says about this one. Throws `NewerVersion` and the system's errors. */
export function replayJournal(path: string, listener: JournalListener, end?: number): Replayed {
  const replay = new Replay(listener);
  const read = readFrames(path, journalFormat, (payload, offset) => replay.take(payload, offset), end);
  return { ...read, records: replay.records };
}

class Replay {
  records = 0;
  readonly #listener: JournalListener;
  /** By number; null: nothing is known of it. */
  readonly #traits = new Map<number, Traits | null>();
  #numbers = new Uint32Array(0);
  readonly #columns = new Columns();

  constructor(listener: JournalListener) {
    this.#listener = listener;
  }

  /** Returns its fault. */
  take(payload: Buffer, offset: number): string | undefined {
    try {
      switch (payload.length < 4 ? 0 : payload.readUInt32LE(0)) {
        case frameKind.head:
          return undefined;
        case frameKind.series: {
          const series = readSeries(new ByteReader(payload, 4));
          this.#traits.set(series.number, traitsOf(series.datatype));
          this.#listener.series(series);
          return undefined;
        }
        case frameKind.batch:
          return this.#batch(payload, offset);
        default:
          return 'a frame of no known kind';
      }
    } catch (error) {
      if (error instanceof RangeError || error instanceof TypeError) return `a frame that ends early: ${error.message}`;
      throw error;
    }
  }

  #batch(payload: Buffer, offset: number): string | undefined {
    const reader = new ByteReader(payload, 4);
    const count = reader.u32();
    const timeRuns = reader.u32();
    const qualityRuns = reader.u32();
    const texts = reader.u32();
    const textBytes = reader.u32();
    const wordsEnd = batchHeadBytes + 12 * count + 12 * timeRuns + 4 * qualityRuns + 8 * texts;
    if (count > maxFrameRecords || wordsEnd + textBytes > payload.length) return 'a frame whose parts do not fit';
    const valuesAt = batchHeadBytes;
    const timesAt = valuesAt + 8 * count;
    const numbersAt = timesAt + 8 * timeRuns;
    const runsAt = numbersAt + 4 * count;
    const qualitiesAt = runsAt + 4 * timeRuns;
    const textsAt = qualitiesAt + 4 * qualityRuns;
    const columns = this.#columns;
    columns.clear();
    columns.reserve(count);
    if (this.#numbers.length < count) this.#numbers = new Uint32Array(columns.capacity);
    Buffer.from(columns.numbers.buffer).set(payload.subarray(valuesAt, timesAt));
    Buffer.from(this.#numbers.buffer).set(payload.subarray(numbersAt, runsAt));
    let at = 0;
    for (let run = 0; run < timeRuns; run++) {
      const next = at + payload.readUInt32LE(runsAt + 4 * run);
      if (next > count) return 'a frame whose times do not fit';
      columns.times.fill(payload.readDoubleLE(timesAt + 8 * run), at, next);
      at = next;
    }
    let qualitiesEnd = 0;
    for (let run = 0; run < qualityRuns; run++) {
      const word = payload.readUInt32LE(qualitiesAt + 4 * run);
      const next = qualitiesEnd + (word & 0xffff);
      if (next > count) return 'a frame whose qualities do not fit';
      columns.qualities.fill(word >>> 16, qualitiesEnd, next);
      qualitiesEnd = next;
    }
    if (at !== count || qualitiesEnd !== count) return 'a frame whose runs end early';
    if (!this.#readTexts(payload, textsAt, texts, wordsEnd, textBytes, count)) return 'a frame whose texts do not fit';
    const retained = this.#retainValid(count);
    if (retained > 0) this.#listener.batch(this.#numbers, columns, retained, offset);
    this.records += retained;
    return retained === count ? undefined : `${count - retained} records are none, or of a series that is not known`;
  }

  #readTexts(payload: Buffer, at: number, texts: number, from: number, bytes: number, count: number): boolean {
    let end = from;
    for (let text = 0; text < texts; text++) {
      const place = payload.readUInt32LE(at + 4 * text);
      const lengthAndForm = payload.readUInt32LE(at + 4 * (texts + text));
      const length = lengthAndForm >>> 1;
      if (place >= count || length > 2 * maxRecordTextBytes || end + length > from + bytes) return false;
      const encoding = lengthAndForm % 2 === 0 ? 'utf8' : 'utf16le';
      this.#columns.texts[place] = payload.toString(encoding, end, end + length);
      end += length;
    }
    return end === from + bytes;
  }

  /** Moves the records that can be to the front, and answers how many they are. */
  #retainValid(count: number): number {
    const { times, numbers, longs, qualities, texts } = this.#columns;
    const series = this.#numbers;
    let retained = 0;
    for (let at = 0; at < count; at++) {
      const of = this.#traitsOf(series[at] as number);
      if (of === null || !isTime(times[at] as number) || ((qualities[at] as number) & ~storedBits) !== 0) continue;
      const isText = of.form === form.text;
      if (isText ? texts[at] === undefined : !isStored(of, numbers[at] as number)) continue;
      if (retained < at) {
        series[retained] = series[at] as number;
        times[retained] = times[at] as number;
        longs[retained] = longs[at] as bigint;
        qualities[retained] = qualities[at] as number;
        if (isText) texts[retained] = texts[at] as string;
      }
      retained++;
    }
    this.#columns.count = retained;
    return retained;
  }

  #traitsOf(number: number): Traits | null {
    let of = this.#traits.get(number);
    if (of === undefined) {
      const series = this.#listener.known?.(number);
      of = series === undefined ? null : traitsOf(series.datatype);
      this.#traits.set(number, of);
      if (series !== undefined) this.#listener.series(series);
    }
    return of;
  }
}

function isTime(time: number): boolean {
  return time >= 0 && time < 2 ** 53 && Math.floor(time) === time;
}

/** Whether it is how a value of the datatype is stored: any eight bytes are a 64-bit integer. */
function isStored({ form: held, precision, lowest, highest }: Traits, number: number): boolean {
  if (held === form.long) return true;
  if (!(number >= (lowest as number) && number <= (highest as number))) return false;
  if (precision === 'double') return true;
  return (precision === 'single' ? Math.fround(number) : Math.floor(number)) === number;
}
