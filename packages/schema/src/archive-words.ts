// The words of the archive: its kinds, and how records are chosen and thinned out. Their schemas are in archive.ts.

export const archiveKinds = ['measurements', 'commands', 'alarms'] as const;
export type ArchiveKind = (typeof archiveKinds)[number];

/** After OPC UA Part 13. */
export const aggregates = [
  'avg',
  'mean',
  'min',
  'max',
  'range',
  'total',
  'count',
  'first',
  'last',
  'delta',
  'stddev',
  'duration-true',
  'duration-false',
  'transitions',
  'count-good',
  'count-bad',
  'duration-good',
  'duration-bad',
  'percent-good',
  'worst-quality',
] as const;
export type Aggregate = (typeof aggregates)[number];

export function isAggregate(word: string): word is Aggregate {
  return (aggregates as readonly string[]).includes(word);
}

/** Buckets on the clock: minutes and hours that it shows, days, weeks from Monday, months. */
export const calendarSteps = ['1m', '5m', '10m', '15m', '30m', '1h', '1d', '1w', '1mo'] as const;
export type CalendarStep = (typeof calendarSteps)[number];

export const simulatedFilters = ['include', 'exclude', 'only'] as const;
export type SimulatedFilter = (typeof simulatedFilters)[number];

/** The fewest records that can hold the first, last, least and greatest record of a bucket. */
export const fewestPoints = 4;

/** With less on its disk a server soon cannot write its databases and the journal of the archive any more. */
export const leastFreeBytes = 256 * 2 ** 20;
