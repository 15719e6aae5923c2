// `telltale archive export|import`: records into a file and out of one.
import { stat } from 'node:fs/promises';
import { TelltaleProblem } from '@telltale/client';
import { CsvReader, csvRow, isPattern, ProblemError } from '@telltale/schema';
import {
  always,
  intervalOf,
  kindOf,
  kindOptions,
  refuseUnknown,
  simulatedOf,
  simulatedOptions,
  sinceOption,
  untilOption,
} from '../archive-options.ts';
import { type Call, type CommandDeclaration, Refused, UsageError } from '../declaration.ts';
import { asRefused, openInput, writeFileWhole } from '../files.ts';
import { bytesText, Progress } from '../progress.ts';
import { criteriaIn, plainNames, selectorOptions } from '../selector-options.ts';
import { exportParquet, parquetOptions } from './archive-parquet.ts';

export const archiveExport: CommandDeclaration = {
  path: ['archive', 'export'],
  summary: 'Export records as CSV, to a file or to standard output, or as Parquet',
  arguments: [{ name: 'FILE', optional: true }],
  options: [
    { name: 'names', value: 'NAME,…', summary: 'Only these, names or patterns; default: all' },
    ...selectorOptions.points,
    sinceOption,
    untilOption,
    { name: 'columns', summary: 'In the binary format instead' },
    ...parquetOptions,
    ...simulatedOptions,
    ...kindOptions,
  ],
  details:
    'Without --since and --until, all records are exported, of measurements unless an option says otherwise. As Parquet, measurements,\n' +
    'commands and alarms are exported, unless some are selected: whole weeks each, and only those that have changed in the archive.',
  examples: [
    'telltale archive export history.csv',
    'telltale archive export --names tank1_level,tank2_level --since 7d levels.csv',
    'telltale archive export --parquet history',
  ],
  run: async (call) => {
    const { args, options, client, terminal } = call;
    const folder = options.get('parquet');
    if (folder !== undefined) return exportParquet(call, folder);
    if (options.has('site')) throw new UsageError('--site goes with --parquet.');
    const file = args[0] ?? '-';
    if (isPattern(file)) throw new UsageError(`FILE is where the records go. To export ${file}: --names '${file}'`);
    const form = options.has('columns') ? 'columns' : 'csv';
    if (form === 'columns' && file === '-' && terminal.isOutTerminal) {
      throw new UsageError('The binary format cannot be printed on a terminal: name a FILE, or pipe it.');
    }
    const kind = kindOf(call);
    const names = options.get('names')?.split(',');
    const interval = intervalOf(call, always);
    if (names !== undefined) await refuseUnknown(call, kind, plainNames({ ...call, args: names }));
    const { stream } = await client.archive.download(kind, {
      ...interval,
      ...simulatedOf(call),
      ...criteriaIn(call),
      names,
      form,
    });
    const progress = new Progress(call, 'reading', undefined);
    async function* counted() {
      for await (const chunk of stream) {
        progress.add(chunk.length);
        yield chunk;
      }
    }
    try {
      if (file !== '-') await writeFileWhole(file, counted());
      else for await (const chunk of counted()) await terminal.write(chunk);
    } finally {
      progress.end();
    }
    if (file !== '-' && !terminal.isJson) await terminal.line(`${bytesText(progress.done)} are in ${file}.`);
  },
};

export const archiveImport: CommandDeclaration = {
  path: ['archive', 'import'],
  summary: 'Import records from CSV; a record replaces one with the same time',
  arguments: [{ name: 'FILE' }],
  options: [
    { name: 'name', value: 'NAME', summary: 'Name of the point, if the file has no column for it' },
    { name: 'commands', summary: 'Commands instead of measurements' },
  ],
  details:
    'The first row names the columns: name,time,value,quality,flags. A time is one of ISO 8601 with its offset from UTC, or\n' +
    'seconds since 1970. Without a quality a record is good, without flags not simulated. To import the same again changes nothing.',
  examples: ['telltale archive import history.csv', 'telltale archive import --name tank1_level old-level.csv'],
  run: async (call) => {
    const [file = ''] = call.args;
    const pieces = new Pieces(call);
    const progress = new Progress(call, 'importing', await lengthOf(file));
    try {
      const reader = new CsvReader((fields, row) => pieces.row(fields, row));
      for await (const chunk of openInput(call, file)) {
        reader.feed(chunk);
        progress.add(chunk.length);
        await pieces.send(enoughLength);
      }
      reader.end();
      await pieces.send(0);
    } catch (error) {
      throw error instanceof ProblemError ? new Refused(`${error.message} ${pieces.sentText()}`) : error;
    } finally {
      progress.end();
    }
    if (call.terminal.isJson) await call.terminal.json({ records: pieces.sent });
    else await call.terminal.line(pieces.sentText());
  },
};

async function lengthOf(file: string): Promise<number | undefined> {
  if (file === '-') return undefined;
  const { size } = await stat(file).catch((error) => {
    throw asRefused(error, `${file} cannot be read`);
  });
  return size;
}

/** Characters that wait for one request, and for all of them together. */
const enoughLength = 1 << 20;
const mostLength = 16 << 20;

interface Piece {
  text: string;
  /** In the file, by record. */
  rows: number[];
}

/** Rows of a file by name: the service takes those of one name at a time. */
class Pieces {
  readonly #call: Call;
  readonly #pending = new Map<string, Piece>();
  #columns: string[] | undefined;
  #headerRow = 0;
  #length = 0;
  /** Records that are on the service's disk. */
  sent = 0;

  constructor(call: Call) {
    this.#call = call;
  }

  row(fields: string[], row: number): void {
    if (this.#columns === undefined) this.#header(fields, row);
    else this.#record(fields, row, this.#columns);
  }

  #header(fields: string[], row: number): void {
    this.#columns = fields.map((field) => field.trim().toLowerCase());
    this.#headerRow = row;
    const hasName = this.#columns.includes('name');
    if (hasName === this.#call.options.has('name')) {
      throw new Refused(
        hasName
          ? 'The file says whose each record is: --name does not go with it.'
          : 'The file has no column for the name: say --name NAME.',
      );
    }
  }

  #record(fields: string[], row: number, columns: readonly string[]): void {
    const name = this.#call.options.get('name') ?? fields[columns.indexOf('name')] ?? '';
    const piece = this.#pending.get(name) ?? { text: csvRow(columns), rows: [] };
    this.#pending.set(name, piece);
    const text = csvRow(fields);
    piece.text += text;
    piece.rows.push(row);
    this.#length += text.length;
  }

  /** Those that are long enough; all where too much waits. */
  async send(enough: number): Promise<void> {
    const least = this.#length > mostLength ? 0 : enough;
    for (const [name, piece] of this.#pending) {
      if (piece.text.length < least) continue;
      this.#pending.delete(name);
      await this.#sendOne(name, piece);
    }
    this.#length = this.#pending.values().reduce((sum, { text }) => sum + text.length, 0);
  }

  async #sendOne(name: string, { text, rows }: Piece): Promise<void> {
    const { client, options, signal } = this.#call;
    const kind = options.has('commands') ? 'commands' : 'measurements';
    try {
      await client.archive.backfillCsv(kind, name, new TextEncoder().encode(text), { signal });
    } catch (error) {
      if (!(error instanceof TelltaleProblem) || error.status >= 500) throw error;
      const [, record = '1'] = /^Record (\d+):/.exec(error.detail) ?? [];
      const row = error.detail.startsWith('The header:') ? this.#headerRow : rows[Number(record) - 1];
      throw new Refused(`Row ${row}, of ${JSON.stringify(name.slice(0, 64))}: ${error.message}`);
    }
    this.sent += rows.length;
  }

  sentText(): string {
    return `${this.sent} ${this.sent === 1 ? 'record is' : 'records are'} in the archive.`;
  }
}
