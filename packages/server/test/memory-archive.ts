// An archive in memory, as simple as can be, for tests of what is around the real one: it keeps records in lists, and
// tells what was asked of it.
import {
  Batch,
  type BatchMessage,
  type Datatype,
  formatPrefixed,
  formatTimestamp,
  toTimestamp,
  type Value,
} from '@telltale/schema';
import type {
  ArchiveAccess,
  ArchiveDamage,
  ArchiveProgress,
  ArchiveStats,
  Kind,
  QueryResult,
  ReadRequest,
  SeriesKey,
} from '../src/archive/index.ts';

interface MemoryRecord {
  readonly timeUs: number;
  /** With its prefix; of an alarm the JSON of its fields behind the time. */
  readonly text: string;
  readonly quality: number;
}

interface MemorySeries {
  readonly datatype: Datatype;
  /** By their times. */
  readonly records: Map<number, MemoryRecord>;
}

export class MemoryArchive implements ArchiveAccess {
  readonly #series = new Map<string, MemorySeries>();
  readonly requests: ReadRequest[] = [];
  readonly batches: number[] = [];
  cancelled = 0;
  /** Pages that were handed out. */
  pages = 0;
  /** In the place of what is kept, the pages of each read. */
  script: (() => AsyncIterable<Uint8Array>) | undefined;
  damages: ArchiveDamage[] = [];

  add(key: SeriesKey, timeUs: number, text: string, quality = 192): void {
    const series = this.#series.get(`${key.kind}/${key.name}`) ?? { datatype: key.datatype, records: new Map() };
    this.#series.set(`${key.kind}/${key.name}`, series);
    series.records.set(timeUs, { timeUs, text, quality });
  }

  records(kind: Kind, name: string): readonly MemoryRecord[] {
    const records = [...(this.#series.get(`${kind}/${name}`)?.records.values() ?? [])];
    return records.sort((a, b) => a.timeUs - b.timeUs);
  }

  async has(kind: Kind, name: string): Promise<boolean> {
    return this.#series.has(`${kind}/${name}`);
  }

  async datatypeOf(kind: Kind, name: string): Promise<Datatype | undefined> {
    return this.#series.get(`${kind}/${name}`)?.datatype;
  }

  async names(kind: Kind): Promise<string[]> {
    const keys = [...this.#series.keys()].filter((key) => key.startsWith(`${kind}/`));
    return keys.map((key) => key.slice(kind.length + 1)).sort();
  }

  async read(request: ReadRequest): Promise<QueryResult> {
    this.requests.push(request);
    const [pages, count] = [this.script?.() ?? this.#pages(request), () => this.pages++];
    const { promise: ended, resolve: end } = Promise.withResolvers<IteratorResult<Uint8Array>>();
    let isCancelled = false;
    return {
      takeWhole: () => undefined,
      cancel: () => {
        if (!isCancelled) this.cancelled++;
        isCancelled = true;
        end({ value: undefined, done: true });
      },
      async *[Symbol.asyncIterator]() {
        const iterator = pages[Symbol.asyncIterator]();
        for (;;) {
          const { value, done } = await Promise.race([iterator.next(), ended]);
          if (done) return;
          count();
          yield value;
        }
      },
    };
  }

  async erase(kind: Kind, name: string, sinceUs: number, untilUs: number): Promise<void> {
    for (const { timeUs } of this.records(kind, name)) {
      if (timeUs >= sinceUs && timeUs < untilUs) this.#series.get(`${kind}/${name}`)?.records.delete(timeUs);
    }
  }

  async backfill(key: SeriesKey, message: BatchMessage): Promise<void> {
    const batch = Batch.from(message);
    this.batches.push(batch.count);
    for (let at = 0; at < batch.count; at++) {
      const value = batch.valueAt(at) as Value;
      const typed = key.datatype === 'b' ? value === 1 : value;
      this.add(key, batch.times[at] ?? 0, formatPrefixed(key.datatype, typed), batch.qualities[at]);
    }
  }

  async stats(): Promise<ArchiveStats> {
    const times = [...this.#series.values()].flatMap(({ records }) => [...records.keys()]);
    return {
      series: this.#series.size,
      records: times.length,
      bytes: 4096,
      journalBytes: 1024,
      blocks: 1,
      unmerged: 0,
      firstUs: times.length === 0 ? undefined : Math.min(...times),
      lastUs: times.length === 0 ? undefined : Math.max(...times),
      astray: 0,
      recent: { records: 0, journalRecords: 0 },
      damages: this.damages,
    };
  }

  async *check(): AsyncIterable<ArchiveProgress> {
    yield { doneBytes: 0, totalBytes: 4096 };
    yield { doneBytes: 4096, totalBytes: 4096, done: true, damages: this.damages };
  }

  async *compact(): AsyncIterable<ArchiveProgress> {
    yield { doneBytes: 4096, totalBytes: 4096, done: true, damages: [] };
  }

  async *#pages({ kind, names, known, sinceUs, untilUs, form, limit }: ReadRequest): AsyncIterable<Uint8Array> {
    const found = names.filter((name) => known.includes(name) || this.#series.has(`${kind}/${name}`));
    const chosen = (name: string) =>
      this.records(kind, name)
        .filter(({ timeUs }) => timeUs >= sinceUs && timeUs < untilUs)
        .slice(0, limit);
    if (form === 'json') {
      const texts = found.map((name) => `${JSON.stringify(name)}:[${chosen(name).map((each) => json(kind, each))}]`);
      yield Buffer.from(`{${texts.join(',')}}`);
    } else if (form === 'csv') {
      yield Buffer.from('name,time,value,quality\r\n');
      for (const name of found) {
        for (const { timeUs, text, quality } of chosen(name)) {
          yield Buffer.from(`${name},${formatTimestamp(timeUs)},${text.slice(1)},${quality}\r\n`);
        }
      }
    } else {
      for (const name of found) yield frame(kind, name, this.#series.get(`${kind}/${name}`)?.datatype, chosen(name));
      yield Buffer.concat([Buffer.from('TTCE'), Buffer.alloc(12)]);
    }
  }
}

function json(kind: Kind, { timeUs, text, quality }: MemoryRecord): string {
  const t = toTimestamp(timeUs);
  if (kind === 'alarms') return JSON.stringify({ t, ...JSON.parse(text) });
  return JSON.stringify(kind === 'commands' ? [text, t] : [text, t, quality]);
}

const padded = (bytes: Uint8Array) => Buffer.concat([bytes, Buffer.alloc((8 - (bytes.length % 8)) % 8)]);

/** The binary form, as the guide describes it. */
function frame(kind: Kind, name: string, datatype: Datatype = 'd', records: readonly MemoryRecord[]): Buffer {
  const head = Buffer.alloc(16);
  const texts = records.map(({ text }) => Buffer.from(kind === 'alarms' ? text : text.slice(1)));
  const isText = datatype === 's' || kind === 'alarms';
  head.write('TTCF');
  head[4] = ['measurements', 'commands', 'alarms'].indexOf(kind);
  head.write(datatype, 5);
  head.writeUInt16LE(Buffer.byteLength(name), 6);
  head.writeUInt32LE(records.length, 8);
  head.writeUInt32LE(isText ? Buffer.concat(texts).length : 0, 12);
  const bytesOf = (array: Float64Array | BigInt64Array | Uint32Array) => Buffer.from(array.buffer);
  const values = texts.map(String);
  const columns = isText
    ? [padded(bytesOf(Uint32Array.from(texts, ({ length }) => length))), padded(Buffer.concat(texts))]
    : [bytesOf(datatype === 'l' ? BigInt64Array.from(values, BigInt) : Float64Array.from(values, Number))];
  return Buffer.concat([
    head,
    padded(Buffer.from(name)),
    bytesOf(Float64Array.from(records, ({ timeUs }) => timeUs)),
    ...columns,
    padded(Uint8Array.from(records, ({ quality }) => quality)),
  ]);
}
