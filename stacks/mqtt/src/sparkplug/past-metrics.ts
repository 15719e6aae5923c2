// Historical metrics, which an edge node sends after an outage: on their way to the archive, a batch at a time. They are never
// live values.
import { Batch, type Clock, type Value } from '@telltale/schema';
import { type ConnectorHistory, maxHistoryRecords, type StackLog } from '@telltale/stack-kit';

/** Of whose point the reading is: its id is that of the moment at which it is handed on. */
export interface PastOwner {
  readonly point: { readonly id: number };
}

export interface PastReading {
  readonly owner: PastOwner;
  /** Undefined: it was null, or does not fit. */
  readonly value: Value | undefined;
  readonly quality: number;
  readonly timeUs: number;
}

export interface PastMetricsOptions {
  readonly clock: Clock;
  readonly log: StackLog;
  readonly history: ConnectorHistory;
  /** Points that are gone, or that have another address by now, are not. */
  readonly isServed: (owner: PastOwner) => boolean;
}

/** Gathered for so long, so that messages of a few values share a batch. */
const gatherMs = 50;
/** An archive that does not take them is asked again after this long. */
const retryMs = 1000;
/** Those of a few seconds at the rate of an edge node; beyond, the oldest go. */
const maxWaiting = 100_000;

export class PastMetrics {
  readonly #options: PastMetricsOptions;
  #waiting: PastReading[] = [];
  #isPublishing = false;
  #isEnded = true;
  #cancel: (() => void) | undefined;
  #stored = 0;
  #dropped = 0;

  constructor(options: PastMetricsOptions) {
    this.#options = options;
  }

  /** The link is up: what is left from before is handed on as well. */
  begin(): void {
    this.#isEnded = false;
    this.#publishAfter(gatherMs);
  }

  end(): void {
    this.#isEnded = true;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  add(reading: PastReading): void {
    this.#waiting.push(reading);
    if (this.#waiting.length > maxWaiting) {
      // Half of them at once: one by one would be slow.
      this.#waiting.splice(0, maxWaiting / 2);
      this.#options.log.warn(`${maxWaiting / 2} historical values are lost: the archive does not take them in time`);
    }
    this.#publishAfter(gatherMs);
  }

  #publishAfter(ms: number): void {
    if (this.#isEnded || this.#isPublishing || this.#waiting.length === 0) return;
    this.#cancel ??= this.#options.clock.after(ms, () => {
      this.#cancel = undefined;
      this.#publish();
    });
  }

  async #publish(): Promise<void> {
    const { history, log, isServed } = this.#options;
    const readings = this.#waiting.splice(0, maxHistoryRecords).filter(({ owner }) => isServed(owner));
    // Each point's in order of time.
    readings.sort((one, other) => one.timeUs - other.timeUs);
    const batch = new Batch(readings.length);
    for (const { owner, value, quality, timeUs } of readings) {
      if (value === undefined) batch.none(owner.point.id, quality, timeUs);
      else batch.value(owner.point.id, value, quality, timeUs);
    }
    this.#isPublishing = true;
    let pauseMs = gatherMs;
    try {
      const { stored, dropped } = await history.publish(batch);
      this.#stored += stored;
      this.#dropped += dropped;
    } catch (error) {
      // They can be handed on again: the same time is the same record.
      this.#waiting.unshift(...readings);
      pauseMs = retryMs;
      log.debug(`the archive does not take historical values now: ${(error as Error).message}`);
    }
    this.#isPublishing = false;
    if (this.#waiting.length > 0) this.#publishAfter(pauseMs);
    else if (this.#stored + this.#dropped > 0) this.#tell();
  }

  #tell(): void {
    this.#options.log.debug(`historical values: ${this.#stored} archived, ${this.#dropped} left out`);
    this.#stored = this.#dropped = 0;
  }
}
