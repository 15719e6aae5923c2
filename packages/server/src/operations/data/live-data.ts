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
import type { Rights } from '../../access/index.ts';
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
import {
  areaTree,
  type Matcher,
  SelectionIndex,
  selectableAlarms,
  selectablePoints,
  type Visible,
  within,
} from '../../selection/index.ts';
import { SharedRead } from './shared-read.ts';
import { type View, Views } from './views.ts';

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

/** Whoever reads. */
export interface Reader {
  /** What it may view; undefined: all of it. */
  readonly view?: View | undefined;
  readonly isWanted?: IsWanted | undefined;
}

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
  /** What each caller may view. First: it is renewed before anybody is notified. */
  readonly views: Views;
  /** Which objects of each kind a selector means. */
  readonly selections: Readonly<Record<LiveKindName, SelectionIndex>>;

  /** For all long work of the interfaces: of one client or many, it has one slice of a turn. */
  readonly slices = new Slices();
  /** Reads of many that are not shared: each has all of its bytes in memory, so they are gathered one at a time. */
  readonly #longReads = new Turns();
  readonly #wholes: Readonly<Record<LiveKindName, SharedRead>>;
  readonly #wholesOfViews = new WeakMap<Visible, SharedRead>();

  constructor(parts: { measurements: Measurements; commands: Commands; alarms: Alarms }) {
    this.measurements = parts.measurements;
    this.commands = parts.commands;
    this.alarms = parts.alarms;
    this.views = new Views(parts);
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

  /** Undefined where all of the plant is visible to whoever has these rights. */
  viewOf(rights: Rights): View | undefined {
    return this.views.of(rights);
  }

  /** Each read of many: every object that is in view, with its state at one moment between the request and the answer. */
  readMeasurements(selection: Selection<MeasurementField>, reader: Reader = {}): ReadBytes {
    return this.#readPoints('measurements', selection, reader);
  }

  readCommands(selection: Selection<CommandField>, reader: Reader = {}): ReadBytes {
    return this.#readPoints('commands', selection, reader);
  }

  readAlarms(selection: Selection<AlarmField>, { view, isWanted }: Reader = {}): ReadBytes {
    const { names, fields } = selection;
    if (isSelective(selection)) return this.#gathered(this.#selected('alarms', selection, view), isWanted);
    if (names === undefined && fields === undefined && view === undefined) return this.#wholes.alarms.read();
    const handles = this.#chosen('alarms', names ?? 'all', view);
    return this.#gathered(this.alarms.collection({ handles, fields }), isWanted);
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

  /** Another text whenever anything of what a read of all gives may be another; undefined where to find out takes long. */
  versionOf(kind: LiveKindName, view?: View): string | undefined {
    if (view === undefined) return String(kind === 'alarms' ? this.alarms.version : this[kind].wire.version);
    const visible = view[kind];
    if (kind === 'alarms') return `${view.id}.${visible.version}.${this.alarms.versionOf(visible.handles())}`;
    if (this[kind].size > mostAtOnce) return undefined;
    return `${view.id}.${this[kind].wire.versionOf(visible)}`;
  }

  /** Of those that are selected, in the order of the collection; none where it is not wanted any more. */
  async selectedNames(kind: LiveKindName, selector: Selector, { view, isWanted }: Reader): Promise<string[]> {
    const handles = (await this.slices.run(this.selections[kind].select(selector), isWanted)) ?? [];
    return Array.from(handles)
      .filter((handle) => view === undefined || view[kind].has(handle))
      .map((handle) => this[kind].definitionAt(handle)?.name ?? '')
      .filter((name) => name !== '');
  }

  /** Undefined where it is not wanted any more. */
  async readAreas({ view, isWanted }: Reader): Promise<readonly AreaCounts[] | undefined> {
    return this.slices.run(areaTree(this, view), isWanted);
  }

  /** An object of arrays; without the kinds that were not requested. */
  readDatabase(select: DatabaseSelection, { view, isWanted }: Reader = {}): Gathered | Promise<Gathered> {
    return this.#gathered(this.#database(select, view), isWanted);
  }

  #readPoints(kind: 'measurements' | 'commands', selection: Selection<string>, { view, isWanted }: Reader): ReadBytes {
    const points: Points = this[kind];
    const { names, fields } = selection;
    if (isSelective(selection)) return this.#gathered(this.#selected(kind, selection, view), isWanted);
    if (names !== undefined || fields !== undefined) {
      return this.#gathered(points.wire.selection(this.#chosen(kind, names ?? 'all', view), fields), isWanted);
    }
    if (points.size <= mostAtOnce) return points.wire.collection(view?.[kind]);
    return (view === undefined ? this.#wholes[kind] : this.#wholeOf(kind, view)).read();
  }

  #wholeOf(kind: 'measurements' | 'commands', view: View): SharedRead {
    const known = this.#wholesOfViews.get(view[kind]);
    if (known !== undefined) return known;
    const { wire } = this[kind];
    const whole = new SharedRead(
      this.slices,
      () => wire.selection(view[kind].handles(), undefined),
      () => wire.version,
    );
    this.#wholesOfViews.set(view[kind], whole);
    return whole;
  }

  *#selected(kind: LiveKindName, { fields, ...selector }: Selection<string>, view: View | undefined): Gathering {
    const index = this.selections[kind];
    const matcher = within(index.matcher(selector), view?.[kind]);
    const handles = stillMatching(yield* index.select(selector, matcher), matcher);
    if (kind !== 'alarms') return yield* this[kind].wire.selection(handles, fields);
    return yield* this.alarms.collection({ handles, fields: fields as readonly AlarmField[] | undefined });
  }

  /** -1 for what is not there, or not in view. */
  #chosen(kind: LiveKindName, names: 'all' | readonly string[], view: View | undefined): Iterable<number> {
    const objects = this[kind];
    const visible = view?.[kind];
    if (names === 'all') return visible === undefined ? objects.all() : visible.handles();
    return handlesOf(names, (name) => {
      const handle = objects.find(name);
      return visible === undefined || (handle >= 0 && visible.has(handle)) ? handle : -1;
    });
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

  *#database({ measurements, commands, alarms }: DatabaseSelection, view: View | undefined): Gathering {
    const pieces: Buffer[] = [];
    const put = (kind: string, gathered: Gathered) => {
      pieces.push(Buffer.from(`${pieces.length === 0 ? '{' : ','}"${kind}":`), ...gathered.pieces);
    };
    const chosen = (kind: LiveKindName, names: 'all' | readonly string[]) => this.#chosen(kind, names, view);
    if (measurements) put('measurements', yield* this.measurements.wire.array(chosen('measurements', measurements)));
    if (commands) put('commands', yield* this.commands.wire.array(chosen('commands', commands)));
    if (alarms) put('alarms', yield* this.alarms.array(chosen('alarms', alarms)));
    return { pieces: [...pieces, Buffer.from(pieces.length === 0 ? '{}' : '}')] };
  }
}

/** Of those that were selected: an object whose turn comes later may be another one by then. */
function* stillMatching(handles: Iterable<number>, matcher: Matcher): Generator<number> {
  for (const handle of handles) yield matcher.matches(handle) ? handle : -1;
}

function known(handle: number, kind: string, name: string): number {
  if (handle >= 0) return handle;
  throw new ProblemError('unknown-object', `There is no ${kind} ${JSON.stringify(name.slice(0, 80))}.`);
}
