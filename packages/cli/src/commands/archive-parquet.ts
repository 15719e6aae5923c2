// `telltale archive export --parquet FOLDER`: all records as Parquet files, a week each, for DuckDB, Spark, ClickHouse and Trino.
import { type ArchiveKind, archiveKinds, toTimestamp } from '@telltale/schema';
import { always, intervalOf, kindOf, microsecondsOf, refuseUnknown, simulatedOf } from '../archive-options.ts';
import { type Call, type OptionDeclaration, UsageError } from '../declaration.ts';
import { type ExportedWeek, exportWeeks } from '../parquet/export-weeks.ts';
import { Progress, recordsText } from '../progress.ts';
import { criteriaIn, hasCriteria, plainNames } from '../selector-options.ts';

export const parquetOptions: readonly OptionDeclaration[] = [
  { name: 'parquet', value: 'FOLDER', summary: 'As Parquet files in a folder instead, one for each week' },
  { name: 'site', value: 'NAME', summary: 'With --parquet: the site in the paths of the files; default: local' },
];

/** Nothing that a path or a tool reads as something else. */
const siteForm = /^[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,63}$/;

export async function exportParquet(call: Call, folder: string): Promise<void> {
  const { args, options, terminal } = call;
  const site = options.get('site') ?? 'local';
  if (args.length > 0) throw new UsageError('Either FILE or --parquet FOLDER.');
  if (options.has('columns')) throw new UsageError('Either --columns or --parquet.');
  if (!siteForm.test(site))
    throw new UsageError('--site is up to 64 letters, digits, _, - and ., the first one no - or dot.');
  const isSome = options.has('names') || hasCriteria(call);
  const isOne = isSome || options.has('commands') || options.has('alarms');
  const weeks: ExportedWeek[] = [];
  const isAll = !isOne && !['since', 'until', 'simulated'].some((name) => options.has(name));
  const total = isAll ? (await call.client.archive.stats(call)).records : undefined;
  const progress = new Progress(call, 'exporting', total, recordsText);
  try {
    for (const kind of isOne ? [kindOf(call)] : archiveKinds)
      weeks.push(...(await exportKind(call, kind, folder, site, progress)));
  } finally {
    progress.end();
  }
  if (terminal.isJson) await terminal.json({ files: weeks });
  else await terminal.line(resultText(weeks, folder));
}

async function exportKind(
  call: Call,
  kind: ArchiveKind,
  folder: string,
  site: string,
  progress: Progress,
): Promise<ExportedWeek[]> {
  const { client, options, clock, signal } = call;
  const names = options.get('names')?.split(',').sort();
  if (names !== undefined) await refuseUnknown(call, kind, plainNames({ ...call, args: names }));
  const { since, until = always.until } = intervalOf(call, always);
  const nowUs = clock.now();
  const selection = { ...simulatedOf(call), ...criteriaIn(call), names, flags: true, signal };
  const weeks = exportWeeks({
    kind,
    folder,
    site,
    sinceUs: microsecondsOf(since, nowUs),
    untilUs: microsecondsOf(until, nowUs),
    read: (sinceUs, untilUs, limit) =>
      client.archive.columns(kind, { ...selection, since: toTimestamp(sinceUs), until: toTimestamp(untilUs), limit }),
    onRecords: (count) => progress.add(count),
  });
  return await Array.fromAsync(weeks);
}

function resultText(weeks: readonly ExportedWeek[], folder: string): string {
  const count = (state: ExportedWeek['state']) => weeks.filter((week) => week.state === state).length;
  const records = weeks.reduce((sum, week) => sum + week.records, 0);
  const files = weeks.length === 1 ? '1 file' : `${weeks.length} files`;
  const kept = count('kept');
  const more = kept === 0 ? '' : `, ${kept} kept with records that the archive no longer has`;
  return `${recordsText(records)} in ${files} of ${folder}: ${count('written')} written, ${count('unchanged')} unchanged${more}.`;
}
