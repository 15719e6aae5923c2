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
  loseMeasurements,
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

/** A message that was lost is made good within this time, or the values count no longer. */
const graceMs = 1000;

export class LiveSite {
  readonly measurements: Measurements;
  readonly commands: Commands;
  readonly alarms: Alarms;
  readonly #options: LiveSiteOptions;
  readonly #feeds: readonly { readonly feed: FeedMirror; readonly isWhole: () => boolean }[];
  readonly #observers = new Set<(state: LiveSiteState) => void>();
  #state: LiveSiteState;
  #isHeard = false;
  #stopObserving = () => {};
  #cancelGrace: (() => void) | undefined;

  constructor({ kinds = ['measurements', 'commands', 'alarms'], ...options }: LiveSiteOptions) {
    const { clock } = options;
    this.#options = options;
    this.measurements = mirroredMeasurements(clock);
    this.commands = mirroredCommands(clock);
    this.alarms = mirroredAlarms(clock, this.measurements);
    const onWhole = () => this.#judge();
    const sinks = {
      measurements: () => measurementMirror(this.measurements, onWhole),
      commands: () => commandMirror(this.commands, onWhole),
      alarms: () => alarmMirror(this.alarms, onWhole),
    };
    this.#feeds = kinds.map((kind) => {
      const sink = sinks[kind]();
      return { feed: new FeedMirror({ ...options, kind, sink }), isWhole: () => sink.isWhole };
    });
    this.#state = { isLive: false, cause: 'nothing has come yet', sinceUs: clock.now() };
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
    this.#cancelGrace?.();
    await Promise.all(this.#feeds.map(({ feed }) => feed.stop()));
  }

  /** There, gone, or started anew: then all of it is asked for again. */
  #siteChanged({ isUp, cause }: SiteState): void {
    for (const { feed } of this.#feeds) void feed.stop();
    this.#isHeard = isUp;
    if (!isUp) this.#lose(cause);
    else for (const { feed } of this.#feeds) feed.start();
  }

  #judge(): void {
    if (!this.#isHeard) return;
    const isWhole = this.#feeds.every((each) => each.isWhole());
    if (isWhole) {
      this.#cancelGrace?.();
      this.#cancelGrace = undefined;
      this.#tell(true, '');
    } else {
      this.#cancelGrace ??= this.#options.clock.after(graceMs, () => {
        this.#cancelGrace = undefined;
        this.#lose('not all of what it says arrives');
      });
    }
  }

  #lose(cause: string): void {
    this.#cancelGrace?.();
    this.#cancelGrace = undefined;
    if (!this.#state.isLive) this.#state = { ...this.#state, cause };
    else this.#tell(false, cause);
    loseMeasurements(this.measurements, this.#options.clock.now());
  }

  #tell(isLive: boolean, cause: string): void {
    if (this.#state.isLive === isLive) return;
    this.#state = { isLive, cause, sinceUs: this.#options.clock.now() };
    for (const observer of this.#observers) observer(this.#state);
  }
}
