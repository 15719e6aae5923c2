// `telltale config export|import`: the whole configuration, as one transaction or as the database file; or one family as a
// table.
import type { Bytes } from '@telltale/client';
import {
  type Family,
  type FamilyObject,
  familyNames,
  maxOperations,
  type Operation,
  parseJson,
} from '@telltale/schema';
import { type Call, type CommandDeclaration, Refused, UsageError } from '../declaration.ts';
import { readInput, readStart, storeBytes, streamFile } from '../files.ts';
import { Progress } from '../progress.ts';
import { changeOptions, outcomeOf, renderingOf } from '../render-options.ts';
import { exportTable, importTable, tableHint, tableOption } from './config-tables.ts';

export const configExport: CommandDeclaration = {
  path: ['config', 'export'],
  summary: 'Export the configuration as JSON, to a file or to standard output',
  arguments: [{ name: 'FILE', optional: true }],
  options: [
    { name: 'database', summary: 'Export the SQLite database instead' },
    tableOption,
    {
      name: 'fields',
      value: 'FIELD,…',
      summary: 'Of a table: only these columns, such as deadband,properties.scanPeriod',
    },
  ],
  examples: [
    'telltale config export plant.json',
    'telltale config export --database plant.sqlite',
    'telltale config export --table measurements points.csv',
  ],
  run: async (call) => {
    const file = call.args[0] ?? '-';
    const family = call.options.get(tableOption.name);
    if (call.options.has('fields') && family === undefined) throw new UsageError('--fields goes with --table FAMILY.');
    if (family !== undefined && call.options.has('database')) {
      throw new UsageError('--table and --database do not go together.');
    }
    if (family !== undefined) await exportTable(call, family as Family, file);
    else if (call.options.has('database')) await exportDatabase(call, file);
    else await exportJson(call, file);
  },
};

/** Read until two readings are the same: else the parts may be of different times. */
const mostReadings = 5;

async function exportJson(call: Call, file: string): Promise<void> {
  let before: string | undefined;
  for (let reading = 1; reading <= mostReadings; reading++) {
    const operations = await readOperations(call);
    const text = transactionText(operations);
    if (text === before) {
      await storeBytes(call, file, [Buffer.from(text)]);
      const excess = operations.length > maxOperations;
      if (excess) call.terminal.note(`${operations.length} objects exceed the limit of an import: use --database.`);
      if (file !== '-') call.terminal.note(`${operations.length} objects are in ${file}.`);
      return;
    }
    before = text;
  }
  throw new Refused('The configuration changed while it was read. Retry, or use --database.');
}

async function readOperations(call: Call): Promise<Operation[]> {
  const progress = new Progress(call, 'reading', familyNames.length, (count) => `${count} families`);
  try {
    const operations: Operation[] = [];
    for (const family of familyNames) {
      const objects: Record<string, FamilyObject[Family]> = await call.client.configuration.list(family, call);
      for (const [name, object] of Object.entries(objects)) {
        operations.push({ operation: 'put', family, name, object } as Operation);
      }
      progress.add(1);
    }
    return operations;
  } finally {
    progress.end();
  }
}

/** One object a line, so that versions of it can be compared. */
function transactionText(operations: readonly Operation[]): string {
  return `{"operations": [\n${operations.map((each) => JSON.stringify(each)).join(',\n')}\n]}\n`;
}

async function exportDatabase(call: Call, file: string): Promise<void> {
  if (file === '-' && call.terminal.isOutTerminal)
    throw new UsageError('A database cannot be printed on a terminal: name a FILE, or pipe it.');
  const { stream, length } = await call.client.configuration.downloadDatabase(call);
  const progress = new Progress(call, 'downloading', length);
  async function* counted() {
    for await (const chunk of stream) {
      progress.add(chunk.length);
      yield chunk;
    }
  }
  try {
    await storeBytes(call, file, counted());
  } finally {
    progress.end();
  }
}

export const configImport: CommandDeclaration = {
  path: ['config', 'import'],
  summary: 'Import a file (an export, a transaction or a database), all or nothing',
  arguments: [{ name: 'FILE' }],
  options: [
    ...changeOptions,
    { name: 'replace', summary: 'Delete objects that the file does not have; required for databases' },
    tableOption,
  ],
  examples: [
    'telltale config import plant.json --dry-run',
    'telltale config import plant.sqlite --replace --render',
    'telltale config import --table measurements points.csv --dry-run',
  ],
  run: async (call) => {
    const [file = ''] = call.args;
    const family = call.options.get(tableOption.name);
    if (family !== undefined) {
      await importTable(call, family as Family, file);
      return;
    }
    const fromInput = file === '-' ? await readInput(call, file) : undefined;
    const start = fromInput ?? (await readStart(file, sqliteMagic.length));
    if (start.subarray(0, sqliteMagic.length).equals(sqliteMagic)) await importDatabase(call, file, fromInput);
    else await importJson(call, file, fromInput ?? (await readInput(call, file)));
  },
};

const sqliteMagic = Buffer.from('SQLite format 3\0');

async function importDatabase(call: Call, file: string, bytes: Buffer | undefined): Promise<void> {
  const { client, options, signal } = call;
  if (options.has('dry-run')) throw new UsageError('A database file cannot be checked: --dry-run requires JSON.');
  if (!options.has('replace')) throw new UsageError('A database file replaces the whole configuration: add --replace.');
  const length = bytes?.length ?? (await streamFile(file, () => undefined)).length;
  const progress = new Progress(call, 'uploading', length);
  try {
    const body: Bytes =
      bytes === undefined ? (await streamFile(file, (n) => progress.add(n))).stream : new Uint8Array(bytes);
    await client.configuration.uploadDatabase(body, { ...renderingOf(call), signal });
  } finally {
    progress.end();
  }
  await done(call, 'The configuration is replaced.', { replaced: true });
}

async function importJson(call: Call, file: string, bytes: Buffer): Promise<void> {
  const { client, options, signal } = call;
  const operations = readTransaction(bytes, file);
  if (options.has('replace')) operations.push(...(await deletionsBeside(call, operations)));
  const progress = new Progress(call, `sending ${operations.length} operations`, undefined);
  const { dryRun } = outcomeOf(call);
  try {
    await client.configuration.transaction(operations, { commit: !dryRun, ...renderingOf(call), signal });
  } finally {
    progress.end();
  }
  const puts = operations.filter(({ operation }) => operation === 'put').length;
  const deletes = operations.length - puts;
  const counts = `${puts} ${puts === 1 ? 'object' : 'objects'} put, ${deletes} deleted`;
  await done(call, dryRun ? `It would work: ${counts}.` : `${counts}.`, { 'dry-run': dryRun, puts, deletes });
}

function readTransaction(bytes: Buffer, file: string): Operation[] {
  let document: unknown;
  try {
    document = parseJson(bytes.toString());
  } catch (error) {
    throw new UsageError(`${file} is neither a database file nor JSON: ${(error as Error).message}.${tableHint(file)}`);
  }
  const { operations } = (document ?? {}) as { operations?: unknown };
  const isObject = (each: unknown) => typeof each === 'object' && each !== null;
  if (Array.isArray(operations) && operations.every(isObject)) return operations as Operation[];
  throw new UsageError(
    `${file} is not a transaction: {"operations": […]} is expected, as telltale config export writes it.`,
  );
}

async function deletionsBeside({ client, signal }: Call, operations: readonly Operation[]): Promise<Operation[]> {
  const named = new Set(operations.map(({ family, name }) => `${family}/${name}`));
  const deletions: Operation[] = [];
  for (const family of familyNames) {
    for (const name of await client.configuration.names(family, { signal })) {
      if (!named.has(`${family}/${name}`)) deletions.push({ operation: 'delete', family, name });
    }
  }
  return deletions;
}

async function done(call: Call, text: string, document: object): Promise<void> {
  const { terminal } = call;
  const { dryRun, isRunning } = outcomeOf(call);
  const hint = isRunning ? ' It runs.' : dryRun ? '' : ' It runs after: telltale config render';
  if (terminal.isJson) await terminal.json({ ...document, rendered: isRunning });
  else await terminal.line(text + hint);
}
