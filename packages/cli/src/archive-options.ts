// What the commands on the archive have in common: which kind of object, which interval, and names that it knows.
import type { ArchiveInterval, ArchiveMoment, ArchiveReadOptions } from '@telltale/client';
import { type ArchiveKind, nameMatcher, simulatedFilters } from '@telltale/schema';
import { type Call, type OptionDeclaration, UsageError } from './declaration.ts';
import { missingOf, namesOf, refuseMissing } from './known-names.ts';
import { momentForms, readMoment } from './moments.ts';
import { criteriaIn, hasCriteria, isSelecting, plainNames } from './selector-options.ts';

export const kindOptions: readonly OptionDeclaration[] = [
  { name: 'commands', summary: 'Commands instead of measurements' },
  { name: 'alarms', summary: 'Alarms instead of measurements' },
];

export const sinceOption: OptionDeclaration = {
  name: 'since',
  value: 'TIME',
  summary: `Start of the interval: ${momentForms}`,
};
export const untilOption: OptionDeclaration = {
  name: 'until',
  value: 'TIME',
  summary: 'End of the interval, exclusive; the same forms',
};

export const simulatedOptions: readonly OptionDeclaration[] = [
  {
    name: 'simulated',
    value: 'WORD',
    values: simulatedFilters,
    summary: 'Records of simulated values: include (default), exclude or only',
  },
  { name: 'flags', summary: 'In CSV, JSON and columns: the flags of each record, 1 where it was simulated' },
];

export function simulatedOf({ options }: Call): Pick<ArchiveReadOptions, 'simulated' | 'flags'> {
  const simulated = options.get('simulated') as ArchiveReadOptions['simulated'];
  return { simulated, flags: options.has('flags') || undefined };
}

export function kindOf({ options }: Call): ArchiveKind {
  if (options.has('commands') && options.has('alarms')) throw new UsageError('Either --commands or --alarms.');
  return options.has('commands') ? 'commands' : options.has('alarms') ? 'alarms' : 'measurements';
}

export function intervalOf(
  { options, clock, signal }: Call,
  otherwise: Omit<ArchiveInterval, 'signal'>,
): ArchiveInterval {
  const [since, until] = [options.get('since'), options.get('until')];
  const nowMs = clock.now() / 1000;
  const interval = {
    since: since === undefined ? otherwise.since : readMoment('since', since, nowMs),
    until: until === undefined ? otherwise.until : readMoment('until', until, nowMs),
  };
  if (until !== undefined && secondsOf(interval.since, nowMs) > secondsOf(interval.until, nowMs)) {
    throw new UsageError(
      since === undefined
        ? `--until ${until} is before the last hour, which is shown without --since: add --since.`
        : `--since ${since} is after --until ${until}: the interval begins at --since and ends at --until.`,
    );
  }
  return { ...interval, signal };
}

export function readCount(options: Call['options'], name: string): number | undefined {
  const text = options.get(name);
  if (text === undefined || /^\d{1,9}$/.test(text)) return text === undefined ? undefined : Number(text);
  throw new UsageError(`--${name} is a whole number, not ${JSON.stringify(text.slice(0, 60))}.`);
}

/** In microseconds since 1970. */
export function microsecondsOf(moment: ArchiveMoment, nowUs: number): number {
  if (Array.isArray(moment)) return moment[0] * 1_000_000 + moment[1];
  return Math.round(secondsOf(moment, nowUs / 1000) * 1_000_000);
}

/** Since 1970; NaN where the server decides. */
/** NaN: there is none. */
export function secondsOf(moment: ArchiveMoment | undefined, nowMs: number): number {
  if (moment === undefined) return Number.NaN;
  if (moment instanceof Date) return moment.getTime() / 1000;
  if (typeof moment !== 'number') return moment[0] + moment[1] / 1e6;
  return moment < 0 ? nowMs / 1000 + moment : moment;
}

/** All there ever was, and what a wrong clock has put into the future. */
export const always = { since: [0, 0], until: [9_007_199_254, 740_991] } as const satisfies ArchiveInterval;

/** The names that are meant: those of patterns are in the archive or live, those of other criteria live. */
export async function selectedNames(call: Call, kind: ArchiveKind): Promise<readonly string[]> {
  const { args, client, terminal, signal } = call;
  if (args.length === 0 && !hasCriteria(call))
    throw new UsageError('A NAME, a pattern or another selector is required.');
  await refuseUnknown(call, kind, plainNames(call));
  if (!isSelecting(call)) return args;
  const selector = { ...criteriaIn(call), names: args.length === 0 ? undefined : args };
  const live = Object.keys(await client[kind as 'measurements'].list({ ...selector, fields: ['name'], signal }));
  const archived = hasCriteria(call) ? [] : (await client.archive.names(kind, { signal })).filter(nameMatcher(args));
  const names = [...new Set([...live, ...archived])].sort();
  if (names.length === 0) terminal.note('Nothing matches.');
  return names;
}

/** Throws where a name is neither live nor in the archive. */
export async function refuseUnknown(call: Call, kind: ArchiveKind, names: readonly string[]): Promise<void> {
  const archived = await call.client.archive.names(kind, call);
  const missing = missingOf(names, Object.fromEntries(archived.map((name) => [name, true])));
  if (missing.length === 0) return;
  const live = new Set(await namesOf(call, kind));
  await refuseMissing(
    call,
    kind,
    missing.filter((name) => !live.has(name)),
  );
}
