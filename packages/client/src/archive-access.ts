// The archive over HTTP: records of an interval, whole, page by page or in columns; erasing, backfill, and its care.
import type {
  Aggregate,
  AggregateRow,
  AlarmState,
  AlarmTransition,
  AlarmTransitions,
  ArchiveColumns,
  ArchiveKind,
  ArchiveProgress,
  ArchiveRecords,
  ArchiveStats,
  CalendarStep,
  CommandRecord,
  HttpOperationName,
  MeasurementRecord,
  SimulatedFilter,
  Timestamp,
} from '@telltale/schema';
import {
  BadColumns,
  ColumnsReader,
  columnsType,
  csvType,
  formatText,
  fromTimestamp,
  JsonListReader,
  ProblemError,
  parseJson,
  toTimestamp,
} from '@telltale/schema/values';
import { criteriaOf, type PointCriteria } from './criteria.ts';
import type { ConfirmOptions } from './data-access.ts';
import { TelltaleProblem } from './errors.ts';
import { joinDownloads } from './joined-downloads.ts';
import { type Input, OperationCalls } from './operation-calls.ts';
import { type AskOptions, type Bytes, byNames, chunksOf, type Download, listsOf, type Transport } from './transport.ts';

/** Seconds since 1970 (below zero: back from now; 0 as an end: now), a date, or an exact timestamp. */
export type ArchiveMoment = number | Date | Timestamp;

export interface ArchiveInterval extends AskOptions {
  readonly since: ArchiveMoment;
  /** Not in the interval itself; now where not given. */
  readonly until?: ArchiveMoment | undefined;
}

export interface ArchiveReadOptions extends ArchiveInterval {
  /** One record in so many seconds: the last one at or before that time. */
  readonly resampleS?: number | undefined;
  /** In its place: one record for each of these on the clock of `tz`. */
  readonly resample?: CalendarStep | undefined;
  /** A time zone such as `Europe/Vienna`; UTC where not given. */
  readonly tz?: string | undefined;
  /** With either of them: what each bucket comes to. */
  readonly aggregate?: Aggregate | undefined;
  /** Begins with the record in force at `since`. */
  readonly warpHead?: boolean | undefined;
  /** Only the first so many records of each name. */
  readonly limit?: number | undefined;
  /** About so many records of each name, which look the same on a plot as all of them. */
  readonly maxPoints?: number | undefined;
  /** Records of simulated values: with the others (where not given), left out as if there were none, or alone. */
  readonly simulated?: SimulatedFilter | undefined;
  /** Each record has its flags: the last element of a measurement or command, a member of an alarm. */
  readonly flags?: boolean | undefined;
}

export interface ArchiveOneOptions extends ArchiveReadOptions {
  /** Of alarms: only transitions into an active state. */
  readonly activeOnly?: boolean | undefined;
}

export interface ArchiveRowsOption {
  /** Several, in the place of `aggregate`. */
  readonly aggregates?: readonly Aggregate[] | undefined;
}

/** Criteria other than names, of which alarms have fewer, select from what is configured. */
export interface ArchiveNamesOption extends PointCriteria {
  /** Only these, names or patterns such as `pump*`, unknown ones left out; all where not given. */
  readonly names?: readonly string[] | undefined;
}

/** Of alarms, of which criteria and severity select from what is configured. */
export interface TransitionsOptions extends ArchiveInterval, Omit<ArchiveNamesOption, 'datatype'> {
  readonly severity?: number | undefined;
  /** Those that led to one of these. */
  readonly states?: readonly AlarmState[] | undefined;
  readonly simulated?: SimulatedFilter | undefined;
  /** Of a page; 100 where not given. */
  readonly limit?: number | undefined;
  /** `next` of the page before. */
  readonly before?: string | undefined;
}

/** What can be added to the archive: alarms have no other origin. */
export type BackfillRecords = { measurements: MeasurementRecord; commands: CommandRecord };

/** So many records go in one request, of which each is on disk when the next one leaves. */
const recordsARequest = 10_000;

const titles = { measurements: 'Measurement', commands: 'Command', alarms: 'Alarm' } as const;

/** Reads of alarms take fewer options: the service says so. */
const readsOne = (kind: ArchiveKind) => `read${titles[kind]}Archive` as 'readMeasurementArchive';
const readsSeveral = (kind: ArchiveKind) => `read${titles[kind]}Archives` as 'readMeasurementArchives';

export class ArchiveAccess {
  readonly #calls: OperationCalls;

  constructor(transport: Transport) {
    this.#calls = new OperationCalls(transport);
  }

  /** The names of which there are records, those of deleted objects included. */
  names(kind: ArchiveKind, { signal }: AskOptions = {}): Promise<string[]> {
    return this.#calls.json(`list${titles[kind]}ArchiveNames`, {}, { signal });
  }

  /** All records at once; `pages` and `columns` take less memory. */
  async read<Kind extends ArchiveKind>(
    kind: Kind,
    name: string,
    options: ArchiveOneOptions,
  ): Promise<ArchiveRecords[Kind][]> {
    const all: ArchiveRecords[Kind][][] = [];
    for await (const page of this.pages(kind, name, options)) all.push(page);
    return all.flat();
  }

  /** Records in time order, as they arrive. Leaving the loop ends the reading at the service as well. */
  async *pages<Kind extends ArchiveKind>(
    kind: Kind,
    name: string,
    options: ArchiveOneOptions,
  ): AsyncGenerator<ArchiveRecords[Kind][], void> {
    const operation = options.activeOnly ? 'readActiveAlarmArchive' : readsOne(kind);
    const input = { name, ...timesOf(options), ...optionsOf(options) };
    const found = await this.#calls.download(operation, input, { signal: options.signal });
    let page: ArchiveRecords[Kind][] = [];
    const reader = new JsonListReader((record) => page.push(record as ArchiveRecords[Kind]));
    try {
      for await (const chunk of chunksOf(found)) {
        reader.feed(chunk);
        if (page.length > 0) yield page;
        page = [];
      }
      reader.end();
    } catch (error) {
      throw error instanceof ProblemError ? this.#stranger(operation, input, error.message) : error;
    }
  }

  /** Several aggregates of each bucket, in time order. */
  async rows(
    kind: 'measurements' | 'commands',
    name: string,
    options: ArchiveReadOptions & Required<ArchiveRowsOption>,
  ): Promise<AggregateRow[]> {
    const [only, ...others] = options.aggregates ?? [];
    if (others.length > 0 || only === undefined) {
      return (await this.read(kind, name, options)) as unknown as AggregateRow[];
    }
    // The service gives rows for several: those of one are asked for with another one, which is left out.
    const other = only === 'count' ? 'percent-good' : 'count';
    const found = await this.read(kind, name, { ...options, aggregates: [only, other] } as ArchiveReadOptions);
    return (found as unknown as AggregateRow[]).map(({ [other]: _, ...row }) => row as AggregateRow);
  }

  /** Several names in one answer. It has no prototype. */
  readMany<Kind extends ArchiveKind>(
    kind: Kind,
    options: ArchiveReadOptions & ArchiveNamesOption,
  ): Promise<Record<string, ArchiveRecords[Kind][]>> {
    return byNames(options.names, (names) =>
      this.#calls.collection(readsSeveral(kind), severalOf(options, names), { signal: options.signal }),
    );
  }

  /** Of many alarms in one list, the newest first. `search` is looked for in the transitions themselves. */
  transitions(options: TransitionsOptions): Promise<AlarmTransitions> {
    const { since, until, names, states, severity, simulated, limit, before, signal } = options;
    const { area, search, connector } = criteriaOf(options);
    const times = { t_since: secondsText(since), t_until: until === undefined ? undefined : untilText(until) };
    const lists = { names: names?.join(','), state: states?.join(',') };
    const input = { ...lists, area, search, connector, ...times, severity, simulated, limit, before };
    return this.#calls.json('listAlarmTransitions', input, { signal });
  }

  /** All of them, page by page. */
  async *allTransitions(options: Omit<TransitionsOptions, 'before'>): AsyncGenerator<AlarmTransition[], void> {
    let before: string | undefined;
    do {
      const page = await this.transitions({ ...options, before });
      yield page.transitions;
      before = page.next;
    } while (before !== undefined);
  }

  /** Typed arrays, as they arrive: the cheapest form of many records. Those of alarms are texts, which `unpackAlarm` reads. */
  async *columns(
    kind: ArchiveKind,
    options: ArchiveReadOptions & ArchiveRowsOption & ArchiveNamesOption,
  ): AsyncGenerator<ArchiveColumns, void> {
    const found = await this.download(kind, { ...options, form: 'columns' });
    const reader = new ColumnsReader();
    try {
      for await (const chunk of chunksOf(found)) yield* reader.feed(chunk);
      reader.end();
    } catch (error) {
      throw error instanceof BadColumns ? this.#stranger(readsSeveral(kind), {}, error.message) : error;
    }
  }

  /** The bytes of CSV, or of the binary form: one document, in however many requests the names need. */
  async download(
    kind: ArchiveKind,
    options: ArchiveReadOptions & ArchiveRowsOption & ArchiveNamesOption & { readonly form: 'csv' | 'columns' },
  ): Promise<Download> {
    const { names, form, signal } = options;
    const operation = readsSeveral(kind);
    const accept = form === 'csv' ? csvType : columnsType;
    const open = (list: string | undefined) =>
      this.#calls.download(operation, severalOf(options, list), { accept, signal });
    const [list = names && '', ...others] = names === undefined ? [] : listsOf(names);
    const first = await open(list);
    if (others.length === 0) return first;
    const cutOff = () => this.#stranger(operation, {}, 'it is truncated');
    return joinDownloads(
      form,
      first,
      others.map((each) => () => open(each)),
      cutOff,
    );
  }

  /** Resolves when the records of the interval are gone from the disk. */
  async erase(kind: ArchiveKind, name: string, interval: ArchiveInterval & ConfirmOptions): Promise<void> {
    const { operation, input } = erasing(kind, name, interval);
    await this.#calls.send(operation, { ...input, reason: interval.reason }, { signal: interval.signal });
  }

  /** Adds records; one at the time of another replaces it. Resolves when all are on disk; a retry changes nothing. */
  async backfill<Kind extends keyof BackfillRecords>(
    kind: Kind,
    name: string,
    records: Iterable<BackfillRecords[Kind]> | AsyncIterable<BackfillRecords[Kind]>,
    { signal }: AskOptions = {},
  ): Promise<void> {
    const send = (list: readonly unknown[]) => {
      const body = new TextEncoder().encode(JSON.stringify(list));
      return this.#backfill(kind, name, { body, type: 'application/json' }, signal);
    };
    let pending: unknown[] = [];
    for await (const record of records) {
      pending.push(record);
      if (pending.length < recordsARequest) continue;
      await send(pending);
      pending = [];
    }
    await send(pending);
  }

  /** The same with CSV: `time,value,quality`, values without the letter of their datatype. */
  backfillCsv(kind: keyof BackfillRecords, name: string, body: Bytes, { signal }: AskOptions = {}): Promise<void> {
    return this.#backfill(kind, name, { body, type: csvType }, signal);
  }

  stats({ signal }: AskOptions = {}): Promise<ArchiveStats> {
    return this.#calls.json('getArchiveStats', {}, { signal });
  }

  /** Reads everything and compares checksums; the last step is `done` and says what is damaged. */
  check(options: AskOptions = {}): AsyncGenerator<ArchiveProgress, void> {
    return this.#progress('checkArchive', options);
  }

  /** Merges files and gives space back; the last step is `done`. */
  compact(options: AskOptions = {}): AsyncGenerator<ArchiveProgress, void> {
    return this.#progress('compactArchive', options);
  }

  async #backfill(
    kind: keyof BackfillRecords,
    name: string,
    bytes: { body: Bytes; type: string },
    signal: AbortSignal | undefined,
  ): Promise<void> {
    await this.#calls.send(`backfill${titles[kind]}Archive`, { name }, { bytes, signal });
  }

  async *#progress(
    operation: 'checkArchive' | 'compactArchive',
    { signal }: AskOptions,
  ): AsyncGenerator<ArchiveProgress, void> {
    const found = await this.#calls.download(operation, {}, { signal });
    const utf8 = new TextDecoder();
    let text = '';
    let isDone = false;
    for await (const chunk of chunksOf(found)) {
      const lines = (text + utf8.decode(chunk, { stream: true })).split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) {
        const step = readStep(line);
        if (step === undefined) throw this.#stranger(operation, {}, 'its answer is not JSON');
        isDone = step.done === true;
        yield step;
      }
    }
    if (!isDone) throw this.#stranger(operation, {}, 'its answer ends too early');
  }

  #stranger<N extends HttpOperationName>(operation: N, input: Partial<Input<N>>, what: string) {
    return this.#calls.stranger(operation, input as Input<N>, what);
  }
}

function readStep(line: string): ArchiveProgress | undefined {
  try {
    return parseJson(line) as ArchiveProgress;
  } catch {
    return undefined;
  }
}

/** In digits, so that every microsecond is exact. */
/** Erasing as an action, to be signed. */
export function erasing(kind: ArchiveKind, name: string, interval: ArchiveInterval) {
  return { operation: `erase${titles[kind]}Archive`, input: { name, ...timesOf(interval) } } as const;
}

function timesOf({ since, until = 0 }: ArchiveInterval) {
  return { t_since: secondsText(since), t_until: untilText(until) };
}

function severalOf(options: ArchiveReadOptions & ArchiveNamesOption, names: string | undefined) {
  const { since, until } = options;
  const times = { t_since: secondsText(since), t_until: until === undefined ? undefined : untilText(until) };
  const { area, search, connector, datatype } = criteriaOf(options);
  return { names, area, search, connector, datatype, ...times, ...optionsOf(options) };
}

function optionsOf(options: ArchiveReadOptions & ArchiveRowsOption) {
  const { resampleS, resample, tz, aggregate, aggregates, warpHead, limit, maxPoints, simulated, flags } = options;
  return {
    resample: resampleS ?? resample,
    tz,
    aggregate: aggregates?.join(',') ?? aggregate,
    warp_head: warpHead,
    limit,
    'max-points': maxPoints,
    simulated,
    flags,
  };
}

function secondsText(moment: ArchiveMoment): string {
  try {
    return typeof moment === 'number' ? formatText('d', moment) : absoluteText(moment);
  } catch (error) {
    throw TelltaleProblem.of('invalid-interval', `${(error as Error).message}.`);
  }
}

/** A date or a timestamp of 1970 itself would mean now: the next microsecond stands for it. */
function untilText(moment: ArchiveMoment): string {
  const text = secondsText(moment);
  return typeof moment !== 'number' && Number(text) === 0 ? '0.000001' : text;
}

function absoluteText(moment: Date | Timestamp): string {
  const timestamp = moment instanceof Date ? toTimestamp(Math.max(0, moment.getTime() * 1000)) : moment;
  const us = fromTimestamp(timestamp);
  const fraction = us % 1_000_000;
  return `${(us - fraction) / 1_000_000}.${String(fraction).padStart(6, '0')}`;
}
