// A simulated site of a benchmark: it is on the bus by the parts of a real one; its archive is a pattern.
import { systemClock } from '@telltale/schema';
import {
  type BeatFacts,
  BusConnection,
  BusStore,
  inboxOf,
  parseBusAddress,
  SiteBeats,
} from '../packages/server/src/bus/index.ts';
import type { ParcelStore } from '../packages/server/src/store/index.ts';
import { Sender, type SenderState } from '../packages/server/src/store/sender.ts';
import { PatternArchive, type PatternArchiveOptions } from './pattern-archive.ts';

export interface UplinkSiteOptions extends PatternArchiveOptions {
  readonly url: string;
  readonly id: string;
  readonly gatherMs: number;
}

export class UplinkSite {
  readonly #options: UplinkSiteOptions;
  readonly #archive: PatternArchive;
  readonly #bus: BusConnection;
  readonly #sender: Sender;
  readonly #beats: SiteBeats;
  #state: SenderState | undefined;
  /** Of each parcel: until it was answered, in ms. */
  readonly answers: number[] = [];

  constructor(options: UplinkSiteOptions) {
    const { url, id, gatherMs } = options;
    this.#options = options;
    const clock = systemClock;
    this.#archive = new PatternArchive(options, () => this.#sender.more());
    this.#bus = new BusConnection({ clock, address: parseBusAddress(url), name: id, inbox: inboxOf(id) });
    const store = this.#timed(new BusStore({ bus: this.#bus }));
    const onState = (state: SenderState) => {
      this.#state = state;
    };
    this.#sender = new Sender({
      site: id,
      clock,
      archive: this.#archive.link,
      store,
      areEpochsGiven: false,
      gatherMs,
      onState,
    });
    this.#bus.observe(({ isUp }) => isUp && this.#sender.retry());
    const facts = (): BeatFacts => ({ name: id, epoch: this.#state?.epoch ?? null, uplink: uplinkOf(this.#state) });
    this.#beats = new SiteBeats({ bus: this.#bus, clock, site: id, run: `run-${id}`, version: '1', facts });
  }

  start(): void {
    this.#bus.start();
    this.#beats.start();
    this.#sender.start();
    this.#scanLater();
  }

  get scans(): number {
    return this.#archive.scans;
  }

  /** The store has it. */
  get sent(): number {
    return this.#state?.sent ?? 0;
  }

  get failure(): string | undefined {
    return this.#state?.failure;
  }

  #scanLater(): void {
    const { startMs, periodMs, scansAtMost } = this.#options;
    if (this.scans === scansAtMost) return;
    const inMs = Math.max(0, startMs + this.scans * periodMs - Date.now()) + 1;
    systemClock.after(inMs, () => {
      this.#sender.more();
      this.#scanLater();
    });
  }

  #timed(store: BusStore): ParcelStore {
    return {
      get mostBytes() {
        return store.mostBytes;
      },
      newest: (...args) => store.newest(...args),
      claim: (...args) => store.claim(...args),
      send: async (...args) => {
        const startMs = performance.now();
        const received = await store.send(...args);
        this.answers.push(performance.now() - startMs);
        return received;
      },
    };
  }
}

function uplinkOf(state: SenderState | undefined): BeatFacts['uplink'] {
  if (state === undefined) return null;
  const { failure = null, epoch = null, sentAtUs, isIdle: _, ...counts } = state;
  return { ...counts, failure, epoch, sentAtUs: sentAtUs === undefined ? null : Math.floor(sentAtUs) };
}
