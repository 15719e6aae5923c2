// Records from elsewhere: parses a body of JSON or CSV as it arrives, and hands them on in batches of a bounded size.
// Records that were handed on before a fault stay, and the problem says how many. Runs in a thread of its own
// (import-thread.ts).
import { setImmediate } from 'node:timers/promises';
import {
  Batch,
  type BatchMessage,
  CommandRecord,
  CsvReader,
  checker,
  csvType,
  fromTimestamp,
  JsonListReader,
  MeasurementRecord,
  ProblemError,
  type ProblemName,
  parsePrefixedAs,
  quality,
  type Value,
  ValueError,
} from '@telltale/schema';
import { CsvRecords } from './csv-records.ts';
import type { ImportKey } from './import-protocol.ts';

export interface BackfillOptions extends ImportKey {
  readonly body: AsyncIterable<Uint8Array>;
  readonly type: string;
  /** Resolves when the batch is on disk. */
  readonly take: (batch: BatchMessage) => Promise<void>;
}

/** No batch has more records. */
export const mostRecords = 65_536;

/**
 * Bodies are parsed in pieces of this size, some tenths of a millisecond each; between them other imports have their
 * turn, and a cancellation of this one is noticed. The shortest row of CSV has 4 bytes.
 */
const pieceBytes = 1 << 12;
const enoughRecords = mostRecords - pieceBytes / 4;
/** Texts are copied from thread to thread, each at the cost of so many characters: a batch of them is some milliseconds. */
const enoughTextLength = 1 << 19;
const textCost = 64;

const records = { measurements: checker(MeasurementRecord), commands: checker(CommandRecord) };

/** Problems of the body, to which it is added what became of the records before. */
const ofTheBody = new Set<ProblemName>([
  'invalid-record',
  'malformed-json',
  'json-too-deep',
  'json-too-large',
  'malformed-csv',
]);

/** Resolves when all records are on disk. */
export async function backfill(options: BackfillOptions): Promise<void> {
  await new Backfill(options).run();
}

class Backfill {
  readonly #options: BackfillOptions;
  readonly #batch = new Batch();
  #textLength = 0;
  /** Of the batch before. */
  #storing: Promise<void> | undefined;
  /** Records that are on disk. */
  #taken = 0;
  #read = 0;

  constructor(options: BackfillOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const reader = this.#reader();
    try {
      for await (const chunk of this.#options.body) {
        for (let at = 0; at < chunk.length; at += pieceBytes) {
          reader.feed(chunk.subarray(at, at + pieceBytes));
          await setImmediate();
          if (this.#batch.count > enoughRecords || this.#textLength > enoughTextLength) await this.#flush();
        }
      }
      reader.end();
    } catch (error) {
      if (!(error instanceof ProblemError) || !ofTheBody.has(error.problem)) throw error;
      await this.#flush();
      await this.#storing;
      throw new ProblemError(error.problem, `${error.message} ${takenText(this.#taken)}`);
    }
    await this.#flush();
    await this.#storing;
  }

  #reader(): JsonListReader | CsvReader {
    const { type, kind, name, datatype } = this.#options;
    if (type !== csvType) {
      const list: JsonListReader = new JsonListReader((item) => this.#json(item, list.key));
      return list;
    }
    const rows = new CsvRecords({ kind, name, datatype, onRecord: (...record) => this.#add(...record) });
    return new CsvReader((fields) => this.#guarded(() => rows.row(fields), rows.isHeaderRead));
  }

  #json(item: unknown, whose: string | undefined): void {
    this.#guarded(() => {
      const { kind, name, datatype } = this.#options;
      if (whose !== undefined && whose !== name) {
        throw new ValueError(`it is of ${JSON.stringify(whose.slice(0, 80))}, not of ${name}`);
      }
      const [fault] = records[kind].faults(item, '', 1);
      if (fault !== undefined) throw new ValueError(`${fault.path} ${fault.message}`.trim());
      const [text, timestamp, ...rest] = item as MeasurementRecord | CommandRecord;
      if (text === null) throw new ValueError('it has no value');
      const [quality, flags] = kind === 'measurements' ? rest : [0, rest[0]];
      this.#add(parsePrefixedAs(datatype, text), fromTimestamp(timestamp), quality ?? 0, flags ?? 0);
    }, true);
  }

  /** A fault names its record. */
  #guarded(read: () => void, isRecord: boolean): void {
    if (isRecord) this.#read++;
    try {
      read();
    } catch (error) {
      if (!(error instanceof ValueError || error instanceof RangeError)) throw error;
      const which = isRecord ? `Record ${this.#read}` : 'The header';
      throw new ProblemError('invalid-record', `${which}: ${error.message}.`);
    }
  }

  /** In a batch, as in a live value, the quality says that it was simulated. */
  #add(value: Value, timeUs: number, given: number, flags: number): void {
    this.#batch.value(0, value, flags === 0 ? given : given | quality.simulated, timeUs);
    if (typeof value === 'string') this.#textLength += value.length + textCost;
  }

  /** Hands on the batch, once the one before is on disk: the next is parsed meanwhile. */
  async #flush(): Promise<void> {
    await this.#storing;
    if (this.#batch.count === 0) return;
    this.#textLength = 0;
    this.#storing = this.#store(this.#batch.take());
    this.#storing.catch(() => undefined); // its waiter gets the error
  }

  async #store(batch: BatchMessage): Promise<void> {
    const { count } = batch;
    try {
      await this.#options.take(batch);
    } catch (error) {
      if (!(error instanceof ProblemError) || this.#taken === 0) throw error;
      throw new ProblemError(error.problem, `${error.message} ${takenText(this.#taken)}`, error.errors);
    }
    this.#taken += count;
  }
}

function takenText(taken: number): string {
  if (taken === 0) return 'No record was taken.';
  return taken === 1 ? 'The record before it was taken.' : `The ${taken} records before it were taken.`;
}
