// The HTTP interface of the archive, version 1: reads, erasing, backfill, and its care.
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
  type ProblemName,
} from '@telltale/schema';
import Type, { type TSchema } from 'typebox';
import { type Kind, kinds, type RecordForm } from '../../archive/index.ts';
import type { Lease } from '../../points/index.ts';
import { NamesParameter, readNames } from '../read-list.ts';
import { type Call, jsonType, type PagesReply, type Route, type RouteAnswer } from '../route.ts';
import type { ArchiveOperations, ReadCall, ReadOptions } from './archive-operations.ts';
import { progressPages } from './archive-wire.ts';
import { visitorOf } from './visitor-of.ts';

export interface ArchiveRoutesOptions {
  readonly base: string;
  readonly archive: ArchiveOperations;
  readonly maxBackfillBytes: number;
}

const tag = 'Archive';
const closed = { additionalProperties: false } as const;

const schemas: Readonly<Record<Kind, TSchema>> = {
  measurements: MeasurementArchive,
  commands: CommandArchive,
  alarms: AlarmArchive,
};

const optionsOf: Readonly<Record<Kind, Record<string, TSchema>>> = {
  measurements: archiveOptions,
  commands: archiveOptions,
  alarms: alarmArchiveOptions,
};

const forms: ReadonlyMap<string, RecordForm> = new Map([
  [jsonType, 'json'],
  [csvType, 'csv'],
  [columnsType, 'binary'],
]);

const ofReads: readonly ProblemName[] = ['invalid-interval', 'not-acceptable', 'overloaded', 'storage-failed'];
const inTheArchive = (kind: Kind) => `the ${kind.slice(0, -1)}, configured or in the archive`;

export function archiveRoutes(options: ArchiveRoutesOptions): Route[] {
  return [
    ...kinds.flatMap((kind) => [...readRoutes(options, kind), eraseRoute(options, kind, '')]),
    eraseRoute(options, 'alarms', '/active'),
    ...(['measurements', 'commands'] as const).map((kind) => backfillRoute(options, kind)),
    ...careRoutes(options),
  ];
}

function readRoutes({ base, archive }: ArchiveRoutesOptions, kind: Kind): Route[] {
  const path = `${base}/archive/${kind}`;
  const title = titleOf(kind);
  const answer = answerOf(kind);
  const query = Type.Object(optionsOf[kind], closed);
  const readOne = (activeOnly: boolean) => async (call: Call) => {
    const interval = archive.interval(call.tSince, call.tUntil);
    return pagesOf(archive.readOne(call.name, { ...readCall(kind, call), interval, activeOnly }));
  };
  const one = { method: 'GET', tag, names: inTheArchive(kind), query, answer } as const;
  const problems: readonly ProblemName[] = [...ofReads, 'unknown-object'];
  const routes: Route[] = [
    {
      ...one,
      path: `${path}/:name/:t_since/:t_until`,
      id: `read${title}Archive`,
      summary: `Records of one ${kind.slice(0, -1)} from t_since until before t_until, in time order`,
      problems,
      handle: readOne(false),
    },
    {
      method: 'GET',
      path,
      id: `read${title}Archives`,
      tag,
      summary: `Records of several ${kind}, or of all there are; unknown names are left out`,
      query: Type.Object(
        { names: NamesParameter, t_since: ArchiveTime, t_until: Type.Optional(ArchiveTime), ...optionsOf[kind] },
        closed,
      ),
      answer,
      problems: [...ofReads, 'too-many-names'],
      handle: async (call) => {
        const { names, t_since: since, t_until: until } = call.query;
        const interval = archive.intervalOf(since as number, until as number | undefined);
        const wanted = readNames(names as string | undefined);
        return pagesOf(archive.readMany(wanted, { ...readCall(kind, call), interval }));
      },
    },
    {
      method: 'GET',
      path: `${path}/names`,
      id: `list${title}ArchiveNames`,
      tag,
      summary: `The names of the ${kind} of which the archive has records, deleted ones included`,
      answer: { status: 200, description: 'Sorted.', type: jsonType, schema: Type.Array(Type.String()) },
      problems: ['storage-failed'],
      handle: () => archive.names(kind),
    },
  ];
  if (kind !== 'alarms') return routes;
  return [
    ...routes,
    {
      ...one,
      path: `${path}/:name/active/:t_since/:t_until`,
      id: 'readActiveAlarmArchive',
      summary: 'Transitions of one alarm into an active state',
      problems,
      handle: readOne(true),
    },
  ];
}

function eraseRoute({ base, archive }: ArchiveRoutesOptions, kind: Kind, part: '' | '/active'): Route {
  const title = titleOf(kind);
  return {
    method: 'DELETE',
    path: `${base}/archive/${kind}/:name${part}/:t_since/:t_until`,
    id: part === '' ? `erase${title}Archive` : `eraseActive${title}Archive`,
    tag,
    summary:
      part === ''
        ? `Erase the records of one ${kind.slice(0, -1)} in the interval`
        : 'Erase the records of one alarm in the interval, all of them',
    names: inTheArchive(kind),
    answer: { status: 204, description: 'They are gone, and will be after a restart.' },
    problems: ['invalid-name', 'unknown-object', 'invalid-interval', 'storage-failed', 'disk-failing'],
    handle: ({ name, tSince, tUntil }) => archive.erase(kind, name, archive.interval(tSince, tUntil)),
  };
}

function backfillRoute(options: ArchiveRoutesOptions, kind: 'measurements' | 'commands'): Route {
  const { base, archive, maxBackfillBytes } = options;
  const record = kind === 'measurements' ? MeasurementRecord : CommandRecord;
  return {
    method: 'POST',
    path: `${base}/archive/${kind}/:name`,
    id: `backfill${titleOf(kind)}Archive`,
    tag,
    summary: 'Add records from elsewhere, in any order; one at the time of another takes its place',
    names: inTheArchive(kind),
    body: {
      types: [jsonType, csvType],
      schema: Type.Array(record),
      isStreamed: true,
      maxBytes: maxBackfillBytes,
      setting: '--max-backfill-size',
    },
    answer: { status: 204, description: 'All of them are on disk.' },
    problems: [
      'invalid-name',
      'unknown-object',
      'invalid-record',
      'malformed-json',
      'json-too-deep',
      'json-too-large',
      'malformed-csv',
      'storage-failed',
      'disk-failing',
    ],
    handle: async ({ name, stream, bodyType, signal, ...call }) => {
      const datatype = await archive.datatypeOf(kind, name);
      const key = { kind, name, datatype };
      await archive.import({ ...visitorOf(call), key, type: bodyType, body: stream, signal: signal() });
    },
  };
}

function careRoutes({ base, archive }: ArchiveRoutesOptions): Route[] {
  const path = `${base}/archive`;
  const progress: RouteAnswer = {
    status: 200,
    description: 'How far it has come, a line of JSON each; the last one has done.',
    type: ndjsonType,
    schema: ArchiveProgress,
  };
  return [
    {
      method: 'GET',
      path: `${path}/stats`,
      id: 'getArchiveStats',
      tag,
      summary: 'How much the archive has, and what is damaged',
      answer: { status: 200, description: 'The figures.', type: jsonType, schema: ArchiveStats },
      problems: ['storage-failed'],
      handle: () => archive.stats(),
    },
    {
      method: 'POST',
      path: `${path}/check`,
      id: 'checkArchive',
      tag,
      summary: 'Read everything and compare checksums',
      answer: progress,
      problems: ['storage-failed'],
      handle: () => progressPages(archive.check()),
    },
    {
      method: 'POST',
      path: `${path}/compact`,
      id: 'compactArchive',
      tag,
      summary: 'Merge files, and give back the space of what was erased or has expired',
      answer: progress,
      problems: ['storage-failed'],
      handle: () => progressPages(archive.compact()),
    },
  ];
}

function answerOf(kind: Kind): RouteAnswer {
  return {
    status: 200,
    description: 'From name to records, in time order; as CSV one record a line, as columns in frames.',
    type: jsonType,
    otherTypes: [csvType, columnsType],
    schema: schemas[kind],
  };
}

function readCall(kind: Kind, { type, query, signal, ...call }: Call): Omit<ReadCall, 'interval'> {
  const reader = { ...visitorOf(call), signal: signal() };
  return { kind, form: forms.get(type) ?? 'json', options: query as ReadOptions, reader };
}

/** A short answer goes out as a whole, with its length. */
async function pagesOf(asked: ReturnType<ArchiveOperations['readOne']>): Promise<PagesReply | Lease> {
  const reading = await asked;
  return reading.takeWhole() ?? { pages: reading, cancel: () => reading.cancel() };
}

/** `measurements` as a part of an id: `Measurement`. */
function titleOf(kind: Kind): string {
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1, -1)}`;
}
