// Passes records to the archive and counts the outcome of everything offered. Checks every time once: an invalid time
// is replaced, one that may be of a wrong clock is counted.
import type { Batch, Clock, StoredValue } from '@telltale/schema';
import { farthestAheadUs, type Kind, oldestPlausibleUs, type SeriesKey } from '../records.ts';

export interface RecordSink {
  /** A number for this series for as long as the server runs. */
  refOf(key: SeriesKey): number;
  /** What is being filled: always the same object. Its points are references to series. */
  readonly batch: Batch;
  /** Records were added: they are sent on within the commit interval. */
  added(): void;
}

export interface ArchivingCounts {
  /** Everything that a rule looked at: `handedOn` and all that was suppressed. */
  offered: number;
  handedOn: number;
  suppressed: {
    /** Too near to the value of the last record. */
    valueDeadband: number;
    /** Too soon after the last record. */
    timeDeadband: number;
    noValue: number;
    /** The last record says the same of the same time. */
    repeated: number;
    /** A reading of the past of an object that is not archived by change. */
    notArchived: number;
    /** A reading of the past that is none: of a time to come, or of no time. */
    notPast: number;
  };
  /** Of what was handed on: before 2000, or more than a day ahead. */
  astray: number;
  /** Of the records handed on: those that had an invalid time, and got the server's. */
  mistimed: number;
}

/** Names with a record astray, at most. */
const mostAstrayNames = 1000;
/** So many records in one go are sent on before more are made. */
const mostInBatch = 8192;

export class Recorder {
  readonly sink: RecordSink;
  readonly counts: ArchivingCounts = {
    offered: 0,
    handedOn: 0,
    suppressed: { valueDeadband: 0, timeDeadband: 0, noValue: 0, repeated: 0, notArchived: 0, notPast: 0 },
    astray: 0,
    mistimed: 0,
  };
  nowUs = 0;
  nowMs = 0;
  readonly #clock: Clock;
  #handedOnBefore = 0;
  readonly #astrayNames = new Set<string>();

  constructor(clock: Clock, sink: RecordSink) {
    this.#clock = clock;
    this.sink = sink;
  }

  /** `kind/name` of the first thousand that had a record astray. */
  get astrayNames(): ReadonlySet<string> {
    return this.#astrayNames;
  }

  /** Before anything is offered: the moment is that of the clock. */
  begin(): void {
    this.nowUs = wholeTime(this.#clock.now()) ?? 0;
    this.nowMs = this.#clock.monotonicMs();
    this.#handedOnBefore = this.counts.handedOn;
  }

  /** After everything was offered. */
  end(): void {
    if (this.counts.handedOn > this.#handedOnBefore) this.sink.added();
  }

  /** The time under which it is stored. */
  record(kind: Kind, name: string, ref: number, value: StoredValue, quality: number, givenUs: number): number {
    const { counts, sink } = this;
    let timeUs = wholeTime(givenUs);
    if (timeUs === undefined) {
      counts.mistimed++;
      timeUs = this.nowUs;
    }
    if (timeUs < oldestPlausibleUs || timeUs > this.nowUs + farthestAheadUs) {
      counts.astray++;
      if (this.#astrayNames.size < mostAstrayNames) this.#astrayNames.add(`${kind}/${name}`);
    }
    const { batch } = sink;
    if (typeof value === 'number') batch.number(ref, value, quality, timeUs);
    else if (typeof value === 'bigint') batch.long(ref, value, quality, timeUs);
    else batch.text(ref, value, quality, timeUs);
    counts.handedOn++;
    if (batch.count >= mostInBatch) sink.added();
    return timeUs;
  }
}

/** As whole microseconds; undefined where it is no time. */
function wholeTime(timeUs: number): number | undefined {
  const whole = Math.round(timeUs);
  return whole >= 0 && whole <= Number.MAX_SAFE_INTEGER ? whole + 0 : undefined;
}
