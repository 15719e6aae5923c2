// The tables of `telltale config export|import --table FAMILY`, and what a table that was sent has changed.
import { type Family, familyNames, type TableResult } from '@telltale/schema';
import { type Call, type OptionDeclaration, UsageError } from '../declaration.ts';
import { readInput, storeBytes } from '../files.ts';
import { printChange } from '../print-change.ts';
import { Progress } from '../progress.ts';
import { outcomeOf, renderingOf } from '../render-options.ts';

export const tableOption: OptionDeclaration = {
  name: 'table',
  value: 'FAMILY',
  summary: 'One family as a table: CSV, or a workbook where FILE ends in .xlsx',
  values: familyNames,
};

const tableNames = /\.(?:csv|tsv|txt|xlsx)$/i;

/** What to say where a table was meant, and no family is named. */
export function tableHint(file: string): string {
  return tableNames.test(file) ? ` To import a table, say of what: --table measurements.` : '';
}

export async function exportTable(call: Call, family: Family, file: string): Promise<void> {
  const columns = call.options.get('fields')?.split(',');
  const format = /\.xlsx$/i.test(file) ? 'xlsx' : 'csv';
  const { stream } = await call.client.configuration.table(family, { columns, format, signal: call.signal });
  await storeBytes(call, file, stream);
  if (file !== '-') call.terminal.note(`The ${family.replace('-', ' ')} are in ${file}.`);
}

export async function importTable(call: Call, family: Family, file: string): Promise<void> {
  const bytes = await readInput(call, file);
  if (bytes.length === 0) throw new UsageError(`${file === '-' ? 'The standard input' : file} is empty.`);
  await sendTable(call, family, bytes, call.options.has('replace'));
}

/** Sends a table, and prints what it has changed, or would. */
export async function sendTable(call: Call, family: Family, table: Uint8Array, deleteMissing = false): Promise<void> {
  const { client, signal } = call;
  const [{ dryRun }, rendering] = [outcomeOf(call), renderingOf(call)];
  const progress = new Progress(call, 'sending the table', undefined);
  let result: TableResult;
  try {
    const body = new Uint8Array(table);
    result = await client.configuration.putTable(family, body, { dryRun, ...rendering, deleteMissing, signal });
  } finally {
    progress.end();
  }
  await report(call, family, result);
}

async function report(call: Call, family: Family, result: TableResult): Promise<void> {
  const { terminal } = call;
  const { dryRun, isRunning } = outcomeOf(call);
  if (terminal.isJson) {
    await terminal.json({ 'dry-run': dryRun, ...result, rendered: isRunning });
    return;
  }
  const { added, renamed = 0, changed, removed, unchanged, changes = [] } = result;
  for (const { row: _, ...change } of changes) await printChange(terminal, { family, ...change });
  const left = added + changed + removed - changes.length;
  if (dryRun && left > 0) await terminal.line(`and ${left} more`);
  const ofRenames = renamed > 0 ? `${renamed} renamed, ` : '';
  const counts = `${added} added, ${ofRenames}${changed} changed, ${removed} removed, ${unchanged} unchanged`;
  const hasChanged = added + renamed + changed + removed > 0;
  const hint = isRunning ? ' It runs.' : dryRun || !hasChanged ? '' : ' It runs after: telltale config render';
  await terminal.line(`${dryRun ? 'It would work: ' : ''}${counts}.${hint}`);
}
