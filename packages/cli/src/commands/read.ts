// `telltale read`: measurements, or commands, as they are now.

import { commandFields, type LiveCommand, type LiveMeasurement, measurementFields } from '@telltale/schema';
import { didYouMean } from '@telltale/schema/nearest-name';
import { type Call, type CommandDeclaration, Refused, UsageError } from '../declaration.ts';
import { missingOf, refuseMissing } from '../known-names.ts';
import { commandCriteriaIn, criteriaIn, isSelecting, plainNames, selectorOptions } from '../selector-options.ts';
import { type Shown, shownFields } from '../shown-points.ts';
import type { Cell } from '../terminal.ts';
import { liveText, qualityCell, timeText, valueText } from '../words.ts';

type Point = Partial<LiveMeasurement & LiveCommand>;
type Column = readonly [heading: string, cell: (point: Point) => Cell];

/** Fields that are not shown as they are, under their own name. */
const columns: Record<string, readonly Column[]> = {
  vtq: [
    ['VALUE', ({ vtq, ...shown }) => (vtq === undefined ? '' : liveText(vtq, shown))],
    ['QUALITY', ({ vtq }) => (vtq === undefined ? '' : qualityCell(vtq[2]))],
    ['TIME', ({ vtq }) => (vtq === undefined ? '' : timeText(vtq[1]))],
  ],
  vt: [
    ['VALUE', ({ vt, ...shown }) => (vt === undefined ? '' : liveText(vt, shown))],
    ['TIME', ({ vt }) => (vt === undefined ? '' : timeText(vt[1]))],
  ],
  eu: [['UNIT', ({ eu = '' }) => eu]],
  datatype: [['TYPE', ({ datatype = '' }) => datatype]],
  'raw-datatype': [['RAW TYPE', (point) => point['raw-datatype'] ?? '']],
  'eu-range': [['RANGE', (point) => rangeText(point['eu-range'])]],
  'raw-range': [['RAW RANGE', (point) => rangeText(point['raw-range'])]],
};

export const read: CommandDeclaration = {
  path: ['read'],
  summary: 'Show current values of measurements; default: all',
  arguments: [{ name: 'NAME', optional: true, names: 'measurements' }],
  repeatsFrom: 0,
  options: [
    { name: 'commands', summary: 'Read commands instead' },
    { name: 'fields', value: 'FIELD,…', summary: `Only these: ${measurementFields.join(', ')}; of commands only vt` },
    ...selectorOptions.measurements,
  ],
  examples: [
    'telltale read tank1_level',
    "telltale read 'tank*' --bad",
    'telltale read --commands',
    'telltale read --fields vtq,description',
  ],
  run: (call) => (call.options.has('commands') ? readCommands(call) : readMeasurements(call)),
};

async function readMeasurements(call: Call): Promise<void> {
  const { client, args, signal } = call;
  const fields = readFields(call, measurementFields);
  const asked = askedFor(call, fields ?? defaultFields('vtq'), fields);
  const found = await client.measurements.list({ ...criteriaIn(call), names: namesIn(args), fields: asked, signal });
  await show(call, found, fields ?? defaultFields('vtq'));
  const missing = missingOf(plainNames(call), found);
  if (missing.length === 0) return;
  const commands = await client.commands.list({ names: missing, fields: ['name'], signal });
  const [first] = Object.keys(commands);
  if (first !== undefined) throw new Refused(`${first} is a command: telltale read --commands ${first}`);
  await refuseMissing(call, 'measurements', missing);
}

async function readCommands(call: Call): Promise<void> {
  const { client, args, signal } = call;
  const fields = readFields(call, commandFields);
  const asked = askedFor(call, fields ?? defaultFields('vt'), fields);
  const found = await client.commands.list({ ...commandCriteriaIn(call), names: namesIn(args), fields: asked, signal });
  await show(call, found, fields ?? defaultFields('vt'));
  await refuseMissing(call, 'commands', missingOf(plainNames(call), found));
}

async function show(call: Call, found: Record<string, Point>, fields: readonly string[]): Promise<void> {
  const { terminal, args } = call;
  const isEmpty = Object.keys(found).length === 0;
  if (isEmpty && !isSelecting(call) && args.length > 0) return; // missing names are reported
  if (isEmpty && isSelecting(call)) {
    if (terminal.isJson) await terminal.json(found);
    if (missingOf(plainNames(call), found).length === 0) terminal.note('Nothing matches.');
    return;
  }
  if (terminal.isJson) {
    await terminal.json(found);
    return;
  }
  const shown = fields.includes('name') ? fields : ['name', ...fields];
  const chosen = shown.flatMap((field) => columns[field] ?? [plainColumn(field as keyof Point)]);
  const rows = Object.entries(found).map(([name, point]) => chosen.map(([, cell]) => cell({ name, ...point })));
  await terminal.table(
    chosen.map(([heading]) => heading),
    rows,
  );
}

const defaultFields = <Live extends string>(live: Live) => ['name', live, 'description'] as const;

/** People are shown values with their units and sensible decimals; programs get what they have asked for. */
function askedFor<Field extends string>(
  { terminal }: Call,
  columns: readonly Field[],
  fields: readonly Field[] | undefined,
): readonly (Field | keyof Shown)[] | undefined {
  return terminal.isJson ? fields : [...new Set([...columns, ...shownFields])];
}

export function namesIn(args: readonly string[]): readonly string[] | undefined {
  return args.length === 0 ? undefined : args;
}

function readFields<Field extends string>({ options }: Call, known: readonly Field[]): Field[] | undefined {
  const fields = options.get('fields')?.split(',');
  const unknown = fields?.find((field) => !(known as readonly string[]).includes(field));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, known);
    throw new UsageError(`There is no field ${JSON.stringify(unknown)}.${hint} There are ${known.join(', ')}.`);
  }
  return fields as Field[] | undefined;
}

function plainColumn(field: keyof Point): Column {
  return [field.toUpperCase().replaceAll('-', ' '), (point) => String(point[field] ?? '')];
}

function rangeText(range: Point['eu-range']): string {
  if (range === undefined) return '';
  const [low, high] = range.map((end) => (end === null ? '–' : valueText(end)));
  return `${low} to ${high}`;
}
