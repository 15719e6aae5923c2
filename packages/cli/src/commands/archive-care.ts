// `telltale archive stats|check|compact|erase`: how the archive is, and what is done about it.
import { erasing } from '@telltale/client';
import { type ArchiveDamage, type ArchiveProgress, type ArchiveStats, operations } from '@telltale/schema';
import { intervalOf, kindOf, kindOptions, refuseUnknown, sinceOption, untilOption } from '../archive-options.ts';
import { type Call, type CommandDeclaration, Refused, UsageError } from '../declaration.ts';
import { bytesText, Progress } from '../progress.ts';
import { type CarryOut, confirming, confirmOptions, pendingText } from '../signing.ts';
import { timeText } from '../words.ts';

export const archiveStats: CommandDeclaration = {
  path: ['archive', 'stats'],
  summary: operations.getArchiveStats.summary,
  arguments: [],
  options: [],
  run: async (call) => {
    const stats = await call.client.archive.stats(call);
    if (call.terminal.isJson) await call.terminal.json(stats);
    else await printStats(call, stats);
  },
};

async function printStats(call: Call, stats: ArchiveStats): Promise<void> {
  const { series, records, bytes, blocks, unmerged, first, last, astray, damages } = stats;
  const line = (title: string, text: string) => call.terminal.line({ text: title.padEnd(12), style: 'bold' }, text);
  const number = (count: number) => count.toLocaleString('en-US');
  const each = records === 0 ? '' : `, ${(bytes / records).toFixed(2)} bytes a record`;
  await line('Records', `${number(records)} in ${number(series)} series`);
  await line('From', first === null ? 'never' : timeText(first));
  await line('To', last === null ? 'never' : timeText(last));
  await line('On disk', `${bytesText(bytes)}, ${bytesText(stats['journal-bytes'])} of it the journal${each}`);
  await line('Retention', retentionText(stats));
  await line('Growth', growthText(stats));
  await line('Files', `${number(blocks)}${unmerged > 0 ? `, ${number(unmerged)} of them to be merged` : ''}`);
  if (astray > 0) await line('Wrong clock', `${number(astray)} records before 2000, or over a day ahead`);
  const astrayNames = stats['astray-names'];
  if (astrayNames.length > 0)
    await line('', `${astrayNames.slice(0, 10).join(', ')}${astrayNames.length > 10 ? ', …' : ''}`);
  for (const { at, seconds } of stats['clock-jumps'].slice(-10)) {
    await line('Clock set', `${timeText(at)}, by ${seconds.toFixed(1)} s`);
  }
  await printDamages(call, damages);
}

function retentionText({ retention: { seconds, own }, 'max-bytes': most }: ArchiveStats): string {
  const texts = [
    seconds === null ? 'without limit of age' : `${days(seconds)} days`,
    ...own.map((each) => `${each.objects} objects ${days(each.seconds)} days`),
    ...(most === null ? [] : [`at most ${bytesText(most)}`]),
  ];
  return texts.slice(0, 10).join(', ');
}

function growthText({ growth, 'disk-lasts-seconds': lasts }: ArchiveStats): string {
  if (growth === null) return 'not known yet';
  const rest = lasts === null ? '' : `; the disk lasts ${days(lasts)} days`;
  return `${bytesText(growth['bytes-per-day'])} a day${rest}`;
}

function days(seconds: number): string {
  return (seconds / 86_400).toLocaleString('en-US', { maximumSignificantDigits: 3 });
}

async function printDamages({ terminal }: Call, damages: readonly ArchiveDamage[]): Promise<void> {
  for (const { file, name, first, last, reason } of damages) {
    const times = [first, last].flatMap((time) => (time === undefined ? [] : [timeText(time)]));
    const where = [name ?? '', times.join(' to ')].filter((text) => text !== '').join(', ');
    await terminal.line({ text: 'Damaged', style: 'red' }, `  ${file}${where === '' ? '' : `, ${where}`}: ${reason}`);
  }
}

export const archiveCheck: CommandDeclaration = {
  path: ['archive', 'check'],
  summary: operations.checkArchive.summary,
  details: 'Exit code 1 means that something is damaged.',
  arguments: [],
  options: [],
  run: async (call) => {
    const last = await follow(call, 'checking', call.client.archive.check(call));
    const { damages = [] } = last;
    if (call.terminal.isJson) await call.terminal.json(last);
    else if (damages.length === 0) await call.terminal.line(`All of ${bytesText(last['total-bytes'])} is intact.`);
    else await printDamages(call, damages);
    if (damages.length > 0)
      throw new Refused(`${partsText(damages.length)} damaged and excluded from queries; everything else is readable.`);
  },
};

export const archiveCompact: CommandDeclaration = {
  path: ['archive', 'compact'],
  summary: operations.compactArchive.summary,
  details: 'The service also does this automatically.',
  arguments: [],
  options: [],
  run: async (call) => {
    const before = await call.client.archive.stats(call);
    await follow(call, 'compacting', call.client.archive.compact(call));
    const after = await call.client.archive.stats(call);
    if (call.terminal.isJson) await call.terminal.json({ before, after });
    else
      await call.terminal.line(
        `${bytesText(before.bytes)} in ${before.blocks} files are now ${bytesText(after.bytes)} in ${after.blocks}.`,
      );
  },
};

const partsText = (count: number) => (count === 1 ? '1 part is' : `${count} parts are`);

/** Shows a bar until the last step, and gives that. */
async function follow(call: Call, label: string, steps: AsyncIterable<ArchiveProgress>): Promise<ArchiveProgress> {
  let progress: Progress | undefined;
  let last: ArchiveProgress | undefined;
  try {
    for await (const step of steps) {
      const isNext = step['total-bytes'] !== last?.['total-bytes'];
      if (isNext) progress = new Progress(call, label, step['total-bytes']);
      progress?.add(step['done-bytes'] - (isNext ? 0 : (last?.['done-bytes'] ?? 0)));
      last = step;
    }
  } finally {
    progress?.end();
  }
  return last ?? { 'done-bytes': 0, 'total-bytes': 0 };
}

export const archiveErase: CommandDeclaration = {
  path: ['archive', 'erase'],
  summary: 'Erase the records of an interval permanently',
  arguments: [{ name: 'NAME', names: 'measurements' }],
  repeatsFrom: 0,
  options: [sinceOption, untilOption, ...kindOptions, ...confirmOptions],
  details: 'Both --since and --until are required.',
  examples: ['telltale archive erase tank1_level --since 2026-01-31T12:00 --until 2026-01-31T12:05'],
  run: (call) => confirming(call, erase),
};

async function erase(call: Call, carryOut: CarryOut): Promise<void> {
  const { args, options, client, terminal } = call;
  if (!options.has('since') || !options.has('until'))
    throw new UsageError('--since and --until are required: erased records cannot be restored.');
  const kind = kindOf(call);
  const interval = intervalOf(call, { since: 0 });
  await refuseUnknown(call, kind, args);
  const names = [...new Set(args)];
  const reason = options.get('reason');
  const erased: string[] = [];
  for (const name of names) {
    const plain = () => client.archive.erase(kind, name, { ...interval, reason });
    const pending = await carryOut(erasing(kind, name, interval), plain);
    if (pending === undefined) erased.push(name);
    else terminal.note(`Erasing records of ${name} ${pendingText(pending)}`);
  }
  if (terminal.isJson) await terminal.json({ erased });
  else if (erased.length > 0) await terminal.line(`The records of ${erased.join(', ')} in this time are erased.`);
}
