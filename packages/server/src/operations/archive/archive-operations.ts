// The operations of version 1 on the archive, as both HTTP and the channel offer them.
import { type ArchiveStats, type Clock, type Datatype, type Fault, isIdentifier, ProblemError } from '@telltale/schema';
import type {
  Aggregate,
  ArchiveAccess,
  ArchiveReader,
  Archiving,
  Kind,
  QueryResult,
  RecordForm,
} from '../../archive/index.ts';
import type { DataAccess } from '../data/index.ts';
import { statsOnWire } from './archive-wire.ts';
import { type ImportCounts, type ImportRequest, Imports } from './imports.ts';
import { type Interval, readInterval } from './interval.ts';

/** The options of a read, checked one by one against their schema. */
export interface ReadOptions {
  readonly resample?: number | undefined;
  readonly aggregate?: Aggregate | undefined;
  readonly warp_head?: boolean | undefined;
  readonly limit?: number | undefined;
  readonly 'max-points'?: number | undefined;
}

export interface ReadCall {
  readonly kind: Kind;
  readonly interval: Interval;
  readonly form: RecordForm;
  readonly options: ReadOptions;
  /** Of alarms: transitions into an active state alone. */
  readonly activeOnly?: boolean;
  readonly reader: ArchiveReader;
}

export interface ArchiveOperationsParts {
  readonly archive: ArchiveAccess;
  readonly archiving: Pick<Archiving, 'stats'>;
  readonly data: DataAccess;
  readonly clock: Clock;
}

export class ArchiveOperations {
  readonly #archive: ArchiveAccess;
  readonly #archiving: Pick<Archiving, 'stats'>;
  readonly #data: DataAccess;
  readonly #clock: Clock;
  readonly #imports: Imports;

  constructor({ archive, archiving, data, clock }: ArchiveOperationsParts) {
    this.#archive = archive;
    this.#archiving = archiving;
    this.#data = data;
    this.#clock = clock;
    this.#imports = new Imports({ clock, take: (key, batch) => archive.backfill(key, batch) });
  }

  /** Of numbers, or of digits as they stand in a path; without an end, until now. */
  interval(since: string | number, until: string | number = 0): Interval {
    return readInterval(since, until, this.#clock.now());
  }

  /** One name; a problem where it is neither configured nor in the archive. */
  async readOne(name: string, call: ReadCall): Promise<QueryResult> {
    const options = choiceOf(call.options);
    await this.#refuseUnknown(call.kind, name);
    return this.#read(call, options, [name], [name]);
  }

  /** Several names, each once, in the order given; unknown ones are left out. Without names: all. */
  async readMany(names: readonly string[] | undefined, call: ReadCall): Promise<QueryResult> {
    const options = choiceOf(call.options);
    const configured = this.#configured(call.kind);
    const wanted = new Set(names ?? [...configured, ...(await this.#archive.names(call.kind))].sort());
    return this.#read(
      call,
      options,
      [...wanted],
      [...wanted].filter((name) => configured.has(name)),
    );
  }

  /** Resolves when it is on disk. */
  async erase(kind: Kind, name: string, { sinceUs, untilUs }: Interval): Promise<void> {
    await this.#refuseUnknown(kind, name);
    await this.#archive.erase(kind, name, sinceUs, untilUs);
  }

  names(kind: Kind): Promise<readonly string[]> {
    return this.#archive.names(kind);
  }

  /** What records of this name have: the datatype of the object, else of what the archive has of it. */
  async datatypeOf(kind: 'measurements' | 'commands', name: string): Promise<Datatype> {
    const points = this.#data[kind];
    const handle = points.find(name);
    const datatype = handle >= 0 ? points.datatypeOf(handle) : await this.#archive.datatypeOf(kind, name);
    return datatype ?? refuse(kind, name);
  }

  get imports(): ImportCounts {
    return this.#imports.counts;
  }

  /** Resolves when all records of the body are on disk. */
  import(request: ImportRequest): Promise<void> {
    return this.#imports.import(request);
  }

  async stats(): Promise<ArchiveStats> {
    return statsOnWire(await this.#archive.stats(), this.#archiving.stats());
  }

  check(): ReturnType<ArchiveAccess['check']> {
    return this.#archive.check();
  }

  compact(): ReturnType<ArchiveAccess['compact']> {
    return this.#archive.compact();
  }

  /** Imports under way are given up. */
  close(): Promise<void> {
    return this.#imports.close();
  }

  #read(
    { kind, interval, form, activeOnly, reader }: ReadCall,
    options: ReturnType<typeof choiceOf>,
    names: string[],
    known: string[],
  ): Promise<QueryResult> {
    const { sinceUs } = interval;
    const untilUs = foretells(options) ? Math.min(interval.untilUs, this.#clock.now() + 1) : interval.untilUs;
    return this.#archive.read({ kind, names, known, sinceUs, untilUs, form, ...options, activeOnly }, reader);
  }

  #configured(kind: Kind): ReadonlySet<string> {
    if (kind === 'alarms') return new Set(this.#data.alarms.names());
    const points = this.#data[kind];
    return new Set(Array.from(points.all(), (handle) => points.nameOf(handle)));
  }

  async #refuseUnknown(kind: Kind, name: string): Promise<void> {
    if (this.#data[kind].find(name) >= 0) return;
    if (!isIdentifier(name) || !(await this.#archive.has(kind, name))) refuse(kind, name);
  }
}

function refuse(kind: Kind, name: string): never {
  const what = `${kind.slice(0, -1)} ${JSON.stringify(name.slice(0, 80))}`;
  throw new ProblemError('unknown-object', `There is no ${what}, and the archive has nothing of one.`);
}

/** Refuses options that do not go together. */
function choiceOf(options: ReadOptions) {
  const { resample, aggregate, warp_head: warpHead, limit, 'max-points': maxPoints } = options;
  const resampleUs = resample === undefined ? undefined : Math.round(resample * 1_000_000);
  if (resampleUs === 0) refuseOption('resample', 'is less than a microsecond');
  if (aggregate !== undefined && resample === undefined) refuseOption('aggregate', 'goes with resample alone');
  if (maxPoints !== undefined && resample !== undefined) refuseOption('max-points', 'does not go with resample');
  return { resampleUs, aggregate, warpHead, limit, maxPoints };
}

/** Would say something of times that have no record of their own: nothing is known of those to come. */
function foretells({ resampleUs, aggregate }: ReturnType<typeof choiceOf>): boolean {
  return resampleUs !== undefined && (aggregate === undefined || aggregate === 'count');
}

function refuseOption(path: string, message: string): never {
  const fault: Fault = { path, message };
  throw new ProblemError('invalid-query', `${path} ${message}.`, [fault]);
}
