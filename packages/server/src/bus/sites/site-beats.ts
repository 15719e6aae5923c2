// The heartbeat of a site: says every second that it is there, and how it is.
import type { Clock } from '@telltale/schema';
import type { BusConnection } from '../connection/bus-connection.ts';
import { BusError } from '../connection/bus-error.ts';
import { beats } from '../subjects.ts';
import { type Beat, beatText } from './beat.ts';

export interface SiteBeatsOptions {
  readonly bus: Pick<BusConnection, 'publish'>;
  readonly clock: Clock;
  readonly site: string;
  readonly run: string;
  readonly version: string;
  /** Asked each time. */
  readonly facts: () => BeatFacts;
}

export type BeatFacts = Pick<Beat, 'name' | 'node' | 'epoch' | 'uplink' | 'points' | 'alarms'>;

/** Of which three may be lost before a centre counts the site as silent. */
export const beatMs = 1000;

export class SiteBeats {
  readonly #options: SiteBeatsOptions;
  #number = 0;
  #cancel: (() => void) | undefined;

  constructor(options: SiteBeatsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#beat(false);
    this.#cancel = this.#options.clock.after(beatMs, () => this.start());
  }

  /** `isEnd`: the site ends with it, as the last one says; no other node goes on. */
  stop(isEnd = true): void {
    if (this.#cancel === undefined) return;
    this.#cancel();
    this.#cancel = undefined;
    if (isEnd) this.#beat(true);
  }

  #beat(isEnding: boolean): void {
    const { bus, clock, site, run, version, facts } = this.#options;
    const times = { monotonicMs: clock.monotonicMs(), nowUs: Math.max(0, Math.floor(clock.now())) };
    const text = beatText({ run, number: ++this.#number, ...times, version, ...facts(), isEnding });
    try {
      bus.publish(beats.of(site), text);
    } catch (error) {
      // Who is not heard is silent: that is what the centre says then.
      if (!(error instanceof BusError)) throw error;
    }
  }
}
