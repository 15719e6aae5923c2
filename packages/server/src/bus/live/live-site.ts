// A site at a centre: its live points and alarms, as the site has them. Where nothing is heard of it, every measurement is bad.
import type { Clock } from '@telltale/schema';
import type { Alarms } from '../../alarms/index.ts';
import type { Commands, Measurements } from '../../points/index.ts';
import type { BusConnection } from '../connection/bus-connection.ts';
import type { SiteState, Sites } from '../sites/sites.ts';
import type { FeedKind } from '../subjects.ts';
import { FeedMirror } from './feed-mirror.ts';
import {
  alarmMirror,
  commandMirror,
  measurementMirror,
  mirroredAlarms,
  mirroredCommands,
  mirroredMeasurements,
} from './mirrors.ts';

export interface LiveSiteOptions {
  readonly bus: Pick<BusConnection, 'subscribe' | 'publish'>;
  readonly clock: Clock;
  readonly sites: Pick<Sites, 'of' | 'observe'>;
  readonly site: string;
  /** What is wanted of it; a site sends nothing that nobody wants. */
  readonly kinds?: readonly FeedKind[];
}

export interface LiveSiteState {
  /** What is here is what the site has, but for the time that it is on its way. */
  readonly isLive: boolean;
  /** Why not; empty: it is. */
  readonly cause: string;
  readonly sinceUs: number;
}

export class LiveSite {
  readonly measurements: Measurements;
  readonly commands: Commands;
  readonly alarms: Alarms;
  readonly #options: LiveSiteOptions;
  readonly #feeds: readonly FeedMirror[];
  readonly #observers = new Set<(state: LiveSiteState) => void>();
  #state: LiveSiteState;
  /** Why the site is not there; empty: it is. */
  #cause = 'nothing has come yet';
  #stopObserving = () => {};

  constructor({ kinds = ['measurements', 'commands', 'alarms'], ...options }: LiveSiteOptions) {
    const { clock } = options;
    this.#options = options;
    this.measurements = mirroredMeasurements(clock);
    this.commands = mirroredCommands(clock);
    this.alarms = mirroredAlarms(clock, this.measurements);
    const onChange = () => this.#judge();
    const sinks = {
      measurements: () => measurementMirror(this.measurements, clock, onChange),
      commands: () => commandMirror(this.commands, onChange),
      alarms: () => alarmMirror(this.alarms, onChange),
    };
    this.#feeds = kinds.map((kind) => new FeedMirror({ ...options, kind, sink: sinks[kind]() }));
    this.#state = { isLive: false, cause: this.#cause, sinceUs: clock.now() };
  }

  get state(): LiveSiteState {
    return this.#state;
  }

  observe(observer: (state: LiveSiteState) => void): () => void {
    this.#observers.add(observer);
    return () => void this.#observers.delete(observer);
  }

  start(): void {
    const { sites, site } = this.#options;
    this.#stopObserving = sites.observe((state) => state.id === site && this.#siteChanged(state));
    const state = sites.of(site);
    if (state !== undefined) this.#siteChanged(state);
  }

  async stop(): Promise<void> {
    this.#stopObserving();
    await Promise.all(this.#feeds.map((feed) => feed.stop()));
  }

  /** There, gone, or started anew: then all of it is asked for again. */
  #siteChanged({ isUp, cause }: SiteState): void {
    this.#cause = isUp ? 'not all of what it says has come' : cause;
    for (const feed of this.#feeds) {
      void feed.stop();
      if (isUp) feed.start();
    }
  }

  #judge(): void {
    const isLive = this.#feeds.every(({ isGood }) => isGood);
    const cause = isLive ? '' : this.#cause;
    const { isLive: wasLive, cause: before } = this.#state;
    if (isLive === wasLive && cause === before) return;
    this.#state = { ...this.#state, isLive, cause, ...(isLive !== wasLive && { sinceUs: this.#options.clock.now() }) };
    for (const observer of this.#observers) observer(this.#state);
  }
}
