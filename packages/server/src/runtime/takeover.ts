// One rendering on its way to take effect: prepared change by change, not visible; then committed in one step, or
// discarded. Nothing in that step may fail.
import type {
  Alarm,
  Command,
  Connector,
  FunctionModule,
  Measurement,
  Picture,
  Provider,
  Trend,
} from '@telltale/schema';
import type { Alarms } from '../alarms/index.ts';
import type { Archiving } from '../archive/index.ts';
import type { Rename, RenderedChange } from '../cfgdb/index.ts';
import type { FunctionModules } from '../modules/index.ts';
import type { ShownFamilies, ShownObjects } from '../pictures/index.ts';
import type { Commands, Measurements, PreparedPoint } from '../points/index.ts';
import type { Role, StackHost } from '../stacks/index.ts';
import type { AlarmFeed } from './alarm-feed.ts';
import type { DeviceAlarms } from './device-alarms.ts';
import type { LinkControl } from './link-control.ts';
import type { Point, PointFeed } from './point-feed.ts';
import type { PointKind } from './stack-ids.ts';

export interface Parts {
  readonly measurements: Measurements;
  readonly commands: Commands;
  readonly alarms: Alarms;
  readonly archiving: Archiving;
  readonly modules: FunctionModules;
  readonly host: StackHost;
}

/** What goes between the parts. */
export interface Feeds {
  readonly links: LinkControl;
  readonly points: PointFeed;
  readonly alarmFeed: AlarmFeed;
  readonly deviceAlarms: DeviceAlarms;
  readonly shown: ShownFamilies;
}

export class Takeover {
  readonly #parts: Parts;
  readonly #links: LinkControl;
  readonly #points: PointFeed;
  readonly #alarmFeed: AlarmFeed;
  readonly #deviceAlarms: DeviceAlarms;
  readonly #families: ShownFamilies;
  readonly #isFirst: boolean;
  readonly #steps: (() => void)[] = [];
  #hasNew = false;
  /** Measurements that come, go or get another datatype. */
  readonly #others: string[] = [];

  /** The steps of the first rendering after a start are carried out as they are prepared: there is no other one to mix it with. */
  constructor(parts: Parts, { links, points, alarmFeed, deviceAlarms, shown }: Feeds, isFirst: boolean) {
    this.#parts = parts;
    this.#links = links;
    this.#points = points;
    this.#alarmFeed = alarmFeed;
    this.#deviceAlarms = deviceAlarms;
    this.#families = shown;
    this.#isFirst = isFirst;
    if (isFirst) parts.alarms.hold();
  }

  prepare({ family, before, after }: RenderedChange): void {
    if (family === 'connectors') this.#instance('connector', before, after);
    else if (family === 'providers') this.#instance('provider', before, after);
    else if (family === 'measurements') this.#measurement(enabled(before), enabled(after));
    else if (family === 'commands') this.#command(enabled(before), enabled(after));
    else if (family === 'alarms') this.#alarm(enabled(before), enabled(after));
    else if (family === 'pictures') this.#shown(this.#families.pictures, before, after);
    else if (family === 'trends') this.#shown(this.#families.trends, before, after);
    else this.#module(before, after);
  }

  drop(): void {
    const { measurements, commands, archiving } = this.#parts;
    for (const part of [this.#points, measurements, commands, archiving]) part.discardNew();
  }

  /**
   * Alarms see values when all is there: old values at new limits would be false. What was renamed goes on with its state.
   * Resolves when stacks have it.
   */
  carryOut(renames: readonly Rename[]): Promise<void> {
    this.#parts.alarms.hold();
    for (const { family, from, to } of renames) {
      this.#parts[family].inherit(from, to);
      this.#parts.archiving.retentions.rename({ kind: family, from, to });
    }
    for (const step of this.#steps) step();
    this.#parts.measurements.settle();
    this.#parts.alarms.measurementsChanged(this.#others);
    // Providers get the present values of their points after these, and then their alarms.
    const touched = this.#points.done();
    const providers = touched.filter(({ role }) => role === 'provider');
    for (const { name } of providers) this.#points.values.publishAll(name);
    this.#parts.alarms.release();
    this.#alarmFeed.done(providers.map(({ name }) => name));
    this.#deviceAlarms.done(touched);
    return this.#parts.host.confirm(touched);
  }

  #atOnce(step: () => void): void {
    if (this.#isFirst) step();
    else this.#steps.push(step);
  }

  /** New points come together, where the first of them does. */
  #showNew(): void {
    const { measurements, commands, archiving } = this.#parts;
    for (const part of [measurements, commands, archiving]) part.showNew();
  }

  #instance(role: Role, before: Connector | Provider | undefined, after: Connector | Provider | undefined): void {
    const { host, measurements } = this.#parts;
    if (after === undefined) {
      const { name } = before as Connector;
      this.#atOnce(() => {
        host.stop(role, name);
        measurements.removeLink(role, name);
        this.#links.forget(role, name);
        this.#points.forget(role, name);
        if (role === 'provider') this.#alarmFeed.forget(name);
      });
      return;
    }
    const { name, stackName = '', wdtMeasurement, vars = {}, properties = {} } = after;
    const isSame = before !== undefined && instanceText(before) === instanceText(after);
    this.#atOnce(() => {
      const disabled = this.#links.find(role, name);
      measurements.putLink(role, name, wdtMeasurement, disabled !== undefined);
      if (isSame) return;
      host.start(role, { name, stackName, vars, properties }, disabled);
      this.#points.touch(role, name);
    });
  }

  #measurement(before: Measurement | undefined, after: Measurement | undefined): void {
    if (before?.datatype !== after?.datatype) this.#others.push((after ?? before)?.name as string);
    if (after !== undefined) this.#put('measurements', this.#parts.measurements.prepare(after), before, after);
    else if (before !== undefined) this.#remove('measurements', before);
  }

  #command(before: Command | undefined, after: Command | undefined): void {
    if (after !== undefined) this.#put('commands', this.#parts.commands.prepare(after), before, after);
    else if (before !== undefined) this.#remove('commands', before);
  }

  #put(kind: PointKind, { handle, takeOver }: PreparedPoint, before: Point | undefined, after: Point): void {
    const { archiving } = this.#parts;
    const feed = this.#points.prepare(kind, handle, before, after);
    if (before === undefined) {
      archiving.prepare(kind, handle, after);
      if (!this.#hasNew) this.#atOnce(() => this.#showNew());
      this.#hasNew = !this.#isFirst;
      if (feed !== undefined) this.#atOnce(feed);
      return;
    }
    const isOther = before.datatype !== after.datatype;
    this.#atOnce(() => {
      if (isOther) this.#points.values.pause(kind, handle);
      takeOver?.();
      archiving.put(kind, handle, after);
      feed?.();
    });
  }

  #remove(kind: PointKind, before: Point): void {
    const { name } = before;
    const points = this.#parts[kind];
    const handle = points.find(name);
    const feed = this.#points.prepare(kind, handle, before, undefined);
    this.#atOnce(() => {
      feed?.();
      this.#parts.archiving.remove(kind, handle, name);
      points.remove(name);
    });
  }

  #alarm(before: Alarm | undefined, after: Alarm | undefined): void {
    const { alarms, archiving } = this.#parts;
    this.#atOnce(() => {
      if (after !== undefined) {
        archiving.putAlarm(after);
        alarms.put(after);
        this.#alarmFeed.put(after.name, before?.trgMeasurement, after.trgMeasurement);
        this.#deviceAlarms.put(after);
      } else if (before !== undefined) {
        alarms.remove(before.name);
        this.#alarmFeed.remove(before.name, before.trgMeasurement);
        this.#deviceAlarms.remove(before.name);
        archiving.removeAlarm(before.name);
      }
    });
  }

  #shown<Item extends Picture | Trend>(
    shown: ShownObjects<Item>,
    before: Item | undefined,
    after: Item | undefined,
  ): void {
    this.#atOnce(() => {
      if (after !== undefined) shown.put(after);
      else if (before !== undefined) shown.remove(before.name);
    });
  }

  /** Those that are disabled are shown too. */
  #module(before: FunctionModule | undefined, after: FunctionModule | undefined): void {
    const { modules } = this.#parts;
    this.#atOnce(() => {
      if (after !== undefined) modules.put(after);
      else if (before !== undefined) modules.remove(before.name);
    });
  }
}

export function enabled<T extends { enabled?: boolean }>(object: T | undefined): T | undefined {
  return object?.enabled === false ? undefined : object;
}

/** What the stack itself is made with. */
function instanceText({ stackName, vars, properties }: Connector | Provider): string {
  return JSON.stringify([stackName, vars, properties]);
}
