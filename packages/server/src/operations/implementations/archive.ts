// Carries out what is asked of the archive.
import { columnsType, csvType, type InputOf, ProblemError } from '@telltale/schema';
import type { Kind, RecordForm } from '../../archive/index.ts';
import type { Lease } from '../../points/index.ts';
import { type ArchiveOperations, progressPages, type ReadOptions, visitorOf } from '../archive/index.ts';
import type { PagesReply } from '../replies.ts';
import type { Asked, AskedWithBody, Implementations } from './implementation.ts';

type Names = Extract<keyof Implementations, `${string}Archive${string}`>;
type Interval = InputOf<'eraseAlarmArchive'>;
type Several = InputOf<'readAlarmArchives'>;

const forms: ReadonlyMap<string, RecordForm> = new Map([
  [csvType, 'csv'],
  [columnsType, 'binary'],
]);

export function archive(operations: ArchiveOperations): Pick<Implementations, Names> {
  const readOne =
    (kind: Kind, activeOnly = false) =>
    ({ name, t_since: since, t_until: until, ...options }: Interval & ReadOptions, asked: Asked) => {
      if (kind === 'alarms' && options.aggregate !== undefined) {
        throw new ProblemError('invalid-query', 'aggregate does not apply to alarms.');
      }
      const interval = operations.interval(since, until);
      return pagesOf(operations.readOne(name, { ...readingOf(kind, asked), options, interval, activeOnly }));
    };
  const readMany =
    (kind: Kind) =>
    ({ names, t_since: since, t_until: until, ...options }: Several & ReadOptions, asked: Asked) => {
      const interval = operations.interval(since, until);
      return pagesOf(operations.readMany(names, { ...readingOf(kind, asked), options, interval }));
    };
  const erase =
    (kind: Kind) =>
    ({ name, t_since: since, t_until: until }: Interval) =>
      operations.erase(kind, name, operations.interval(since, until));
  const backfill =
    (kind: 'measurements' | 'commands') =>
    async ({ name }: { name: string }, { stream, bodyType, signal, ...asked }: AskedWithBody) => {
      const key = { kind, name, datatype: await operations.datatypeOf(kind, name) };
      await operations.import({ ...visitorOf(asked), key, type: bodyType, body: stream, signal: signal() });
    };
  return {
    readMeasurementArchive: readOne('measurements'),
    readMeasurementArchives: readMany('measurements'),
    listMeasurementArchiveNames: () => operations.names('measurements'),
    eraseMeasurementArchive: erase('measurements'),
    backfillMeasurementArchive: backfill('measurements'),
    readCommandArchive: readOne('commands'),
    readCommandArchives: readMany('commands'),
    listCommandArchiveNames: () => operations.names('commands'),
    eraseCommandArchive: erase('commands'),
    backfillCommandArchive: backfill('commands'),
    readAlarmArchive: readOne('alarms'),
    readAlarmArchives: readMany('alarms'),
    listAlarmArchiveNames: () => operations.names('alarms'),
    readActiveAlarmArchive: readOne('alarms', true),
    eraseAlarmArchive: erase('alarms'),
    eraseActiveAlarmArchive: erase('alarms'),
    getArchiveStats: () => operations.stats(),
    checkArchive: () => progressPages(operations.check()),
    compactArchive: () => progressPages(operations.compact()),
  };
}

function readingOf(kind: Kind, { type, signal, ...asked }: Asked) {
  return { kind, form: forms.get(type) ?? 'json', reader: { ...visitorOf(asked), signal: signal() } } as const;
}

/** A short answer goes out as a whole, with its length. */
async function pagesOf(asked: ReturnType<ArchiveOperations['readOne']>): Promise<PagesReply | Lease> {
  const reading = await asked;
  return reading.takeWhole() ?? { pages: reading, cancel: () => reading.cancel() };
}
