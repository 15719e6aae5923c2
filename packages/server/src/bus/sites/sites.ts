// The sites that a centre hears of: which there are, whether each is there, since when, and what it says of itself.
import type { Clock } from '@telltale/schema';
import type { BusConnection, BusMessage } from '../connection/bus-connection.ts';
import { beats, siteOfBeat } from '../subjects.ts';
import { type Beat, readBeat } from './beat.ts';
import { SiteTime } from './site-time.ts';

export interface SitesOptions {
  readonly bus: Pick<BusConnection, 'subscribe' | 'state'>;
  readonly clock: Clock;
}

export interface SiteState {
  readonly id: string;
  readonly isUp: boolean;
  readonly sinceUs: number;
  /** Why it is not there; empty: it is. */
  readonly cause: string;
  /** What it said last; undefined: nothing yet. */
  readonly beat: Beat | undefined;
  /** How far its time of day is ahead of that of this computer, the way of the message included. */
  readonly aheadUs: number;
  /** Two servers say in turn that they are this site. */
  readonly isTwice: boolean;
}

/** How to say to a site until when something counts. */
export interface SiteMoment {
  readonly run: string;
  readonly epoch: number | null;
  /** By the site's monotonic clock, and not later than it is there. */
  readonly monotonicMs: number;
}

interface Known {
  state: SiteState;
  time: SiteTime;
  /** The start before the present one, and when it was heard last. */
  before: { readonly run: string; readonly atMs: number } | undefined;
  /** How often it may still be back, or another start; and when that was counted. */
  begins: { readonly left: number; readonly atMs: number };
}

/** A loss shows within 5 s: after so long nothing of a site counts. */
export const silentMs = 3500;
const checkMs = 500;
/**
 * All that is mirrored of a site begins again when it is back or was started anew. One that says so more often than so many times at once,
 * and then once in so long, is not heard.
 */
const mostBegins = 5;
const beginMs = 1000;
/** For so long after a site was started anew, what its start before says is a second server of the same id. */
const twinMs = 60_000;

const newer = 'it is of a newer version, which this centre does not understand: bring the centre up to date';

export class Sites {
  readonly #options: SitesOptions;
  readonly #known = new Map<string, Known>();
  readonly #observers = new Set<(site: SiteState) => void>();
  #leave: (() => Promise<void>) | undefined;
  #cancel = () => {};

  constructor(options: SitesOptions) {
    this.#options = options;
  }

  start(): void {
    this.#leave = this.#options.bus.subscribe(beats.all, (message) => this.#hear(message));
    this.#checkLater();
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#leave?.();
  }

  /** Called when a site is there, or no longer; or when it is another start of it. */
  observe(observer: (site: SiteState) => void): () => void {
    this.#observers.add(observer);
    return () => void this.#observers.delete(observer);
  }

  get all(): SiteState[] {
    return Array.from(this.#known.values(), ({ state }) => state);
  }

  of(id: string): SiteState | undefined {
    return this.#known.get(id)?.state;
  }

  /** One that was heard before this centre started: it is listed, and not there until it is heard. */
  expect(id: string): void {
    if (!this.#known.has(id)) this.#known.set(id, this.#unheard(id));
  }

  /** Undefined: it is not there. */
  momentAt(id: string): SiteMoment | undefined {
    const { state, time } = this.#known.get(id) ?? {};
    if (time === undefined || state?.beat === undefined || !state.isUp) return undefined;
    const { run, epoch } = state.beat;
    return { run, epoch, monotonicMs: time.atSiteMs(this.#options.clock.monotonicMs()) };
  }

  #hear({ subject, data }: BusMessage): void {
    const id = siteOfBeat(subject);
    const beat = readBeat(data);
    if (id === undefined || beat === undefined) return;
    const nowMs = this.#options.clock.monotonicMs();
    const known = this.#known.get(id) ?? this.#unheard(id);
    this.#known.set(id, known);
    if (beat === 'newer') {
      this.#tell(known, { cause: newer });
      return;
    }
    const last = known.state.beat;
    if (last !== undefined && beat.run === last.run && beat.number <= last.number) return;
    if (last !== undefined && known.state.isUp && isOutdated(beat, last)) return;
    const isAnother = last?.run !== beat.run;
    const left = Math.min(mostBegins, known.begins.left + (nowMs - known.begins.atMs) / beginMs);
    if (isAnother && left < 1) return;
    let { isTwice } = known.state;
    if (isAnother) {
      isTwice = known.before?.run === beat.run && nowMs - known.before.atMs < twinMs;
      known.before = last && { run: last.run, atMs: nowMs };
      known.time = new SiteTime();
    } else if (isTwice && known.before !== undefined) isTwice = nowMs - known.before.atMs < twinMs;
    known.time.hear(beat.monotonicMs, nowMs);
    const aheadUs = beat.nowUs - this.#options.clock.now();
    const cause = beat.isEnding ? 'it was stopped' : this.#isLate(known, nowMs) ? 'what it says comes late' : '';
    const isBack = cause === '' && !known.state.isUp;
    if (isBack && left < 1) return;
    if (isBack || isAnother) known.begins = { left: left - 1, atMs: nowMs };
    this.#tell(known, { beat, aheadUs, isTwice, cause }, isAnother);
  }

  #tell(known: Known, change: Partial<SiteState> & { readonly cause: string }, isAnother = false): void {
    const { state } = known;
    const isUp = change.cause === '';
    const sinceUs = isUp === state.isUp && !isAnother ? state.sinceUs : this.#options.clock.now();
    known.state = { ...state, ...change, isUp, sinceUs };
    if (isUp === state.isUp && !isAnother) return;
    for (const observer of this.#observers) observer(known.state);
  }

  #isLate({ time }: Known, nowMs: number): boolean {
    return time.ageMs(nowMs) > silentMs;
  }

  #checkLater(): void {
    const { clock } = this.#options;
    const dueMs = clock.monotonicMs() + checkMs;
    this.#cancel = clock.after(checkMs, () => {
      const nowMs = clock.monotonicMs();
      // Where this computer stood still, what came meanwhile is heard first.
      if (nowMs - dueMs < checkMs) this.#check(nowMs);
      this.#checkLater();
    });
  }

  #check(nowMs: number): void {
    const { isUp, text } = this.#options.bus.state;
    const cause = isUp ? 'nothing is heard of it' : `the centre is not connected to the bus: ${text}`;
    for (const known of this.#known.values()) {
      if (known.state.isUp && this.#isLate(known, nowMs)) this.#tell(known, { cause });
    }
  }

  #unheard(id: string): Known {
    const sinceUs = this.#options.clock.now();
    const cause = 'it has not been heard yet';
    const state = { id, isUp: false, sinceUs, cause, beat: undefined, aheadUs: 0, isTwice: false };
    return { state, time: new SiteTime(), before: undefined, begins: { left: mostBegins, atMs: 0 } };
  }
}

/** A node that does not know yet that another one leads. */
function isOutdated({ node, run, epoch }: Beat, last: Beat): boolean {
  if (run === last.run || typeof node !== 'string' || typeof last.node !== 'string') return false;
  return epoch !== null && last.epoch !== null && epoch < last.epoch;
}
