// `telltale history`: what was, from the archive.
import { type ArchiveOneOptions, type ArchiveRowsOption, TelltaleProblem } from '@telltale/client';
import {
  type Aggregate,
  type AggregateRow,
  type AlarmRecord,
  type ArchiveKind,
  type ArchiveRecords,
  aggregates,
  type CommandRecord,
  calendarSteps,
  isAggregate,
  type MeasurementRecord,
  quality,
} from '@telltale/schema';
import {
  intervalOf,
  kindOf,
  kindOptions,
  readCount,
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
    {
      name: 'resample',
      value: 'STEP',
      summary: `One record per bucket: ${calendarSteps.join(', ')} on the clock, or seconds such as 90 or 90s from --since`,
    },
    {
      name: 'tz',
      value: 'ZONE',
      summary: 'Time zone of buckets on the clock, such as Europe/Vienna; default: your own',
    },
    {
      name: 'aggregate',
      value: 'WORDS',
      summary: `With --resample: what each bucket comes to, comma-separated: ${aggregates.join(', ')}`,
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
    'telltale history tank1_level --since 7d --resample 1d --tz Europe/Vienna --aggregate avg,max,percent-good',
    'telltale history --alarms tank1_overflowing --since 2026-01-31 --csv',
  ],
  run: async (call) => {
    const kind = kindOf(call);
    const options = readOptions(call);
    if (options.aggregates !== undefined && !call.options.has('resample'))
      throw new UsageError('--aggregate goes with --resample, such as --resample 1h.');
    if (options.activeOnly && kind !== 'alarms') throw new UsageError('--active goes with --alarms.');
    const selected = { ...call, args: await selectedNames(call, kind) };
    if (call.options.has('csv')) await printCsv(selected, kind, options);
    else if (call.terminal.isJson) await printJson(selected, kind, options);
    else await printLines(selected, kind, options);
  },
};

function readOptions(call: Call): ArchiveOneOptions & ArchiveRowsOption {
  const { options } = call;
  return {
    ...intervalOf(call, { since: -3600 }),
    ...readStep(options),
    aggregates: options.get('aggregate')?.split(',').map(readAggregate),
    warpHead: options.has('warp-head') || undefined,
    limit: readCount(options, 'limit'),
    maxPoints: readCount(options, 'max-points'),
    activeOnly: options.has('active') || undefined,
    ...simulatedOf(call),
  };
}

/** Steps on the clock are those of the place, unless another one is named. */
function readStep(options: Call['options']): Pick<ArchiveOneOptions, 'resample' | 'resampleS' | 'tz'> {
  const text = options.get('resample');
  const tz = options.get('tz');
  const resample = calendarSteps.find((each) => each === text);
  if (resample !== undefined) return { resample, tz: tz ?? Intl.DateTimeFormat().resolvedOptions().timeZone };
  if (tz !== undefined) throw new UsageError(`--tz goes with --resample ${calendarSteps.join(' or ')}.`);
  return { resampleS: text === undefined ? undefined : readSeconds('resample', text) };
}

function readAggregate(word: string): Aggregate {
  if (isAggregate(word)) return word;
  throw new UsageError(
    `There is no aggregate ${JSON.stringify(word.slice(0, 60))}: there are ${aggregates.join(', ')}.`,
  );
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

async function printLines(call: Call, kind: ArchiveKind, options: ArchiveOneOptions & ArchiveRowsOption) {
  const { client, terminal, args } = call;
  const names = new Set(args);
  const shown = kind === 'alarms' ? {} : await shownOf(call, kind, [...names]);
  for (const name of names) {
    let count = 0;
    for await (const page of client.archive.pages(kind, name, { ...options, flags: true })) {
      for (const record of page) {
        const named: Cell[] = names.size > 1 ? [{ text: name, style: 'bold' }, '  '] : [];
        const isRow = kind !== 'alarms' && 't' in record;
        const [only] = options.aggregates ?? [];
        const cells = isRow ? rowCells(record, shown[name]) : cellsOf(kind, record, shownAs(only, shown[name]));
        await terminal.line(...named, ...cells);
      }
      count += page.length;
    }
    if (count === 0) terminal.note(`${nothingText(call, name)}${await notArchivedText(call, kind, name)}`);
  }
}

/** A bucket without an aggregate has the value that was valid where it begins: there may be records all the same. */
function nothingText({ options }: Call, name: string): string {
  return options.has('resample') && !options.has('aggregate')
    ? `No bucket of this time begins with a value of ${name}. For what is within them: --aggregate avg`
    : `There are no records of ${name} in this time.`;
}

/** What to do where an object is configured without an archive; one that is no longer there has only a past. */
async function notArchivedText({ client, signal }: Call, kind: ArchiveKind, name: string): Promise<string> {
  const asked = client.configuration.list(kind, { names: [name], signal });
  const found = await asked.catch((error: unknown): Awaited<typeof asked> => {
    if (error instanceof TelltaleProblem) return {}; // it is only a hint
    throw error;
  });
  if (!Object.hasOwn(found, name) || (found[name]?.archMode ?? 'none') !== 'none') return '';
  return ` It is not archived: telltale config set ${kind} ${name} archMode=change --render`;
}

/** Several aggregates of a bucket. */
function rowCells({ t, q, flags: _, ...values }: AggregateRow, shown: Shown | undefined): Cell[] {
  const cells = Object.entries(values).map(([word, value]) => {
    return `${word} ${value === null ? '–' : valueText(value, shownAs(word as Aggregate, shown))}`;
  });
  return [timeText(t), '  ', cells.join('  '), ...(q === undefined ? [] : ['  ', qualityCell(q)])];
}

/** Not all of them have the unit of their values; of durations people are shown milliseconds. */
function shownAs(aggregate: Aggregate | undefined, shown: Shown | undefined): Shown | undefined {
  if (aggregate === undefined || !ofOtherUnits.has(aggregate)) return shown;
  if (aggregate === 'percent-good') return { eu: '%', precision: 2 };
  return aggregate.startsWith('duration-') ? { eu: 's', precision: 3 } : {};
}

const ofOtherUnits: ReadonlySet<Aggregate> = new Set([
  'total',
  'count',
  'duration-true',
  'duration-false',
  'transitions',
  'count-good',
  'count-bad',
  'duration-good',
  'duration-bad',
  'percent-good',
  'worst-quality',
]);

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
