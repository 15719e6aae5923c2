// The columns of each kind of records, in the words of the archive, and how records fill them.
import { type ArchiveColumns, type ArchiveKind, form, traitsOf, unpackAlarm } from '@telltale/schema';
import { BooleanColumn } from './boolean-column.ts';
import type { Chunk, ChunkWriter } from './chunk-writer.ts';
import { type Field, rowGroupRows } from './format.ts';
import { LongColumn, TimeColumn } from './integer-columns.ts';
import { NumberColumn } from './number-column.ts';
import { TextColumn } from './text-column.ts';

export interface Column {
  readonly field: Field;
  write(chunk: ChunkWriter): Chunk;
  clear(): void;
}

export function tableOf(kind: ArchiveKind): Table {
  return kind === 'alarms' ? new AlarmTable() : new PointTable(kind);
}

const text = (name: string, isOptional = false): Field => ({ name, type: 'bytes', meaning: 'text', isOptional });
const boolean = (name: string, isOptional = false): Field => ({ name, type: 'boolean', isOptional });

/** The records of a row group. */
export abstract class Table {
  abstract readonly columns: readonly Column[];
  protected readonly name = new TextColumn(text('name'), true);
  protected readonly time = new TimeColumn({ name: 'time', type: 'int64', meaning: 'time', isOptional: false });
  protected readonly simulated = new BooleanColumn(boolean('simulated'));
  #rows = 0;

  get rows(): number {
    return this.#rows;
  }

  /** No record fits any more: to be written, and cleared. */
  get isFull(): boolean {
    return this.#rows === rowGroupRows || this.texts.some((column) => column.isFull);
  }

  /** Takes records from `from` on until it is full. Returns how many. */
  abstract add(records: ArchiveColumns, from: number): number;

  clear(): void {
    for (const column of this.columns) column.clear();
    this.#rows = 0;
  }

  /** Columns with texts of any length. */
  protected abstract readonly texts: readonly TextColumn[];

  /** Those that follow in the room that is left, or one by one until texts are too long. */
  protected endOf({ times }: ArchiveColumns, from: number): number {
    return Math.min(times.length, from + rowGroupRows - this.#rows);
  }

  protected addHead({ name, times, flags }: ArchiveColumns, from: number, to: number): void {
    this.name.fill(name, to - from);
    this.time.add(times.subarray(from, to));
    this.simulated.add(flags?.subarray(from, to) ?? new Uint8Array(to - from));
    this.#rows += to - from;
  }
}

/** A value is in the column of its form; the others have none. */
class PointTable extends Table {
  readonly columns: readonly Column[];
  readonly #number = new NumberColumn({ name: 'number', type: 'double', isOptional: true });
  readonly #long = new LongColumn({ name: 'long', type: 'int64', isOptional: true });
  readonly #boolean = new BooleanColumn(boolean('boolean', true));
  readonly #text = new TextColumn(text('text', true));
  readonly #values = [this.#number, this.#long, this.#boolean, this.#text] as const;
  readonly #quality: NumberColumn | undefined;
  readonly #datatype = new TextColumn(text('datatype'));
  protected readonly texts = [this.#text];

  constructor(kind: 'measurements' | 'commands') {
    super();
    if (kind === 'measurements')
      this.#quality = new NumberColumn({ name: 'quality', type: 'int32', isOptional: false });
    const quality = this.#quality === undefined ? [] : [this.#quality];
    this.columns = [this.name, this.time, ...this.#values, ...quality, this.simulated, this.#datatype];
  }

  add(records: ArchiveColumns, from: number): number {
    const to = this.#addValues(records, from, this.endOf(records, from));
    this.addHead(records, from, to);
    this.#quality?.add(records.qualities.subarray(from, to));
    this.#datatype.fill(records.datatype, to - from);
    return to - from;
  }

  /** Returns the end of those that are in. */
  #addValues({ datatype, values }: ArchiveColumns, from: number, most: number): number {
    const traits = traitsOf(datatype);
    const isText = traits.form === form.text;
    const isLong = traits.form === form.long;
    const column = isText ? this.#text : isLong ? this.#long : traits.isBoolean ? this.#boolean : this.#number;
    let to = most;
    if (isText) to = this.#addTexts(values as readonly string[], from, most);
    else if (isLong) this.#long.add((values as BigInt64Array).subarray(from, to));
    else (column as NumberColumn | BooleanColumn).add((values as Float64Array).subarray(from, to));
    for (const other of this.#values) if (other !== column) other.lack(to - from);
    return to;
  }

  #addTexts(texts: readonly string[], from: number, most: number): number {
    let to = from;
    while (to < most && !this.#text.isFull) this.#text.add(texts[to++] as string);
    return to;
  }
}

/** What is no transition is left out. */
class AlarmTable extends Table {
  readonly #state = new TextColumn(text('state'));
  readonly #authority = new TextColumn(text('authority'));
  readonly #description = new TextColumn(text('description'));
  readonly columns = [this.name, this.time, this.#state, this.#authority, this.#description, this.simulated];
  protected readonly texts = [this.#authority, this.#description];

  add(records: ArchiveColumns, from: number): number {
    const most = this.endOf(records, from);
    let to = from;
    for (; to < most && !this.isFull; to++) {
      const alarm = unpackAlarm((records.values as readonly string[])[to] as string);
      if (alarm === undefined) continue;
      this.addHead(records, to, to + 1);
      this.#state.add(alarm.state);
      this.#authority.add(alarm.authority);
      this.#description.add(alarm.description);
    }
    return to - from;
  }
}
