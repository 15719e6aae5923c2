// Runs what was rendered: applies each rendering as a difference to the live points, the alarms and the stacks, a slice
// at a time, so that live values go on meanwhile. What did not change is not touched.
import {
  type Alarm,
  type Batch,
  type Command,
  type Connector,
  type Datatype,
  type FunctionModule,
  formatPrefixed,
  type Measurement,
  ProblemError,
  type Provider,
  type Value,
  ValueError,
} from '@telltale/schema';
import type { StackCommand, StackPoint } from '@telltale/stack-kit';
import type { Logger } from 'pino';
import type { Alarms } from '../alarms/index.ts';
import type { Archiving } from '../archive/index.ts';
import { type RenderedChange, type RenderingBytes, readRendering } from '../cfgdb/index.ts';
import type { FunctionModules } from '../modules/index.ts';
import type { Commands, Measurements, QualityCounts } from '../points/index.ts';
import type { HostEvents, InstanceName, Role, StackHost } from '../stacks/index.ts';
import { AlarmFeed } from './alarm-feed.ts';
import { ProviderFeed } from './provider-feed.ts';
import { Slices } from './slices.ts';
import { StackPointsFeed } from './stack-points.ts';

export interface RuntimeOptions {
  readonly measurements: Measurements;
  readonly commands: Commands;
  readonly alarms: Alarms;
  readonly archiving: Archiving;
  /** How long records are kept has changed; by `kind/name`, in microseconds. */
  readonly onRetentions: (ofSeries: ReadonlyMap<string, number>) => void;
  readonly modules: FunctionModules;
  readonly host: StackHost;
  /** The newest rendering whole; asked for when the stacks have lost theirs. */
  readonly wholeRendering: () => Promise<RenderingBytes>;
  readonly log: Logger;
}

type Point = Measurement | Command;

/** Whether a connector or provider is to be given points. */
type Wants = (role: Role, name: string) => boolean;

const all: Wants = () => true;

export class Runtime implements HostEvents {
  readonly #options: RuntimeOptions;
  readonly #feed: ProviderFeed;
  readonly #points: StackPointsFeed;
  readonly #alarmFeed: AlarmFeed;
  readonly #slices = new Slices();
  /** One rendering at a time; the second is the stacks' own, after they were lost. */
  #applying: Promise<void> = Promise.resolve();

  constructor(options: RuntimeOptions) {
    const { measurements, commands, alarms, archiving, host } = options;
    this.#options = options;
    measurements.onChanges((changes) => archiving.onChanges(changes));
    measurements.onChanges((changes) => alarms.evaluate(changes));
    commands.onChange((handle) => archiving.onCommand(handle));
    alarms.onChange((handle, isRemoved) => {
      const { description = '' } = alarms.alarmOf(handle);
      if (!isRemoved) archiving.onAlarm({ ...alarms.stateOf(handle), description });
    });
    this.#feed = new ProviderFeed(measurements, commands, (provider, batch) => host.publish(provider, batch));
    this.#points = new StackPointsFeed(host);
    const providersOf = (measurement: number) => this.#feed.providersOf(measurement);
    this.#alarmFeed = new AlarmFeed({ alarms, measurements, providersOf, host });
  }

  /** Resolves when all of it runs. */
  apply(rendering: RenderingBytes): Promise<void> {
    return this.#oneAtATime(async () => {
      await this.#slices.each(readRendering(rendering), (change) => change && this.#applyChange(change));
      this.#pointsDone();
      this.#forgetStrangers();
      const { retentions } = this.#options.archiving;
      if (retentions.takeChanged()) this.#options.onRetentions(retentions.ofSeries);
    });
  }

  readings(connector: string, batch: Batch): void {
    this.#options.measurements.readings(connector, batch);
  }

  link(role: Role, name: string, up: boolean, _reason: string, timeUs: number): void {
    this.#options.measurements.setLink(role, name, up, timeUs);
    if (!up || role !== 'provider') return;
    this.#feed.publishAll(name);
    this.#alarmFeed.publishAll(name);
  }

  stalled(role: Role, name: string, isStalled: boolean, timeUs: number): void {
    this.#options.measurements.setStalled(role, name, isStalled, timeUs);
  }

  async providerWrite(_provider: string, commandId: number, value: Value): Promise<void> {
    const { commands } = this.#options;
    const handle = this.#feed.commandOf(commandId);
    const name = commands.nameOf(handle);
    if (name === '') throw new ProblemError('unknown-object', 'The command is no longer configured.');
    await commands.write(name, prefixed(commands.datatypeOf(handle), value));
  }

  async providerAcknowledge(provider: string, alarm: string, authority: string): Promise<void> {
    if (!this.#alarmFeed.serves(provider, alarm)) {
      throw new ProblemError('unknown-object', 'The alarm is not one of this provider any more.');
    }
    await this.#options.alarms.operate(alarm, 'acknowledge', authority);
  }

  /** Their thread died and another one has begun: they want their points. */
  restarted(instances: readonly InstanceName[]): void {
    const keys = new Set(instances.map(({ role, name }) => `${role} ${name}`));
    const wants: Wants = (role, name) => keys.has(`${role} ${name}`);
    this.#oneAtATime(async () => {
      const rendering = await this.#options.wholeRendering();
      await this.#slices.each(readRendering(rendering), (change) => change && this.#feedStacks(change, wants));
      this.#pointsDone();
    }).catch((error: Error) => this.#options.log.error(error, 'the stacks could not be given their points again'));
  }

  /** By provider, the measurements that it serves by quality. */
  countServed(): ReadonlyMap<string, QualityCounts> {
    return this.#feed.countQualities();
  }

  /** What is left of before the start when the first rendering runs belongs to nobody; afterwards there is nothing. */
  #forgetStrangers(): void {
    const { measurements, commands, alarms } = this.#options;
    measurements.forgetStrangers();
    commands.forgetStrangers();
    alarms.forgetStrangers();
  }

  #oneAtATime(work: () => Promise<void>): Promise<void> {
    const done = this.#applying.then(work);
    this.#applying = done.catch(() => undefined);
    return done;
  }

  /** Providers get the present values of their points after these, and then their alarms. */
  #pointsDone(): void {
    const providers = this.#points.done().filter(({ role }) => role === 'provider');
    for (const { name } of providers) this.#feed.publishAll(name);
    this.#alarmFeed.done(providers.map(({ name }) => name));
  }

  #applyChange(change: RenderedChange): void {
    const { family, before, after } = change;
    if (family === 'connectors') this.#instance('connector', before, after);
    else if (family === 'providers') this.#instance('provider', before, after);
    else if (family === 'measurements') this.#measurement(enabled(before), enabled(after));
    else if (family === 'commands') this.#command(enabled(before), enabled(after));
    else if (family === 'alarms') this.#alarm(enabled(before), enabled(after));
    else this.#module(before, after);
  }

  #instance(role: Role, before: Connector | Provider | undefined, after: Connector | Provider | undefined): void {
    const { host, measurements } = this.#options;
    if (after === undefined) {
      const { name } = before as Connector;
      host.stop(role, name);
      measurements.removeLink(role, name);
      this.#points.forget(role, name);
      if (role === 'provider') this.#alarmFeed.forget(name);
      return;
    }
    const { name, stackName = '', wdtMeasurement, vars = {}, properties = {} } = after;
    measurements.putLink(role, name, wdtMeasurement);
    if (before !== undefined && instanceText(before) === instanceText(after)) return;
    host.start(role, { name, stackName, vars, properties });
    this.#points.touch(role, name);
  }

  #measurement(before: Measurement | undefined, after: Measurement | undefined): void {
    const { measurements, alarms, archiving } = this.#options;
    const name = (after ?? before)?.name;
    if (name === undefined) return;
    if (before !== undefined) this.#unfeed('measurements', before, measurements.find(name), after);
    if (after === undefined) {
      archiving.removeMeasurement(name);
      measurements.remove(name);
    } else {
      measurements.put(after, before);
      archiving.putMeasurement(after);
    }
    if (before?.datatype !== after?.datatype) alarms.measurementsChanged([name]);
    if (after !== undefined) this.#feedMeasurement(after);
  }

  #command(before: Command | undefined, after: Command | undefined): void {
    const { commands, archiving } = this.#options;
    const name = (after ?? before)?.name;
    if (name === undefined) return;
    if (before !== undefined) this.#unfeed('commands', before, commands.find(name), after);
    if (after === undefined) {
      archiving.removeCommand(name);
      commands.remove(name);
      return;
    }
    commands.put(after);
    archiving.putCommand(after);
    this.#feedCommand(after);
  }

  #alarm(before: Alarm | undefined, after: Alarm | undefined): void {
    const { alarms, archiving } = this.#options;
    if (after !== undefined) {
      archiving.putAlarm(after); // first: its trigger may raise it at once
      alarms.put(after);
      this.#alarmFeed.put(after.name, before?.trgMeasurement, after.trgMeasurement);
    } else if (before !== undefined) {
      alarms.remove(before.name);
      this.#alarmFeed.remove(before.name, before.trgMeasurement);
      archiving.removeAlarm(before.name);
    }
  }

  /** Those that are disabled are shown too. */
  #module(before: FunctionModule | undefined, after: FunctionModule | undefined): void {
    if (after !== undefined) this.#options.modules.put(after);
    else if (before !== undefined) this.#options.modules.remove(before.name);
  }

  #feedStacks({ family, after }: RenderedChange, wants: Wants): void {
    if (after === undefined) return;
    const { name } = after;
    if (family === 'connectors' && wants('connector', name)) this.#points.touch('connector', name);
    else if (family === 'providers' && wants('provider', name)) this.#points.touch('provider', name);
    else if (family === 'measurements' && enabled(after as Measurement)) {
      this.#feedMeasurement(after as Measurement, wants);
    } else if (family === 'commands' && enabled(after as Command)) this.#feedCommand(after as Command, wants);
  }

  #feedMeasurement(point: Measurement, wants = all): void {
    const handle = this.#options.measurements.find(point.name);
    if (handle < 0) return; // of a rendering that is yet to be applied
    const { connectorName, address } = point;
    if (connectorName !== undefined && address !== undefined && wants('connector', connectorName)) {
      this.#points.putMeasurement('connector', connectorName, stackPoint(point, handle, address, rawDatatypeOf(point)));
    }
    for (const [provider, at] of Object.entries(point.providerAddresses ?? {})) {
      if (!wants('provider', provider)) continue;
      this.#feed.serve('measurements', handle, provider);
      this.#points.putMeasurement('provider', provider, servedPoint(point, handle, at));
    }
  }

  #feedCommand(point: Command, wants = all): void {
    const { commands } = this.#options;
    const handle = commands.find(point.name);
    if (handle < 0) return;
    const { connectorName, address } = point;
    if (connectorName !== undefined && address !== undefined && wants('connector', connectorName)) {
      const command: StackCommand = {
        ...stackPoint(point, handle, address, rawDatatypeOf(point)),
        last: commands.lastRawOf(handle),
      };
      this.#points.putCommand('connector', connectorName, command);
    }
    const id = this.#feed.idOf('commands', handle);
    for (const [provider, at] of Object.entries(point.providerAddresses ?? {})) {
      if (!wants('provider', provider)) continue;
      this.#feed.serve('commands', handle, provider);
      this.#points.putCommand('provider', provider, { ...servedPoint(point, id, at), last: undefined });
    }
  }

  /** Takes the point from the stacks that carry it no longer; those that do get it anew. */
  #unfeed(kind: 'measurements' | 'commands', before: Point, handle: number, after: Point | undefined): void {
    const { connectorName } = before;
    if (connectorName !== undefined && (after?.connectorName !== connectorName || after.address === undefined)) {
      this.#points.remove('connector', connectorName, kind, handle);
    }
    for (const provider of Object.keys(before.providerAddresses ?? {})) {
      if (Object.hasOwn(after?.providerAddresses ?? {}, provider)) continue;
      this.#feed.unserve(kind, handle, provider);
      this.#points.remove('provider', provider, kind, this.#feed.idOf(kind, handle));
    }
  }
}

function enabled<T extends { enabled?: boolean }>(object: T | undefined): T | undefined {
  return object?.enabled === false ? undefined : object;
}

function rawDatatypeOf({ datatype, rawDatatype = datatype }: Point): Point['datatype'] {
  return rawDatatype;
}

function stackPoint(point: Point, id: number, address: string, datatype: Point['datatype']): StackPoint {
  return { id, name: point.name, address, datatype, properties: point.properties ?? {} };
}

/** A provider's clients may be told more of it. */
function servedPoint(point: Point, id: number, address: string): StackPoint {
  const { description, eu } = point;
  return {
    ...stackPoint(point, id, address, point.datatype),
    ...(description !== undefined && { description }),
    ...(eu !== undefined && { eu }),
  };
}

/** What the stack itself is made with. */
function instanceText({ stackName, vars, properties }: Connector | Provider): string {
  return JSON.stringify([stackName, vars, properties]);
}

/** A value that a client of a provider gave, and that may not be one of the datatype. */
function prefixed(datatype: Datatype, value: Value): string {
  try {
    return formatPrefixed(datatype, value);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new ProblemError('invalid-value', `${error.message}.`);
  }
}
