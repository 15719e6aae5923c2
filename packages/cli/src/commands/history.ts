// `telltale history`: what was, from the archive.
import type { ArchiveOneOptions } from '@telltale/client';
import {
  type AlarmRecord,
  type ArchiveKind,
  type ArchiveRecords,
  aggregates,
  type CommandRecord,
  type MeasurementRecord,
  quality,
} from '@telltale/schema';
import {
  intervalOf,
  kindOf,
  kindOptions,
  selectedNames,
  simulatedOf,
  simulatedOptions,
  sinceOption,
  untilOption,
} from '../archive-options.ts';
import { type Call, type CommandDeclaration, UsageError } from '../declaration.ts';
import { readSeconds } from '../moments.ts';
import { selectorOptions } from '../selector-options.ts';
import { type Shown, shownOf } from '../shown-points.ts';
import type { Cell } from '../terminal.ts';
import { qualityCell, stateCell, timeText, valueText } from '../words.ts';

export const history: CommandDeclaration = {
  path: ['history'],
  summary: 'Show the history of measurements; default: the last hour',
  arguments: [{ name: 'NAME', optional: true, names: 'measurements' }],
  repeatsFrom: 0,
  options: [
    sinceOption,
    untilOption,
    { name: 'resample', value: 'SECONDS', summary: 'One record per interval, the last before its end; also 5m, 1h' },
    {
      name: 'aggregate',
      value: 'WORD',
      values: aggregates,
      summary: 'With --resample: aggregate of the records of each interval',
    },
    { name: 'max-points', value: 'N', summary: 'Downsample to about N records that give the same plot' },
    { name: 'limit', value: 'N', summary: 'At most N records per name' },
    { name: 'warp-head', summary: 'Begin with the value that was valid at --since' },
    { name: 'active', summary: 'With --alarms: only transitions into an active state' },
    { name: 'csv', summary: 'Print CSV' },
    ...simulatedOptions,
    ...kindOptions,
    ...selectorOptions.points,
  ],
  examples: [
    'telltale history tank1_level',
    "telltale history 'tank*_level' --area works --since 10m",
    'telltale history tank1_level --since 1d --resample 5m --aggregate avg',
    'telltale history --alarms tank1_overflowing --since 2026-01-31 --csv',
  ],
  run: async (call) => {
    const kind = kindOf(call);
    const options = readOptions(call);
    if (options.activeOnly && kind !== 'alarms') throw new UsageError('--active goes with --alarms.');
    const selected = { ...call, args: await selectedNames(call, kind) };
    if (call.options.has('csv')) await printCsv(selected, kind, options);
    else if (call.terminal.isJson) await printJson(selected, kind, options);
    else await printLines(selected, kind, options);
  },
};

function readOptions(call: Call): ArchiveOneOptions {
  const { options } = call;
  const resample = options.get('resample');
  return {
    ...intervalOf(call, { since: -3600 }),
    resampleS: resample === undefined ? undefined : readSeconds('resample', resample),
    aggregate: options.get('aggregate') as ArchiveOneOptions['aggregate'],
    warpHead: options.has('warp-head') || undefined,
    limit: readCount(options, 'limit'),
    maxPoints: readCount(options, 'max-points'),
    activeOnly: options.has('active') || undefined,
    ...simulatedOf(call),
  };
}

function readCount(options: Call['options'], name: string): number | undefined {
  const text = options.get(name);
  if (text === undefined || /^\d{1,9}$/.test(text)) return text === undefined ? undefined : Number(text);
  throw new UsageError(`--${name} is a whole number, not ${JSON.stringify(text.slice(0, 60))}.`);
}

async function printCsv({ client, terminal, args }: Call, kind: ArchiveKind, options: ArchiveOneOptions) {
  if (options.activeOnly) throw new UsageError('--active does not go with --csv.');
  const { stream } = await client.archive.download(kind, { ...options, names: args, form: 'csv' });
  for await (const chunk of stream) await terminal.write(chunk);
}

/** As the service gives it, of all names in one object, page by page. */
async function printJson({ client, terminal, args }: Call, kind: ArchiveKind, options: ArchiveOneOptions) {
  let before = '{';
  for (const name of new Set(args)) {
    before += `${JSON.stringify(name)}:[`;
    for await (const page of client.archive.pages(kind, name, options)) {
      await terminal.write(before + JSON.stringify(page).slice(1, -1));
      before = ',';
    }
    // A comma that waits for the next page stands before none.
    before = before === ',' ? '],' : `${before}],`;
  }
  await terminal.write(args.length === 0 ? '{}\n' : `${before.slice(0, -1)}}\n`);
}

async function printLines(call: Call, kind: ArchiveKind, options: ArchiveOneOptions) {
  const { client, terminal, args } = call;
  const names = new Set(args);
  const shown = kind === 'alarms' ? {} : await shownOf(call, kind, [...names]);
  for (const name of names) {
    let count = 0;
    for await (const page of client.archive.pages(kind, name, { ...options, flags: true })) {
      for (const record of page) {
        const named: Cell[] = names.size > 1 ? [{ text: name, style: 'bold' }, '  '] : [];
        await terminal.line(...named, ...cellsOf(kind, record, shown[name]));
      }
      count += page.length;
    }
    if (count === 0) terminal.note(`There are no records of ${name} in this time.`);
  }
}

function cellsOf(kind: ArchiveKind, record: ArchiveRecords[ArchiveKind], shown: Shown | undefined): Cell[] {
  if (kind === 'alarms') {
    const { t, state, authority, description } = record as AlarmRecord;
    const more = description === '' ? '' : `: ${description}`;
    return [timeText(t), '  ', stateCell(state), `  by ${authority}${more}`];
  }
  if (kind === 'commands') {
    const [value, time] = record as CommandRecord;
    return [timeText(time), '  ', value === null ? '' : valueText(value, shown)];
  }
  const [value, time, q, flags = 0] = record as MeasurementRecord;
  return [timeText(time), '  ', valueText(value, shown), '  ', qualityCell(flags === 0 ? q : q | quality.simulated)];
}
