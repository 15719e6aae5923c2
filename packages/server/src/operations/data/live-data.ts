// The operations of version 1 on live objects, as both HTTP and the channel offer them.
import {
  type AlarmField,
  type AreaCounts,
  type CommandField,
  isSelective,
  type MeasurementField,
  ProblemError,
  type Selector,
} from '@telltale/schema';
import type { Alarms } from '../../alarms/index.ts';
import {
  type Commands,
  type Gathered,
  type Gathering,
  handlesOf,
  type Lease,
  type Measurements,
  Turns,
} from '../../points/index.ts';
import { Slices } from '../../runtime/index.ts';
import { areaTree, type Matcher, SelectionIndex, selectableAlarms, selectablePoints } from '../../selection/index.ts';
import { SharedRead } from './shared-read.ts';

export interface Selection<Field extends string> extends Selector {
  readonly fields?: readonly Field[] | undefined;
}

export type LiveKindName = 'measurements' | 'commands' | 'alarms';

export interface DatabaseSelection {
  readonly measurements?: 'all' | readonly string[];
  readonly commands?: 'all' | readonly string[];
  readonly alarms?: 'all' | readonly string[];
}

/** Bytes of JSON, which must not be modified; those of a very large read come later. */
export type ReadBytes = Lease | Gathered | Promise<Gathered>;

/** Checked between slices; a caller that is gone gets nothing. */
export type IsWanted = () => boolean;

interface Points {
  readonly wire: Measurements['wire'] | Commands['wire'];
  readonly size: number;
  find(name: string): number;
  all(): Iterable<number>;
}

/** A collection of so many is copied at once. */
const mostAtOnce = 10_000;

/** So many steps are taken beside a long read, which has the others wait. */
const stepsBesideLong = 4;

const nothing: Gathered = { pieces: [] };

export class LiveData {
  readonly measurements: Measurements;
  readonly commands: Commands;
  readonly alarms: Alarms;
  /** Which objects of each kind a selector means. */
  readonly selections: Readonly<Record<LiveKindName, SelectionIndex>>;

  /** For all long work of the interfaces: of one client or many, it has one slice of a turn. */
  readonly slices = new Slices();
  /** Reads of many that are not shared: each has all of its bytes in memory, so they are gathered one at a time. */
  readonly #longReads = new Turns();
  readonly #wholes: Readonly<Record<LiveKindName, SharedRead>>;

  constructor(parts: { measurements: Measurements; commands: Commands; alarms: Alarms }) {
    this.measurements = parts.measurements;
    this.commands = parts.commands;
    this.alarms = parts.alarms;
    this.selections = {
      measurements: new SelectionIndex(selectablePoints(this.measurements)),
      commands: new SelectionIndex(selectablePoints(this.commands)),
      alarms: new SelectionIndex(selectableAlarms(this.alarms)),
    };
    const ofPoints = (points: Points) =>
      new SharedRead(
        this.slices,
        () => points.wire.selection(points.all(), undefined),
        () => points.wire.version,
      );
    this.#wholes = {
      measurements: ofPoints(this.measurements),
      commands: ofPoints(this.commands),
      alarms: new SharedRead(
        this.slices,
        () => this.alarms.collection(),
        () => this.alarms.version,
      ),
    };
  }

  /** Each read of many: every object with its state at one moment between the request and the answer. */
  readMeasurements(selection: Selection<MeasurementField>, isWanted?: IsWanted): ReadBytes {
    return this.#readPoints('measurements', selection, isWanted);
  }

  readCommands(selection: Selection<CommandField>, isWanted?: IsWanted): ReadBytes {
    return this.#readPoints('commands', selection, isWanted);
  }

  readAlarms(selection: Selection<AlarmField>, isWanted?: IsWanted): ReadBytes {
    const { names, fields } = selection;
    if (isSelective(selection)) return this.#gathered(this.#selected('alarms', selection), isWanted);
    if (names === undefined && fields === undefined) return this.#wholes.alarms.read();
    return this.#gathered(this.alarms.collection({ ...(names && { names }), ...(fields && { fields }) }), isWanted);
  }

  readMeasurement(name: string): Buffer {
    return this.measurements.wire.object(known(this.measurements.find(name), 'measurement', name));
  }

  readCommand(name: string): Buffer {
    return this.commands.wire.object(known(this.commands.find(name), 'command', name));
  }

  readAlarm(name: string): string {
    return this.alarms.text(known(this.alarms.find(name), 'alarm', name));
  }

  /** Another number whenever anything of what a read of all gives may be another. */
  versionOf(kind: LiveKindName): number {
    return kind === 'alarms' ? this.alarms.version : this[kind].wire.version;
  }

  /** Of those that are selected, in the order of the collection; none where it is not wanted any more. */
  async selectedNames(kind: LiveKindName, selector: Selector, isWanted: IsWanted): Promise<string[]> {
    const handles = (await this.slices.run(this.selections[kind].select(selector), isWanted)) ?? [];
    return Array.from(handles, (handle) => this[kind].definitionAt(handle)?.name ?? '').filter((name) => name !== '');
  }

  /** Undefined where it is not wanted any more. */
  async readAreas(isWanted: IsWanted): Promise<readonly AreaCounts[] | undefined> {
    return this.slices.run(areaTree(this), isWanted);
  }

  /** An object of arrays; without the kinds that were not requested. */
  readDatabase(select: DatabaseSelection, isWanted?: IsWanted): Gathered | Promise<Gathered> {
    return this.#gathered(this.#database(select), isWanted);
  }

  #readPoints(
    kind: 'measurements' | 'commands',
    selection: Selection<string>,
    isWanted: IsWanted | undefined,
  ): ReadBytes {
    const points: Points = this[kind];
    const { names, fields } = selection;
    if (isSelective(selection)) return this.#gathered(this.#selected(kind, selection), isWanted);
    if (names !== undefined || fields !== undefined) {
      return this.#gathered(points.wire.selection(chosen(points, names ?? 'all'), fields), isWanted);
    }
    return points.size > mostAtOnce ? this.#wholes[kind].read() : points.wire.collection();
  }

  *#selected(kind: LiveKindName, { fields, ...selector }: Selection<string>): Gathering {
    const index = this.selections[kind];
    const matcher = index.matcher(selector);
    const handles = stillMatching(yield* index.select(selector, matcher), matcher);
    if (kind !== 'alarms') return yield* this[kind].wire.selection(handles, fields);
    return yield* this.alarms.collection({ handles, fields: fields as readonly AlarmField[] | undefined });
  }

  #gathered(steps: Gathering, isWanted: IsWanted | undefined): Gathered | Promise<Gathered> {
    const gather = () => this.slices.run(steps, isWanted);
    const inTurn = (begin: () => ReturnType<typeof gather>) =>
      this.#longReads.take('long', async () => (await begin()) ?? nothing);
    if (!this.#longReads.isBusy('long')) {
      const gathered = gather();
      return gathered instanceof Promise ? inTurn(() => gathered) : gathered;
    }
    for (let step = 0; step < stepsBesideLong; step++) {
      const { done, value } = steps.next();
      if (done === true) return value;
    }
    return inTurn(gather);
  }

  *#database({ measurements, commands, alarms }: DatabaseSelection): Gathering {
    const pieces: Buffer[] = [];
    const put = (kind: string, gathered: Gathered) => {
      pieces.push(Buffer.from(`${pieces.length === 0 ? '{' : ','}"${kind}":`), ...gathered.pieces);
    };
    if (measurements) put('measurements', yield* this.measurements.wire.array(chosen(this.measurements, measurements)));
    if (commands) put('commands', yield* this.commands.wire.array(chosen(this.commands, commands)));
    if (alarms) put('alarms', yield* this.alarms.array(alarms === 'all' ? undefined : alarms));
    return { pieces: [...pieces, Buffer.from(pieces.length === 0 ? '{}' : '}')] };
  }
}

function chosen(points: Points, names: 'all' | readonly string[]): Iterable<number> {
  return names === 'all' ? points.all() : handlesOf(names, (name) => points.find(name));
}

/** Of those that were selected: an object whose turn comes later may be another one by then. */
function* stillMatching(handles: Iterable<number>, matcher: Matcher): Generator<number> {
  for (const handle of handles) yield matcher.matches(handle) ? handle : -1;
}

function known(handle: number, kind: string, name: string): number {
  if (handle >= 0) return handle;
  throw new ProblemError('unknown-object', `There is no ${kind} ${JSON.stringify(name.slice(0, 80))}.`);
}
