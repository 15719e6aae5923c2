// Runs what was rendered: each rendering is a difference that is prepared a slice at a time, while live values go on, and
// taken over in one step. What did not change is not touched.
import {
  type Batch,
  type Clock,
  type Datatype,
  formatPrefixed,
  ProblemError,
  type Value,
  ValueError,
} from '@telltale/schema';
import type { DeviceAlarmState, PastOutcome, ReadingTrace, UserCredentials } from '@telltale/stack-kit';
import type { Logger } from 'pino';
import type { ProviderAsked, ProviderClient } from '../access/index.ts';
import type { Archive } from '../archive/index.ts';
import {
  type PreparedRendering,
  type Rename,
  type RenderedChange,
  type RenderingBytes,
  readRendering,
} from '../cfgdb/index.ts';
import { shownFamilies } from '../pictures/index.ts';
import type { DisabledLinkStore, QualityCounts, Silence } from '../points/index.ts';
import type { HistoryAsked, HostEvents, InstanceName, ProviderSession, Role } from '../stacks/index.ts';
import { AlarmFeed } from './alarm-feed.ts';
import { DeviceAlarms } from './device-alarms.ts';
import { LinkControl } from './link-control.ts';
import { PointFeed, type Wants } from './point-feed.ts';
import { PointHistory } from './point-history.ts';
import { Slices } from './slices.ts';
import { enabled, type Parts, Takeover } from './takeover.ts';

export interface RuntimeOptions extends Parts {
  readonly clock: Clock;
  /** False while another node of the site acts for it: triggers are its. */
  readonly isActing?: () => boolean;
  readonly disabledLinkStore: DisabledLinkStore;
  readonly archive: Pick<Archive, 'read' | 'stored'>;
  /** Retentions have changed; by `kind/name`, in microseconds. */
  readonly onRetentions: (ofSeries: ReadonlyMap<string, number>) => void;
  /** Objects are about to run under other names: before anything is recorded under these. */
  readonly onRenames?: (renames: readonly Rename[]) => void;
  /** The newest rendering whole; asked for when the stacks have lost theirs. */
  readonly wholeRendering: () => Promise<RenderingBytes>;
  /** Made later than this. */
  readonly clients: () => ProviderClients;
  readonly log: Logger;
}

/** What clients of providers may do, and as whom; what rejects does so with `ProblemError`. */
export interface ProviderClients {
  /** Carries out and records what a client does, if it may. */
  carryOut(asked: ProviderAsked, work: ClientWork): Promise<void>;
  /** As a user of the service. */
  signIn(provider: string, credentials: UserCredentials): Promise<ProviderSession>;
  signOut(provider: string, session: number): void;
  signOutAll(provider: string): void;
}

/** What is done for it, with what is recorded beside that. */
export type ClientWork = (client: ProviderClient, note: (noted: ClientNoted) => void) => Promise<void>;

export interface ClientNoted {
  readonly old?: string | undefined;
  readonly new?: string | undefined;
  readonly reason?: string;
}

export class Runtime implements HostEvents {
  readonly links: LinkControl;
  readonly shown = shownFamilies();
  readonly #options: RuntimeOptions;
  readonly #points: PointFeed;
  readonly #alarmFeed: AlarmFeed;
  readonly #history: PointHistory;
  readonly #deviceAlarms: DeviceAlarms;
  readonly #slices = new Slices();
  /** Resolves when no rendering is being prepared, and no stack is being given its points again. */
  #lastTurn: Promise<void> = Promise.resolve();
  #version = 0;

  constructor(options: RuntimeOptions) {
    const { measurements, commands, alarms, archiving, host, isActing = () => true } = options;
    this.#options = options;
    this.links = new LinkControl({ ...options, store: options.disabledLinkStore });
    measurements.onChanges((changes) => archiving.onChanges(changes));
    measurements.onChanges((changes) => isActing() && alarms.evaluate(changes));
    commands.onChange((handle) => archiving.onCommand(handle));
    alarms.onChange((handle, isRemoved) => {
      if (!isRemoved) archiving.onAlarm({ ...alarms.stateOf(handle), description: alarms.descriptionOf(handle) });
    });
    this.#points = new PointFeed(options);
    this.#history = new PointHistory({ ...options, points: this.#points });
    this.#alarmFeed = new AlarmFeed({
      alarms,
      measurements,
      providersOf: (measurement) => this.#points.values.providersOf(measurement),
      idOf: (measurement) => this.#points.served.idOf('measurements', measurement),
      host,
    });
    this.#deviceAlarms = new DeviceAlarms({ alarms, host });
  }

  /** Where it rejects, it has no effect. The next one starts when this one has taken effect or was discarded. */
  async prepare(rendering: RenderingBytes, renames: readonly Rename[] = []): Promise<PreparedRendering> {
    const endTurn = await this.#turn();
    const takeover = new Takeover(
      this.#options,
      {
        links: this.links,
        points: this.#points,
        alarmFeed: this.#alarmFeed,
        deviceAlarms: this.#deviceAlarms,
        shown: this.shown,
      },
      this.#version === 0,
    );
    const drop = () => {
      takeover.drop();
      endTurn();
    };
    try {
      await this.#slices.each(readRendering(rendering), (change) => change && takeover.prepare(change));
    } catch (error) {
      drop();
      throw error;
    }
    return {
      drop,
      takeOver: () => {
        this.#options.onRenames?.(renames);
        const confirmed = takeover.carryOut(renames);
        this.#version++;
        this.#deleteOrphans();
        const { retentions } = this.#options.archiving;
        if (retentions.takeChanged()) this.#options.onRetentions(retentions.ofSeries);
        endTurn();
        return confirmed;
      },
    };
  }

  readings(connector: string, batch: Batch): void {
    this.#points.read.toHandles(batch);
    this.#options.measurements.readings(connector, batch);
  }

  deviceAlarms(connector: string, states: readonly DeviceAlarmState[]): void {
    this.#deviceAlarms.report(connector, states);
  }

  link(role: Role, name: string, up: boolean, _reason: string, timeUs: number): void {
    this.#options.measurements.setLink(role, name, up, timeUs);
    if (role !== 'provider') return;
    if (!up) {
      this.#options.clients().signOutAll(name);
      return;
    }
    this.#points.values.publishAll(name);
    this.#alarmFeed.publishAll(name);
  }

  silent(role: Role, name: string, silence: Silence | undefined, timeUs: number): void {
    this.#options.measurements.setSilent(role, name, silence, timeUs);
  }

  /** Carries a raw value to the device of a command; resolves when the device has accepted it. Rejects with `ProblemError`. */
  write(connector: string, command: number, raw: Value): Promise<void> {
    return this.#options.host.write(connector, this.#points.read.idOf('commands', command), raw);
  }

  /** Resolves when the device of the alarm has accepted it. Rejects with `ProblemError`. */
  acknowledge(alarm: string, authority: string): Promise<void> {
    return this.#deviceAlarms.acknowledge(alarm, authority);
  }

  /** As `StackHost.explain`, by the handle of the measurement. */
  explain(connector: string, measurement: number): Promise<ReadingTrace | undefined> {
    return this.#options.host.explain(connector, this.#points.read.idOf('measurements', measurement));
  }

  async providerWrite(provider: string, commandId: number, value: Value, user?: number): Promise<void> {
    const { commands } = this.#options;
    const handle = this.#points.served.handleOf('commands', commandId);
    if (handle < 0 || !this.#points.values.serves('commands', handle, provider)) {
      throw new ProblemError('unknown-object', 'The command is no longer configured so.');
    }
    const name = commands.nameOf(handle);
    const text = prefixed(commands.datatypeOf(handle), value);
    await this.#forClient({ provider, permission: 'write', name, user }, ({ author }, note) => {
      note({ old: commands.textOf(handle), new: text });
      return commands.write(name, text, author);
    });
  }

  async providerAcknowledge(provider: string, alarm: string, authority: string, user?: number): Promise<void> {
    if (!this.#alarmFeed.serves(provider, alarm)) {
      throw new ProblemError('unknown-object', 'The alarm is not one of this provider any more.');
    }
    const { alarms } = this.#options;
    const asked = { provider, permission: 'acknowledge', name: alarm, user } as const;
    await this.#forClient(asked, async ({ authorityOr }, note) => {
      note({ old: alarms.present(alarm)?.state, reason: authority });
      await alarms.operate(alarm, 'acknowledge', authorityOr(authority));
      note({ new: alarms.present(alarm)?.state });
    });
  }

  providerSignIn(provider: string, credentials: UserCredentials): Promise<ProviderSession> {
    return this.#options.clients().signIn(provider, credentials);
  }

  providerSignOut(provider: string, session: number): void {
    this.#options.clients().signOut(provider, session);
  }

  providerHistory(provider: string, asked: HistoryAsked, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>[]> {
    return this.#history.read(provider, asked, signal);
  }

  pastReadings(connector: string, batch: Batch): Promise<PastOutcome> {
    return this.#history.store(connector, batch);
  }

  newestRecords(connector: string, ids: readonly number[], signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>[]> {
    return this.#history.newest(connector, ids, signal);
  }

  /** Their thread died and another one has started: they need their points. */
  restarted(instances: readonly InstanceName[]): void {
    const keys = new Set(instances.map(({ role, name }) => `${role} ${name}`));
    const wants: Wants = (role, name) => keys.has(`${role} ${name}`);
    this.#giveAgain(wants).catch((error: Error) =>
      this.#options.log.error(error, 'the stacks could not be configured again after a restart'),
    );
  }

  #forClient(asked: Omit<ProviderAsked, 'properties'>, work: ClientWork): Promise<void> {
    const properties = this.#options.host.propertiesOf('provider', asked.provider);
    return this.#options.clients().carryOut({ ...asked, properties }, work);
  }

  /** By provider, the measurements that it serves by quality. */
  countServed(): ReadonlyMap<string, QualityCounts> {
    return this.#points.values.countQualities();
  }

  /** State from before the start that is left when the first rendering runs is orphaned; afterwards there is none. */
  #deleteOrphans(): void {
    const { measurements, commands, alarms } = this.#options;
    this.links.deleteOrphans();
    measurements.deleteOrphans();
    commands.deleteOrphans();
    alarms.deleteOrphans();
  }

  /** Resolves with its release when it is free. */
  #turn(): Promise<() => void> {
    const before = this.#lastTurn;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#lastTurn = promise;
    return before.then(() => resolve);
  }

  /** Asks for the rendering before it takes its turn: while one is being prepared, the configuration's thread does not answer. */
  async #giveAgain(wants: Wants): Promise<void> {
    for (let isDone = false; !isDone; ) {
      const version = this.#version;
      const rendering = await this.#options.wholeRendering();
      const endTurn = await this.#turn();
      try {
        if (version !== this.#version) continue; // it is not what runs any more
        await this.#slices.each(readRendering(rendering), (change) => change && this.#repeat(change, wants));
        const touched = this.#points.done();
        const providers = touched.filter(({ role }) => role === 'provider');
        for (const { name } of providers) this.#points.values.publishAll(name);
        this.#alarmFeed.done(providers.map(({ name }) => name));
        this.#deviceAlarms.done(touched);
        isDone = true;
      } finally {
        endTurn();
      }
    }
  }

  #repeat({ family, after }: RenderedChange, wants: Wants): void {
    if (after === undefined) return;
    const { name } = after;
    if (family === 'connectors' && wants('connector', name)) this.#points.touch('connector', name);
    else if (family === 'providers' && wants('provider', name)) this.#points.touch('provider', name);
    else if ((family === 'measurements' || family === 'commands') && enabled(after) !== undefined) {
      this.#points.repeat(family, after, this.#options[family].find(name), wants);
    }
  }
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
