// The archive on the wire: its records, its queries, and its status.
import Type, { type Static, type TNull, type TOptional, type TProperties, type TSchema, type TUnion } from 'typebox';
import { type Aggregate, aggregates, calendarSteps, fewestPoints, simulatedFilters } from './archive-words.ts';
import { closed, strict } from './closed.ts';
import { AlarmState } from './data-access.ts';
import { durationForms, durationPattern } from './duration.ts';
import { ArchiveQuality, Identifier, PrefixedValue, Timestamp } from './wire-schemas.ts';

const Flags = Type.Integer({
  minimum: 0,
  maximum: 1,
  description: 'Where flags=1 asks for them; 1: simulated, or caused by a simulated value.',
});

export type MeasurementRecord = [value: string, t: Timestamp, quality: number, flags?: number];
export const MeasurementRecord = Type.Unsafe<MeasurementRecord>({
  ...Type.Tuple([PrefixedValue, Timestamp, ArchiveQuality, Flags]),
  minItems: 3,
  description: 'Value, timestamp and quality; with flags=1 also the flags.',
  examples: [['d21.5', [1700000000, 250000], 192]],
});

export type CommandRecord = [value: string | null, t: Timestamp, flags?: number];
export const CommandRecord = Type.Unsafe<CommandRecord>({
  ...Type.Tuple([Type.Union([PrefixedValue, Type.Null()]), Timestamp, Flags]),
  minItems: 2,
  description: 'Value and timestamp; with flags=1 also the flags.',
  examples: [['d21.5', [1700000000, 250000]]],
});

export const AlarmRecord = Type.Object(
  {
    t: Timestamp,
    state: AlarmState,
    description: Type.String(),
    authority: Type.String(),
    flags: Type.Optional(Flags),
  },
  strict('AlarmRecord'),
);
export type AlarmRecord = Static<typeof AlarmRecord>;

const { flags: _, ...transition } = AlarmRecord.properties;

/** A record of an alarm, in a list of those of many alarms. */
export const AlarmTransition = Type.Object({ name: Identifier, ...transition }, strict('AlarmTransition'));
export type AlarmTransition = Static<typeof AlarmTransition>;

export const AlarmTransitions = Type.Object(
  {
    transitions: Type.Array(AlarmTransition, {
      description: 'The newest first; those at the same time in the order of their names.',
    }),
    next: Type.Optional(Type.String({ description: 'For before: there are older ones.' })),
  },
  strict('AlarmTransitions'),
);
export type AlarmTransitions = Static<typeof AlarmTransitions>;

export interface ArchiveRecords {
  measurements: MeasurementRecord;
  commands: CommandRecord;
  alarms: AlarmRecord;
}

const RowFlags = Type.Optional(Type.Integer({ description: 'With flags=1: 1 where a value in it was simulated.' }));

/** A bucket of several aggregates: each is a member, and null where it has no value. */
const bucketOf = (title: string, quality: TProperties) =>
  Type.Object(
    {
      t: Timestamp,
      ...quality,
      ...(Object.fromEntries(
        aggregates.map((each) => [each, Type.Optional(Type.Union([PrefixedValue, Type.Null()]))]),
      ) as Record<Aggregate, TOptional<TUnion<[typeof PrefixedValue, TNull]>>>),
    },
    { title, description: 'With several aggregates: the start of a bucket, its quality, and each of them.', ...closed },
  );

export const MeasurementBucket = bucketOf('MeasurementBucket', { q: ArchiveQuality, flags: RowFlags });
export const CommandBucket = bucketOf('CommandBucket', { flags: RowFlags });

/** A bucket as a client has it. */
export type AggregateRow = { readonly t: Timestamp; readonly q?: number; readonly flags?: number } & {
  readonly [Each in Aggregate]?: string | null;
};

const archive = (title: string, record: TSchema) =>
  Type.Record(Identifier, Type.Array(record, { description: 'In time order.' }), { title, ...closed });

export const MeasurementArchive = archive('MeasurementArchive', Type.Union([MeasurementRecord, MeasurementBucket]));
export const CommandArchive = archive('CommandArchive', Type.Union([CommandRecord, CommandBucket]));
export const AlarmArchive = archive('AlarmArchive', AlarmRecord);

/** The end of an interval, as a number in JSON and in a query; in a path it is the same in digits. */
export const ArchiveTime = Type.Number({
  description:
    'Seconds since 1970, exact to the microsecond; less than zero: seconds back from now. Zero is 1970 as the beginning ' +
    'of an interval, and now as its end.',
  examples: [1700000000.25, -3600],
});

const most = 2 ** 31 - 1;

/** How records are chosen and thinned out, beside their interval. */
export const alarmArchiveOptions = {
  resample: Type.Optional(
    Type.Union(
      [
        Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000_000 }),
        Type.Enum([...calendarSteps], { type: 'string' }),
        Type.String({ pattern: durationPattern, description: `A duration: ${durationForms}.` }),
      ],
      {
        description:
          'Seconds from t_since on, the same as a duration such as 90s or 1h30m, or buckets on the clock, such as 15m, 1h, ' +
          '1d, 1w, 1mo: one record each, the last one at or before the beginning of the bucket.',
      },
    ),
  ),
  tz: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'With buckets on the clock: the time zone, such as Europe/Vienna; UTC where it is not given.',
      examples: ['Europe/Vienna'],
    }),
  ),
  warp_head: Type.Optional(
    Type.Boolean({ description: 'Begin with the record in force at the beginning, with that time.' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: most, description: 'Only the first so many records of each name.' }),
  ),
  'max-points': Type.Optional(
    Type.Integer({
      minimum: fewestPoints,
      maximum: most,
      description:
        'About so many records of each name at most, which keep the first, least, greatest and last one of each ' +
        'stretch of time: a plot of them looks like one of all. Not together with resample.',
    }),
  ),
  simulated: Type.Optional(
    Type.Enum([...simulatedFilters], {
      type: 'string',
      description:
        'Records of simulated values: with the others (include, the default), left out as if there were none (exclude), ' +
        'or alone (only). Of alarms: transitions that a simulated value caused.',
    }),
  ),
  flags: Type.Optional(Type.Boolean({ description: 'Add the flags of each record; 1: simulated.' })),
} as const;

/** Alarms have no numeric value: they are not aggregated. */
export const archiveOptions = {
  ...alarmArchiveOptions,
  aggregate: Type.Optional(
    Type.String({
      maxLength: 400,
      description:
        `With resample: what the bucket comes to, by time and with the value in force at its start; bad values are left ` +
        `out. One or several, comma-separated: ${aggregates.join(', ')}.`,
      examples: ['avg,min,max,percent-good'],
    }),
  ),
} as const;

export const ArchiveDamage = Type.Object(
  {
    file: Type.String(),
    name: Type.Optional(Type.String({ description: 'Of the object whose records are concerned.' })),
    first: Type.Optional(Timestamp),
    last: Type.Optional(Timestamp),
    reason: Type.String(),
  },
  { title: 'ArchiveDamage', description: 'What failed its checksum, and is left out of reads.', ...closed },
);
export type ArchiveDamage = Static<typeof ArchiveDamage>;

export const ClockJump = Type.Object(
  {
    at: Timestamp,
    seconds: Type.Number({ description: 'Forward; back where it is less than zero.' }),
  },
  { title: 'ClockJump', description: "The time of day of the server's machine was set.", ...closed },
);
export type ClockJump = Static<typeof ClockJump>;

const OptionalTime = Type.Union([Timestamp, Type.Null()]);

export const ArchiveStats = Type.Object(
  {
    series: Type.Integer({ description: 'An object whose datatype was changed has several.' }),
    records: Type.Integer(),
    bytes: Type.Integer({ description: 'On disk, the journal included.' }),
    'journal-bytes': Type.Integer(),
    'max-bytes': Type.Union([Type.Integer(), Type.Null()], {
      description: 'As --archive-max-size says; null where there is no limit.',
    }),
    'disk-bytes': Type.Union([Type.Integer(), Type.Null()], {
      description: 'Of the file system of the data folder; null where the system does not say it.',
    }),
    'disk-free-bytes': Type.Union([Type.Integer(), Type.Null()], { description: 'That the server may still write.' }),
    'disk-lasts-seconds': Type.Union([Type.Integer(), Type.Null()], {
      description:
        'Until the disk is full, as the archive grows now; null where that is not known, or where retention or max-bytes take ' +
        'effect before.',
    }),
    retention: Type.Object(
      {
        seconds: Type.Union([Type.Number(), Type.Null()], {
          description: 'As --archive-retention says; null: without limit.',
        }),
        own: Type.Array(Type.Object({ seconds: Type.Number(), objects: Type.Integer() }, closed), {
          description:
            'Ages of their own, by properties.archRetention, and how many objects have them; the longest first.',
        }),
      },
      { title: 'ArchiveRetention', description: 'How long records are stored.', ...closed },
    ),
    growth: Type.Union(
      [
        Type.Object(
          {
            'bytes-per-day': Type.Integer({ description: 'Without what expires.' }),
            'records-per-day': Type.Integer(),
            seconds: Type.Integer({ description: 'Over how long that was measured: up to a day.' }),
          },
          { title: 'ArchiveGrowth', ...closed },
        ),
        Type.Null(),
      ],
      { description: 'By the records of the last day, or of what there is of it; null where that is too little.' },
    ),
    blocks: Type.Integer({ description: 'Files of records that are no longer in the journal.' }),
    unmerged: Type.Integer({ description: 'Of these, files that a merge would still take together.' }),
    first: OptionalTime,
    last: OptionalTime,
    astray: Type.Integer({ description: 'Records of a wrong clock: before 2000, or over a day ahead when they came.' }),
    'astray-names': Type.Array(Type.String(), {
      description: 'Whose records these are, such as measurements/level: the first thousand since the start.',
    }),
    'clock-jumps': Type.Array(ClockJump, { description: 'The newest hundred since the start.' }),
    damages: Type.Array(ArchiveDamage),
  },
  strict('ArchiveStats'),
);
export type ArchiveStats = Static<typeof ArchiveStats>;

export const ArchiveProgress = Type.Object(
  {
    'done-bytes': Type.Integer(),
    'total-bytes': Type.Integer(),
    done: Type.Optional(Type.Literal(true, { description: 'The last line has it.' })),
    damages: Type.Optional(Type.Array(ArchiveDamage)),
  },
  { title: 'ArchiveProgress', description: 'One JSON text a line.', ...closed },
);
export type ArchiveProgress = Static<typeof ArchiveProgress>;
