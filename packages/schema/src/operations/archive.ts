// Operations on the archive: reads, erasing, backfill, and its maintenance.
import Type, { type TSchema } from 'typebox';
import {
  AlarmArchive,
  AlarmRecord,
  AlarmTransitions,
  ArchiveProgress,
  ArchiveStats,
  ArchiveTime,
  alarmArchiveOptions,
  archiveOptions,
  CommandArchive,
  CommandBucket,
  CommandRecord,
  MeasurementArchive,
  MeasurementBucket,
  MeasurementRecord,
} from '../archive.ts';
import { type ArchiveKind, archiveKinds } from '../archive-words.ts';
import { AlarmState } from '../data-access.ts';
import { columnsType, csvType, jsonType, ndjsonType } from '../media-types.ts';
import { Comment } from '../revision.ts';
import { maxSearchLength } from '../selector.ts';
import { selectorInputs } from '../selector-inputs.ts';
import { Name } from './channel-fields.ts';
import { name, namesOrPatterns } from './inputs.ts';
import { type ChannelForm, changes, declare, done, json, reads } from './operation.ts';

const archive = { tag: 'Archive', resource: 'archive' } as const;

/** In a path, times are digits: a double would not hold every microsecond. */
const End = Type.Union([Type.String(), ArchiveTime]);
const interval = { t_since: End, t_until: End };
const times = { t_since: ArchiveTime, t_until: Type.Optional(ArchiveTime) };

const measurement = 'the measurement, configured or in the archive';
const command = 'the command, configured or in the archive';
const alarm = 'the alarm, configured or in the archive';

const ofReads = ['invalid-interval', 'not-acceptable', 'overloaded', 'storage-failed'] as const;
/** Kept in the audit trail; the service may want one. */
const reason = { reason: Type.Optional(Comment) };
const ofErasing = [
  'invalid-name',
  'unknown-object',
  'invalid-interval',
  'reason-needed',
  'signature-needed',
  'storage-failed',
  'disk-failing',
] as const;
const ofBackfill = [
  'invalid-name',
  'unknown-object',
  'invalid-record',
  'malformed-json',
  'json-too-deep',
  'json-too-large',
  'malformed-csv',
  'storage-failed',
  'disk-failing',
] as const;

const records = (schema: TSchema) => ({
  ...json('From name to records, in time order; as CSV one record a line, as columns in frames.', schema),
  otherTypes: [csvType, columnsType],
});
const namesOfSeries = json('Sorted.', Type.Array(Type.String()));
const gone = done('They are erased, on disk.');
const stored = done('All of them are on disk.');
const progress = {
  status: 200,
  description: 'How far it has come, a line of JSON each; the last one has done.',
  type: ndjsonType,
  schema: ArchiveProgress,
} as const;

/** Of a message, in which times are numbers. */
const ofOne = {
  archive: Type.Enum([...archiveKinds], { type: 'string' }),
  name: Name,
  t_since: ArchiveTime,
  t_until: ArchiveTime,
};

const readArchive = {
  request: 'ReadArchive',
  summary:
    'Reads the records of an interval, in time order, as GET /archive/:archive/:name/:t_since/:t_until does. An answer ' +
    'of more than 32 MiB is refused; over HTTP there is no limit.',
  fields: {
    ...ofOne,
    ...archiveOptions,
    active: Type.Optional(Type.Boolean({ description: 'Of alarms: only transitions into an active state.' })),
  },
  answer: {
    records: Type.Array(Type.Union([MeasurementRecord, CommandRecord, AlarmRecord, MeasurementBucket, CommandBucket])),
  },
} as const;

const eraseArchive = {
  request: 'EraseArchive',
  summary: 'Erases the records of an interval, as DELETE /archive/:archive/:name/:t_since/:t_until does.',
  fields: { ...ofOne, ...reason },
} as const;

interface Meant {
  readonly archive: ArchiveKind;
  readonly active?: true;
}

const readOne = <const Options extends Record<string, TSchema>>(
  path: string,
  names: string,
  options: Options,
  schema: TSchema,
  summary: string,
  when: Meant,
) =>
  declare({
    ...reads(archive, 'view'),
    summary,
    input: { ...name, ...interval, ...options },
    problems: [...ofReads, 'unknown-object'],
    http: { method: 'GET', path, names, answer: records(schema) },
    channel: [{ ...readArchive, when: { ...when } }],
  });

const readSeveral = <const Options extends Record<string, TSchema>, Criteria extends Record<string, TSchema>>(
  path: string,
  many: string,
  options: Options,
  schema: TSchema,
  criteria: Criteria,
) =>
  declare({
    ...reads(archive, 'view'),
    summary: `Read the records of the selected ${many}, or of all; unknown names are left out`,
    input: { ...namesOrPatterns, ...criteria, ...times, ...options },
    problems: [...ofReads],
    http: { method: 'GET', path, answer: records(schema) },
  });

const listNames = (path: string, many: string) =>
  declare({
    ...reads(archive, 'view'),
    summary: `List the names of the ${many} with records in the archive, including deleted ones`,
    input: {},
    problems: ['storage-failed'],
    http: { method: 'GET', path, answer: namesOfSeries },
  });

const erase = <const Forms extends readonly ChannelForm[]>(
  path: string,
  names: string,
  summary: string,
  ...forms: Forms
) =>
  declare({
    ...changes(archive, 'erase', 'erase-archive'),
    summary,
    input: { ...name, ...interval, ...reason },
    problems: ofErasing,
    http: { method: 'DELETE', path, names, answer: gone },
    channel: forms,
  });

const backfill = (path: string, names: string, record: TSchema) =>
  declare({
    ...changes(archive, 'import', 'import-archive'),
    summary: 'Import records, in any order; a record replaces an earlier one with the same time',
    input: name,
    problems: ofBackfill,
    http: {
      method: 'POST',
      path,
      names,
      body: { types: [jsonType, csvType], schema: Type.Array(record), isStreamed: true, limit: 'max-backfill-size' },
      answer: stored,
    },
  });

const recordsOf = (one: string) => `Read the records of one ${one} from t_since until before t_until, in time order`;
const eraseOf = (one: string) => `Erase the records of one ${one} in an interval`;

export const archiveOperations = {
  readMeasurementArchive: readOne(
    '/data/archive/measurements/:name/:t_since/:t_until',
    measurement,
    archiveOptions,
    MeasurementArchive,
    recordsOf('measurement'),
    { archive: 'measurements' },
  ),
  readMeasurementArchives: readSeveral(
    '/data/archive/measurements',
    'measurements',
    archiveOptions,
    MeasurementArchive,
    selectorInputs.commands,
  ),
  listMeasurementArchiveNames: listNames('/data/archive/measurements/names', 'measurements'),
  eraseMeasurementArchive: erase(
    '/data/archive/measurements/:name/:t_since/:t_until',
    measurement,
    eraseOf('measurement'),
    { ...eraseArchive, when: { archive: 'measurements' } },
  ),
  readCommandArchive: readOne(
    '/data/archive/commands/:name/:t_since/:t_until',
    command,
    archiveOptions,
    CommandArchive,
    recordsOf('command'),
    { archive: 'commands' },
  ),
  readCommandArchives: readSeveral(
    '/data/archive/commands',
    'commands',
    archiveOptions,
    CommandArchive,
    selectorInputs.commands,
  ),
  listCommandArchiveNames: listNames('/data/archive/commands/names', 'commands'),
  eraseCommandArchive: erase('/data/archive/commands/:name/:t_since/:t_until', command, eraseOf('command'), {
    ...eraseArchive,
    when: { archive: 'commands' },
  }),
  readAlarmArchive: readOne(
    '/data/archive/alarms/:name/:t_since/:t_until',
    alarm,
    alarmArchiveOptions,
    AlarmArchive,
    recordsOf('alarm'),
    { archive: 'alarms' },
  ),
  readAlarmArchives: readSeveral(
    '/data/archive/alarms',
    'alarms',
    alarmArchiveOptions,
    AlarmArchive,
    selectorInputs.alarms,
  ),
  listAlarmTransitions: declare({
    ...reads(archive, 'view'),
    summary: 'List the transitions of all alarms, or of those that are selected, the newest first, a page at a time',
    input: {
      ...namesOrPatterns,
      ...selectorInputs.alarms,
      search: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: maxSearchLength,
          description:
            'Only those with these words in the name of the alarm or in their description, in whatever case.',
        }),
      ),
      severity: Type.Optional(
        Type.Integer({ minimum: 0, description: 'Only those of alarms that are configured with this severity.' }),
      ),
      state: Type.Optional(
        Type.Array(AlarmState, { description: 'Only those that led to one of these states, comma-separated.' }),
      ),
      ...times,
      simulated: alarmArchiveOptions.simulated,
      before: Type.Optional(
        Type.String({
          maxLength: 100,
          description: 'Only those behind the ones before: next of the page before.',
          examples: ['1893456000000000.inlet_turbidity_high.1'],
        }),
      ),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 10_000, description: 'Of a page. Default: 100.', examples: [200] }),
      ),
    },
    problems: [...ofReads],
    http: { method: 'GET', path: '/data/archive/alarms/transitions', answer: json('A page.', AlarmTransitions) },
  }),
  listAlarmArchiveNames: listNames('/data/archive/alarms/names', 'alarms'),
  readActiveAlarmArchive: readOne(
    '/data/archive/alarms/:name/active/:t_since/:t_until',
    alarm,
    alarmArchiveOptions,
    AlarmArchive,
    'Read the transitions of one alarm into an active state',
    { archive: 'alarms', active: true },
  ),
  eraseAlarmArchive: erase('/data/archive/alarms/:name/:t_since/:t_until', alarm, eraseOf('alarm'), {
    ...eraseArchive,
    when: { archive: 'alarms' },
  }),
  eraseActiveAlarmArchive: erase(
    '/data/archive/alarms/:name/active/:t_since/:t_until',
    alarm,
    'Erase all records of one alarm in an interval, not only transitions into an active state',
  ),
  backfillMeasurementArchive: backfill('/data/archive/measurements/:name', measurement, MeasurementRecord),
  backfillCommandArchive: backfill('/data/archive/commands/:name', command, CommandRecord),
  getArchiveStats: declare({
    ...reads(archive, 'view'),
    summary: 'Get the size of the archive, and what is damaged',
    input: {},
    problems: ['storage-failed'],
    http: { method: 'GET', path: '/data/archive/stats', answer: json('The figures.', ArchiveStats) },
  }),
  checkArchive: declare({
    ...changes(archive, 'maintain', 'configure'),
    summary: 'Check the archive: read all files and compare checksums',
    input: {},
    problems: ['storage-failed'],
    http: { method: 'POST', path: '/data/archive/check', answer: progress },
  }),
  compactArchive: declare({
    ...changes(archive, 'maintain', 'configure'),
    summary: 'Compact the archive: merge files, and free the space of erased and expired records',
    input: {},
    problems: ['storage-failed'],
    http: { method: 'POST', path: '/data/archive/compact', answer: progress },
  }),
};
