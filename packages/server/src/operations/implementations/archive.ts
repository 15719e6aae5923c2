// Implements the operations of the archive.
import {
  type Aggregate,
  aggregates,
  type Clock,
  calendarSteps,
  checkSelector,
  columnsType,
  csvType,
  type Datatype,
  durationForms,
  hasCriteria,
  type InputOf,
  invalidQuery,
  isAggregate,
  isIdentifier,
  isSelective,
  knownTimeZone,
  nameMatcher,
  type Permission,
  ProblemError,
  parseDuration,
  type Selector,
  searchWords,
} from '@telltale/schema';
import { type Caller, checkEverywhere, notAllowed } from '../../access/index.ts';
import {
  type ArchiveAccess,
  type ArchiveReading,
  type Archiving,
  type Kind,
  type RecordForm,
  readPlace,
  type TransitionPlace,
} from '../../archive/index.ts';
import type { Lease } from '../../points/index.ts';
import {
  type ArchiveStorage,
  type Imports,
  type Interval,
  progressPages,
  readInterval,
  statsOnWire,
  visitorOf,
} from '../archive/index.ts';
import type { LiveData } from '../data/index.ts';
import type { PagesReply } from '../replies.ts';
import type { Asked, AskedWithBody, Implementations } from './implementation.ts';

export interface ArchiveReadParts {
  readonly archive: ArchiveReading;
  readonly data: Pick<LiveData, Kind | 'selectedNames'>;
  readonly clock: Clock;
}

export interface ArchiveParts extends ArchiveReadParts {
  readonly archive: ArchiveAccess;
  readonly archiving: Pick<Archiving, 'stats'>;
  readonly imports: Pick<Imports, 'import'>;
  readonly storage: () => Promise<ArchiveStorage>;
}

type NameAndTimes = InputOf<'eraseAlarmArchive'>;
type Times = Pick<InputOf<'readAlarmArchives'>, 't_since' | 't_until'>;
/** Those of alarms are fewer. */
type ReadOptions = Omit<InputOf<'readMeasurementArchive'>, keyof NameAndTimes>;

interface Query {
  readonly names: string[];
  /** Those of them that are configured, or in the archive. */
  readonly known: string[];
  readonly interval: Interval;
  readonly options: ReturnType<typeof choiceOf>;
  /** Of alarms: transitions into an active state alone. */
  readonly activeOnly?: boolean;
  /** Records of the point itself: aggregates may have other units. */
  readonly isOfValues: boolean;
}

const maxUnitLength = 80;
/** Of a page of transitions. */
const defaultTransitions = 100;

const forms: ReadonlyMap<string, RecordForm> = new Map([
  [csvType, 'csv'],
  [columnsType, 'binary'],
]);

/** What reads it alone. */
export function archiveReads(parts: ArchiveReadParts) {
  return readingOf(parts).operations;
}

function readingOf({ archive, data, clock }: ArchiveReadParts) {
  /** Of numbers, or of digits in a path; without an end, until now. */
  const intervalOf = (since: string | number, until: string | number = 0) => readInterval(since, until, clock.now());

  /** What is not configured is in no area. */
  const areaOf = (kind: Kind, name: string) => data[kind].definitionAt(data[kind].find(name))?.area;
  const isSeen = (kind: Kind, { rights }: Caller) => {
    return rights.everywhere('view') ? () => true : (name: string) => rights.on('view', name, areaOf(kind, name));
  };

  /** Throws where the caller sees no such series, as where there is none, or may not do this to it. */
  const check = async (kind: Kind, name: string, caller: Caller, permission: Permission): Promise<void> => {
    if (!isSeen(kind, caller)(name)) refuse(kind, name);
    if (data[kind].find(name) < 0 && !(isIdentifier(name) && (await archive.has(kind, name)))) refuse(kind, name);
    if (!caller.rights.on(permission, name, areaOf(kind, name))) throw notAllowed(caller, permission, name);
  };

  const listNames =
    (kind: Kind) =>
    async (_: unknown, { caller }: Asked) =>
      (await archive.names(kind)).filter(isSeen(kind, caller));

  /** Of what is configured; of patterns and without any selector, also of what the archive alone has. */
  const selectedNames = async (kind: Kind, selector: Selector, { caller, signal }: Asked): Promise<string[]> => {
    const { names } = selector;
    const seen = isSeen(kind, caller);
    if (names !== undefined && !isSelective(selector)) return names.filter(seen);
    const gone = signal();
    const here = await data.selectedNames(kind, selector, { isWanted: () => !gone.aborted });
    if (hasCriteria(selector)) return here.filter(seen).sort();
    const isNamed = names === undefined ? () => true : nameMatcher(names);
    return [...here, ...(await archive.names(kind)).filter(isNamed)].filter(seen).sort();
  };

  /** Of the only point that is asked for. */
  const unitOf = (kind: Kind, names: readonly string[]): string | undefined => {
    const [name = ''] = names;
    if (kind === 'alarms' || names.length !== 1) return undefined;
    const points = data[kind];
    const handle = points.find(name);
    const eu = handle < 0 ? '' : (points.definitionOf(handle).eu ?? '');
    return eu === '' ? undefined : eu.slice(0, maxUnitLength);
  };

  /** A short answer goes out as a whole, with its length. */
  const read = async (kind: Kind, query: Query, { type, signal, ...asked }: Asked): Promise<PagesReply | Lease> => {
    const { names, known, interval, options, activeOnly } = query;
    const { sinceUs } = interval;
    const untilUs = foretells(options) ? Math.min(interval.untilUs, clock.now() + 1) : interval.untilUs;
    const form = forms.get(type) ?? 'json';
    const unit = query.isOfValues && form === 'csv' ? unitOf(kind, names) : undefined;
    const reader = { ...visitorOf(asked), signal: signal() };
    const result = await archive.read(
      { kind, names, known, sinceUs, untilUs, form, unit, ...options, activeOnly },
      reader,
    );
    return result.takeWhole() ?? { pages: result, cancel: () => result.cancel() };
  };

  const readOne =
    (kind: Kind, activeOnly = false) =>
    async ({ name, t_since: since, t_until: until, ...given }: NameAndTimes & ReadOptions, asked: Asked) => {
      if (kind === 'alarms' && given.aggregate !== undefined) {
        throw new ProblemError('invalid-query', 'aggregate does not apply to alarms.');
      }
      const interval = intervalOf(since, until);
      const options = choiceOf(given);
      await check(kind, name, asked.caller, 'view');
      const isOfValues = given.aggregate === undefined;
      return read(kind, { names: [name], known: [name], interval, options, activeOnly, isOfValues }, asked);
    };

  /** Each name once, in the order given, or else sorted; unknown ones are left out. Without a selector: all. */
  const readMany = (kind: Kind) => async (input: Selector & Times & ReadOptions, asked: Asked) => {
    const { names, area, connector, datatype, search, t_since: since, t_until: until, ...given } = input;
    const interval = intervalOf(since, until);
    const options = choiceOf(given);
    const selector = { names, area, connector, datatype, search };
    const wanted = [...new Set(await selectedNames(kind, selector, asked))];
    const known = wanted.filter((name) => data[kind].find(name) >= 0);
    const isOfValues = given.aggregate === undefined;
    return read(kind, { names: wanted, known, interval, options, isOfValues }, asked);
  };

  /** Criteria, severity among them, select from what is configured; words are looked for in the transitions. */
  const listTransitions = async (input: InputOf<'listAlarmTransitions'>, { signal, ...asked }: Asked) => {
    const { names, area, connector, search, severity, state, t_since: since, t_until: until, simulated } = input;
    const interval = intervalOf(since, until);
    const before = input.before === undefined ? undefined : placeIn(input.before);
    checkSelector({ search });
    const selected = await selectedNames('alarms', { names, area, connector }, { signal, ...asked });
    const isMeant = (name: string) => {
      return severity === undefined || data.alarms.definitionAt(data.alarms.find(name))?.severity === severity;
    };
    const request = {
      kind: 'alarms',
      names: [...new Set(selected)].filter(isMeant),
      known: [],
      ...interval,
      form: 'json',
      simulated: simulated === 'include' ? undefined : simulated,
      transitions: {
        limit: input.limit ?? defaultTransitions,
        before,
        states: state && new Set(state),
        words: search === undefined ? undefined : searchWords(search),
      },
    } as const;
    const result = await archive.read(request, { ...visitorOf(asked), signal: signal() });
    return result.takeWhole() ?? { pages: result, cancel: () => result.cancel() };
  };

  return {
    intervalOf,
    check,
    operations: {
      readMeasurementArchive: readOne('measurements'),
      readMeasurementArchives: readMany('measurements'),
      listMeasurementArchiveNames: listNames('measurements'),
      readCommandArchive: readOne('commands'),
      readCommandArchives: readMany('commands'),
      listCommandArchiveNames: listNames('commands'),
      readAlarmArchive: readOne('alarms'),
      readAlarmArchives: readMany('alarms'),
      listAlarmTransitions: listTransitions,
      listAlarmArchiveNames: listNames('alarms'),
      readActiveAlarmArchive: readOne('alarms', true),
    } satisfies Partial<Implementations>,
  };
}

export function archive({ archive, archiving, imports, data, clock, storage }: ArchiveParts) {
  const { operations, intervalOf, check } = readingOf({ archive, data, clock });

  const erase =
    (kind: Kind) =>
    async ({ name, t_since: since, t_until: until }: NameAndTimes, { caller, note }: Asked): Promise<void> => {
      const { sinceUs, untilUs } = intervalOf(since, until);
      note({ old: { since: sinceUs / 1e6, until: untilUs / 1e6 } }); // seconds: the end may be later than any record
      await check(kind, name, caller, 'erase-archive');
      await archive.erase(kind, name, sinceUs, untilUs);
    };

  /** What records of this name have: the datatype of the object, else of what the archive has of it. */
  const datatypeOf = async (kind: 'measurements' | 'commands', name: string): Promise<Datatype> => {
    const points = data[kind];
    const handle = points.find(name);
    const datatype = handle >= 0 ? points.datatypeOf(handle) : await archive.datatypeOf(kind, name);
    return datatype ?? refuse(kind, name);
  };

  const backfill =
    (kind: 'measurements' | 'commands') =>
    async ({ name }: { name: string }, { stream, bodyType, signal, ...asked }: AskedWithBody): Promise<void> => {
      await check(kind, name, asked.caller, 'import-archive');
      const key = { kind, name, datatype: await datatypeOf(kind, name) };
      await imports.import({ ...visitorOf(asked), key, type: bodyType, body: stream, signal: signal() });
    };

  return {
    ...operations,
    eraseMeasurementArchive: erase('measurements'),
    backfillMeasurementArchive: backfill('measurements'),
    eraseCommandArchive: erase('commands'),
    backfillCommandArchive: backfill('commands'),
    eraseAlarmArchive: erase('alarms'),
    eraseActiveAlarmArchive: erase('alarms'),
    getArchiveStats: async (_, { caller }) => {
      checkEverywhere(caller, 'view');
      return statsOnWire(await archive.stats(), archiving.stats(), await storage(), clock.now());
    },
    checkArchive: (_, { caller }) => {
      checkEverywhere(caller, 'configure');
      return progressPages(archive.check());
    },
    compactArchive: (_, { caller }) => {
      checkEverywhere(caller, 'configure');
      return progressPages(archive.compact());
    },
  } satisfies Partial<Implementations>;
}

function refuse(kind: Kind, name: string): never {
  const what = `${kind.slice(0, -1)} ${JSON.stringify(name.slice(0, 80))}`;
  throw new ProblemError('unknown-object', `There is no ${what}, and the archive has nothing of one.`);
}

function placeIn(before: string): TransitionPlace {
  const place = readPlace(before);
  if (place === undefined)
    throw invalidQuery('before', 'is not the next of a page; leave it out to begin with the newest');
  return place;
}

function choiceOf(options: ReadOptions) {
  const { resample, tz, aggregate, warp_head: warpHead, limit, 'max-points': maxPoints, flags } = options;
  const simulated = options.simulated === 'include' ? undefined : options.simulated;
  if (aggregate !== undefined && resample === undefined) throw invalidQuery('aggregate', 'goes with resample alone');
  if (maxPoints !== undefined && resample !== undefined) throw invalidQuery('max-points', 'does not go with resample');
  const step = calendarSteps.find((each) => each === resample);
  const resampleUs = step === undefined && resample !== undefined ? microsecondsOf(resample) : undefined;
  const calendar = step === undefined ? undefined : { step, zone: zoneOf(tz ?? 'UTC') };
  if (tz !== undefined && calendar === undefined) {
    throw invalidQuery('tz', `goes with buckets on the clock: write resample=${calendarSteps.join(' or ')}`);
  }
  const aggregates = aggregate === undefined ? undefined : aggregatesIn(aggregate);
  return { resampleUs, calendar, aggregates, warpHead, limit, maxPoints, simulated, flags };
}

function microsecondsOf(resample: number | string): number {
  const us = typeof resample === 'string' ? parseDuration(resample) : Math.round(resample * 1_000_000);
  if (us === 0) throw invalidQuery('resample', 'is less than a microsecond');
  if (us === undefined) throw invalidQuery('resample', `is no duration: write ${durationForms}`);
  return us;
}

function aggregatesIn(text: string): readonly Aggregate[] {
  const words = text.split(',');
  for (const word of words) {
    if (isAggregate(word)) continue;
    throw invalidQuery(
      'aggregate',
      `${JSON.stringify(word.slice(0, 80))} is unknown; known are ${aggregates.join(', ')}`,
    );
  }
  if (new Set(words).size < words.length) throw invalidQuery('aggregate', 'names one more than once');
  return words as Aggregate[];
}

function zoneOf(name: string): string {
  const zone = knownTimeZone(name);
  if (zone !== undefined) return zone;
  throw invalidQuery('tz', `${JSON.stringify(name)} is no time zone; write one such as Europe/Vienna`);
}

/** Would say something of times that have no record of their own: nothing is known of those to come. */
function foretells({ resampleUs, calendar }: ReturnType<typeof choiceOf>): boolean {
  return resampleUs !== undefined || calendar !== undefined;
}
