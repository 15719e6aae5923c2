// Operations on the archive: reads, erasing, backfill, and its maintenance.
import Type, { type TSchema } from 'typebox';
import {
  AlarmArchive,
  ArchiveProgress,
  ArchiveStats,
  ArchiveTime,
  alarmArchiveOptions,
  archiveOptions,
  CommandArchive,
  CommandRecord,
  columnsType,
  csvType,
  MeasurementArchive,
  MeasurementRecord,
  ndjsonType,
} from '../archive.ts';
import { name, names } from './inputs.ts';
import { declare, done, json, jsonType } from './operation.ts';

const tag = 'Archive';
const reads = { action: 'read', resource: 'archive' } as const;
const erases = { action: 'erase', resource: 'archive' } as const;
const imports = { action: 'import', resource: 'archive' } as const;
const maintains = { action: 'maintain', resource: 'archive' } as const;

/** In a path, times are digits: a double would not hold every microsecond. */
const interval = { t_since: Type.String(), t_until: Type.String() };
const times = { t_since: ArchiveTime, t_until: Type.Optional(ArchiveTime) };

const measurement = 'the measurement, configured or in the archive';
const command = 'the command, configured or in the archive';
const alarm = 'the alarm, configured or in the archive';

const ofReads = ['invalid-interval', 'not-acceptable', 'overloaded', 'storage-failed'] as const;
const ofErasing = ['invalid-name', 'unknown-object', 'invalid-interval', 'storage-failed', 'disk-failing'] as const;
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
const gone = done('They are gone, and will be after a restart.');
const stored = done('All of them are on disk.');
const progress = {
  status: 200,
  description: 'How far it has come, a line of JSON each; the last one has done.',
  type: ndjsonType,
  schema: ArchiveProgress,
} as const;

const backfill = (record: TSchema) =>
  ({
    types: [jsonType, csvType],
    schema: Type.Array(record),
    isStreamed: true,
    limit: 'max-backfill-size',
  }) as const;

export const archiveOperations = {
  readMeasurementArchive: declare({
    tag,
    summary: 'Records of one measurement from t_since until before t_until, in time order',
    effect: reads,
    audited: false,
    input: { ...name, ...interval, ...archiveOptions },
    problems: [...ofReads, 'unknown-object'],
    http: {
      method: 'GET',
      path: '/data/archive/measurements/:name/:t_since/:t_until',
      names: measurement,
      answer: records(MeasurementArchive),
    },
  }),
  readMeasurementArchives: declare({
    tag,
    summary: 'Records of several measurements, or of all there are; unknown names are left out',
    effect: reads,
    audited: false,
    input: { ...names, ...times, ...archiveOptions },
    problems: [...ofReads, 'too-many-names'],
    http: { method: 'GET', path: '/data/archive/measurements', answer: records(MeasurementArchive) },
  }),
  listMeasurementArchiveNames: declare({
    tag,
    summary: 'The names of the measurements of which the archive has records, deleted ones included',
    effect: reads,
    audited: false,
    input: {},
    problems: ['storage-failed'],
    http: { method: 'GET', path: '/data/archive/measurements/names', answer: namesOfSeries },
  }),
  eraseMeasurementArchive: declare({
    tag,
    summary: 'Erase the records of one measurement in the interval',
    effect: erases,
    audited: true,
    input: { ...name, ...interval },
    problems: ofErasing,
    http: {
      method: 'DELETE',
      path: '/data/archive/measurements/:name/:t_since/:t_until',
      names: measurement,
      answer: gone,
    },
  }),
  readCommandArchive: declare({
    tag,
    summary: 'Records of one command from t_since until before t_until, in time order',
    effect: reads,
    audited: false,
    input: { ...name, ...interval, ...archiveOptions },
    problems: [...ofReads, 'unknown-object'],
    http: {
      method: 'GET',
      path: '/data/archive/commands/:name/:t_since/:t_until',
      names: command,
      answer: records(CommandArchive),
    },
  }),
  readCommandArchives: declare({
    tag,
    summary: 'Records of several commands, or of all there are; unknown names are left out',
    effect: reads,
    audited: false,
    input: { ...names, ...times, ...archiveOptions },
    problems: [...ofReads, 'too-many-names'],
    http: { method: 'GET', path: '/data/archive/commands', answer: records(CommandArchive) },
  }),
  listCommandArchiveNames: declare({
    tag,
    summary: 'The names of the commands of which the archive has records, deleted ones included',
    effect: reads,
    audited: false,
    input: {},
    problems: ['storage-failed'],
    http: { method: 'GET', path: '/data/archive/commands/names', answer: namesOfSeries },
  }),
  eraseCommandArchive: declare({
    tag,
    summary: 'Erase the records of one command in the interval',
    effect: erases,
    audited: true,
    input: { ...name, ...interval },
    problems: ofErasing,
    http: {
      method: 'DELETE',
      path: '/data/archive/commands/:name/:t_since/:t_until',
      names: command,
      answer: gone,
    },
  }),
  readAlarmArchive: declare({
    tag,
    summary: 'Records of one alarm from t_since until before t_until, in time order',
    effect: reads,
    audited: false,
    input: { ...name, ...interval, ...alarmArchiveOptions },
    problems: [...ofReads, 'unknown-object'],
    http: {
      method: 'GET',
      path: '/data/archive/alarms/:name/:t_since/:t_until',
      names: alarm,
      answer: records(AlarmArchive),
    },
  }),
  readAlarmArchives: declare({
    tag,
    summary: 'Records of several alarms, or of all there are; unknown names are left out',
    effect: reads,
    audited: false,
    input: { ...names, ...times, ...alarmArchiveOptions },
    problems: [...ofReads, 'too-many-names'],
    http: { method: 'GET', path: '/data/archive/alarms', answer: records(AlarmArchive) },
  }),
  listAlarmArchiveNames: declare({
    tag,
    summary: 'The names of the alarms of which the archive has records, deleted ones included',
    effect: reads,
    audited: false,
    input: {},
    problems: ['storage-failed'],
    http: { method: 'GET', path: '/data/archive/alarms/names', answer: namesOfSeries },
  }),
  readActiveAlarmArchive: declare({
    tag,
    summary: 'Transitions of one alarm into an active state',
    effect: reads,
    audited: false,
    input: { ...name, ...interval, ...alarmArchiveOptions },
    problems: [...ofReads, 'unknown-object'],
    http: {
      method: 'GET',
      path: '/data/archive/alarms/:name/active/:t_since/:t_until',
      names: alarm,
      answer: records(AlarmArchive),
    },
  }),
  eraseAlarmArchive: declare({
    tag,
    summary: 'Erase the records of one alarm in the interval',
    effect: erases,
    audited: true,
    input: { ...name, ...interval },
    problems: ofErasing,
    http: { method: 'DELETE', path: '/data/archive/alarms/:name/:t_since/:t_until', names: alarm, answer: gone },
  }),
  eraseActiveAlarmArchive: declare({
    tag,
    summary: 'Erase the records of one alarm in the interval, all of them',
    effect: erases,
    audited: true,
    input: { ...name, ...interval },
    problems: ofErasing,
    http: { method: 'DELETE', path: '/data/archive/alarms/:name/active/:t_since/:t_until', names: alarm, answer: gone },
  }),
  backfillMeasurementArchive: declare({
    tag,
    summary: 'Add records from elsewhere, in any order; one at the time of another takes its place',
    effect: imports,
    audited: true,
    input: name,
    problems: ofBackfill,
    http: {
      method: 'POST',
      path: '/data/archive/measurements/:name',
      names: measurement,
      body: backfill(MeasurementRecord),
      answer: stored,
    },
  }),
  backfillCommandArchive: declare({
    tag,
    summary: 'Add records from elsewhere, in any order; one at the time of another takes its place',
    effect: imports,
    audited: true,
    input: name,
    problems: ofBackfill,
    http: {
      method: 'POST',
      path: '/data/archive/commands/:name',
      names: command,
      body: backfill(CommandRecord),
      answer: stored,
    },
  }),
  getArchiveStats: declare({
    tag,
    summary: 'How much the archive has, and what is damaged',
    effect: reads,
    audited: false,
    input: {},
    problems: ['storage-failed'],
    http: { method: 'GET', path: '/data/archive/stats', answer: json('The figures.', ArchiveStats) },
  }),
  checkArchive: declare({
    tag,
    summary: 'Read everything and compare checksums',
    effect: maintains,
    audited: true,
    input: {},
    problems: ['storage-failed'],
    http: { method: 'POST', path: '/data/archive/check', answer: progress },
  }),
  compactArchive: declare({
    tag,
    summary: 'Merge files, and give back the space of what was erased or has expired',
    effect: maintains,
    audited: true,
    input: {},
    problems: ['storage-failed'],
    http: { method: 'POST', path: '/data/archive/compact', answer: progress },
  }),
};
