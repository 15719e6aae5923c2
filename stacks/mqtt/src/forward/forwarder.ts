// Sends what the archive has of outages, in order of time and at a bounded rate, while present values are sent beside it. What
// it has sent is not asked for again unless the receiver is lost soon after.
import { type Clock, pause } from '@telltale/schema';
import {
  type ForwardingDetail,
  type HistoryRecord,
  maxHistoryRecords,
  type ProviderHistory,
  Refused,
  type ServedPoint,
  type StackLog,
} from '@telltale/stack-kit';
import { MissingTimes, type Span } from './missing-times.ts';

export interface PastValue {
  readonly served: ServedPoint;
  readonly record: HistoryRecord;
}

export interface ForwarderOptions {
  readonly clock: Clock;
  readonly log: StackLog;
  readonly folder: string;
  readonly history: ProviderHistory;
  readonly forwardHours: number;
  readonly forwardRate: number;
  readonly forwardOverlapMs: number;
  /** Whose values are sent. */
  readonly points: () => readonly ServedPoint[];
  /**
   * Sends a few, in order of time, and says how many: those of points that are gone, or have another datatype by now, are not
   * sent. Throws where the link is lost.
   */
  readonly send: (values: readonly PastValue[], signal: AbortSignal) => Promise<number>;
}

const presentEveryMs = 1000;
/** The archive has what came before the link was up after this long. */
const settleMs = 2000;
/** Read at once, before any of them is sent. */
const maxValues = 50_000;
const fewValues = 5000;
const valuesAMessage = 500;
/** Of the archive, which others read as well. */
const readsAtOnce = 4;
const busyMs = 1000;
const firstSliceUs = 60_000_000;
const leastSliceUs = 1000;
const mostSliceUs = 24 * 3_600_000_000;

export class Forwarder {
  readonly #options: ForwarderOptions;
  #missing: MissingTimes | undefined;
  #sliceUs = firstSliceUs;
  #ending: AbortController | undefined;
  #running: Promise<void> | undefined;
  #sent = 0;
  #givenUp = 0;

  constructor(options: ForwarderOptions) {
    this.#options = options;
  }

  /** Undefined where nothing is forwarded. */
  detail(): ForwardingDetail | undefined {
    const { forwardHours, points } = this.#options;
    if (forwardHours === 0 || points().length === 0) return undefined;
    const lostUs = this.#ending === undefined ? this.#missing?.presentUs : undefined;
    return { sent: this.#sent, givenUp: this.#givenUp, waitingSinceUs: this.#missing?.first?.sinceUs ?? lostUs };
  }

  /** The receiver is there from now on, until `end`, and has the present values. */
  async begin(): Promise<void> {
    const { clock, log, folder, forwardHours, forwardOverlapMs } = this.#options;
    if (forwardHours === 0 || this.#options.points().length === 0) return;
    const beganUs = clock.now();
    const ending = new AbortController();
    this.#ending = ending;
    const maxAgeUs = forwardHours * 3_600_000_000;
    this.#missing ??= await MissingTimes.load({ folder, log, overlapUs: forwardOverlapMs * 1000, maxAgeUs });
    if (ending.signal.aborted) return;
    const old = this.#missing.begin(beganUs);
    this.#watch(this.#missing, ending.signal);
    this.#running = this.#run(this.#missing, old, ending.signal).catch((error) => {
      if (!ending.signal.aborted) log.error(`values of an outage are not sent: ${error}`);
    });
  }

  /** Nothing is sent any more. `isPresent`: the receiver has had everything up to now; else it was lost some time ago. */
  async end(isPresent: boolean): Promise<void> {
    if (isPresent && this.#ending !== undefined) this.#missing?.present(this.#options.clock.now());
    this.#ending?.abort(new Error('the link is lost'));
    this.#ending = undefined;
    await this.#running;
    await this.#missing?.stored();
  }

  #watch(missing: MissingTimes, signal: AbortSignal): void {
    const { clock } = this.#options;
    clock.after(presentEveryMs, () => {
      if (signal.aborted) return;
      missing.present(clock.now());
      this.#watch(missing, signal);
    });
  }

  async #run(missing: MissingTimes, old: Span | undefined, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    await pause(clock, settleMs, signal);
    if (old !== undefined) await this.#giveUp(old, signal);
    const before = this.#sent;
    for (let span = missing.first; span !== undefined; span = missing.first) {
      signal.throwIfAborted();
      const slice = { sinceUs: span.sinceUs, untilUs: Math.min(span.untilUs, span.sinceUs + this.#sliceUs) };
      const values = await this.#read(slice, signal);
      if (values === undefined) {
        this.#sliceUs = Math.max(leastSliceUs, Math.floor((slice.untilUs - slice.sinceUs) / 2));
        continue;
      }
      await this.#send(values, signal);
      missing.sentUntil(slice.untilUs, clock.now());
      if (values.length < fewValues) this.#sliceUs = Math.min(mostSliceUs, this.#sliceUs * 2);
    }
    const count = this.#sent - before;
    if (count > 0) log.info(`${count} values of outages have been sent`);
  }

  /** Of all points, in order of time; undefined where they are too many at once. */
  async #read(slice: Span, signal: AbortSignal): Promise<PastValue[] | undefined> {
    const values: PastValue[] = [];
    const points = [...this.#options.points()].values();
    const isLeast = slice.untilUs - slice.sinceUs <= leastSliceUs;
    let isTooMuch = false;
    const next = async () => {
      for (const served of points) {
        for await (const records of this.#pages(served, slice, signal)) {
          for (const record of records) values.push({ served, record });
          isTooMuch ||= values.length > maxValues && !isLeast;
          if (isTooMuch) return;
        }
      }
    };
    await Promise.all(Array.from({ length: readsAtOnce }, next));
    return isTooMuch ? undefined : values.sort((a, b) => a.record.timeUs - b.record.timeUs);
  }

  async *#pages(served: ServedPoint, { sinceUs, untilUs }: Span, signal: AbortSignal) {
    const { history } = this.#options;
    const request = { sinceUs, untilUs, limit: maxHistoryRecords };
    let page = await this.#patiently(() => history.read(served.point, request, signal), signal);
    while (page !== undefined) {
      yield page.records;
      const { cursor } = page;
      if (cursor === undefined) return;
      page = await this.#patiently(() => history.read(served.point, { ...request, cursor }, signal), signal);
    }
  }

  /** An archive that is busy is asked again; undefined where the point is gone meanwhile. */
  async #patiently<Answer>(ask: () => Promise<Answer>, signal: AbortSignal): Promise<Answer | undefined> {
    const { clock, points } = this.#options;
    for (const before = points(); ; ) {
      signal.throwIfAborted();
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        if (points() !== before) return undefined;
        await pause(clock, busyMs, signal);
      }
    }
  }

  async #send(values: readonly PastValue[], signal: AbortSignal): Promise<void> {
    const { clock, send, forwardRate } = this.#options;
    for (let at = 0; at < values.length; at += valuesAMessage) {
      const part = values.slice(at, at + valuesAMessage);
      const startMs = clock.monotonicMs();
      this.#sent += await send(part, signal);
      const restMs = (part.length / forwardRate) * 1000 - (clock.monotonicMs() - startMs);
      if (restMs > 0) await pause(clock, restMs, signal);
      signal.throwIfAborted();
    }
  }

  /** Counts what is too old. */
  async #giveUp({ sinceUs, untilUs }: Span, signal: AbortSignal): Promise<void> {
    const { history, log, forwardHours } = this.#options;
    const request = { sinceUs, untilUs, stepUs: untilUs - sinceUs, aggregate: 'count' as const };
    let count = 0;
    for (const { point } of this.#options.points()) {
      const counts = await this.#patiently(() => history.aggregate(point, request, signal), signal);
      for (const { value } of counts ?? []) count += Number(value);
    }
    this.#givenUp += count;
    if (count > 0) log.warn(`${count} values of an outage are not sent: they are older than ${forwardHours} h`);
  }
}
