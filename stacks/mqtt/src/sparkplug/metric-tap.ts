// A measurement that is a metric of an edge node, or a part of one, with its newest reading.
import { type Batch, type Clock, fitValue, quality, type Value } from '@telltale/schema';
import type { ReadingTrace, SourceTimes, StackPoint } from '@telltale/stack-kit';
import { type Metric, type MetricValue, metricQuality } from './metric.ts';
import type { MetricAddress } from './metric-address.ts';
import { describeValue, type Located, type Part, readPart } from './metric-part.ts';
import type { PastMetrics } from './past-metrics.ts';

export interface TapContext {
  readonly clock: Clock;
  readonly times: SourceTimes;
  /** How much older than its message a metric of data may be; 0: as old as it likes. */
  readonly maxAgeMs: number;
  readonly batch: Batch;
  /** For what is historical. */
  readonly past: PastMetrics;
}

/** Where a metric came from. */
export interface MetricMessage {
  readonly kind: 'born' | 'data';
  readonly sentMs: number | undefined;
}

export class MetricTap {
  point: StackPoint;
  readonly address: MetricAddress;
  /** In the present birth; undefined: it is not there. */
  located: Located | undefined;
  value: Value | undefined;
  quality = 0;
  heardUs: number | undefined;
  error: string | undefined;
  /** What was read last: the metric as a whole, or the part of it. */
  #raw: { readonly value?: MetricValue | undefined } | undefined;
  #timeUs = 0;

  constructor(point: StackPoint, address: MetricAddress) {
    this.point = point;
    this.address = address;
  }

  /** Of the metric that it is in. */
  read(metric: Metric, bornType: number | undefined, message: MetricMessage, context: TapContext): void {
    const part = this.located && readPart(metric, this.located.rest, bornType);
    if (part === undefined) return;
    if (part.isHistorical && message.kind === 'data') {
      this.#readPast(part, message, context);
      return;
    }
    this.#raw = this.located?.rest === '' ? metric : part;
    const value = part.value === undefined ? undefined : fitValue(this.point.datatype, part.value);
    if (value === undefined) {
      const error = part.value === undefined ? 'it has no value' : `it does not fit datatype ${this.point.datatype}`;
      this.set(undefined, quality.bad.sensorFailure, undefined, error, context);
      return;
    }
    this.#judge(value, part, message, context);
  }

  /** `timeUs`: now where it is not known. */
  set(
    value: Value | undefined,
    own: number,
    timeUs: number | undefined,
    error: string | undefined,
    context: TapContext,
  ): void {
    const nowUs = context.clock.now();
    this.value = value;
    this.quality = own;
    this.#timeUs = timeUs ?? nowUs;
    this.heardUs = nowUs;
    this.error = error;
    this.put(context.batch);
  }

  put(batch: Batch): void {
    if (this.heardUs === undefined) return;
    if (this.value === undefined) batch.none(this.point.id, this.quality, this.#timeUs);
    else batch.value(this.point.id, this.value, this.quality, this.#timeUs);
  }

  trace(): ReadingTrace | undefined {
    if (this.heardUs === undefined) return undefined;
    const { group, node, device, metric } = this.address;
    return {
      timeUs: this.heardUs,
      request: `metric ${metric} of ${group}/${node}${device && `/${device}`}`,
      raw: this.#raw && describeValue(this.#raw.value),
      value: this.value,
      error: this.error,
      device: device || node,
      scanPeriodMs: undefined,
    };
  }

  /** What was is no live value. Without any time, nobody knows when it was. */
  #readPast(part: Part, { sentMs }: MetricMessage, { past }: TapContext): void {
    const takenMs = part.timestampMs ?? sentMs;
    if (takenMs === undefined) return;
    const value = part.value === undefined ? undefined : fitValue(this.point.datatype, part.value);
    const own = value === undefined ? quality.bad.sensorFailure : qualityFrom(part.quality);
    past.add({ owner: this, value, quality: own, timeUs: takenMs * 1000 });
  }

  #judge(value: Value, part: Part, { kind, sentMs }: MetricMessage, context: TapContext): void {
    const { clock, times, maxAgeMs } = context;
    const own = qualityFrom(part.quality);
    const takenMs = part.timestampMs ?? sentMs;
    if (takenMs === undefined) {
      this.set(value, own, undefined, undefined, context);
      return;
    }
    times.judge(takenMs * 1000, sentMs === undefined ? undefined : sentMs * 1000, own);
    // A birth says what is, however long it has been so. Data says what has changed: what is old by then has waited
    // somewhere on its way. The first value of a metric that had none is as in a birth.
    const ageMs = (sentMs ?? Math.floor(clock.now() / 1000)) - takenMs;
    const isLate = kind === 'data' && maxAgeMs > 0 && ageMs > maxAgeMs && this.value !== undefined;
    const isDoubted = isLate && times.quality === quality.good;
    this.set(
      value,
      isDoubted ? quality.uncertain.lastUsableValue : times.quality,
      times.timeUs,
      isDoubted ? `its time is ${ageMs} ms before that of its message` : undefined,
      context,
    );
  }
}

/** Sparkplug has three; others that are met are an OPC quality, or not to be trusted. */
function qualityFrom(own: number | undefined): number {
  if (own === undefined || own === metricQuality.good) return quality.good;
  if (own === metricQuality.stale) return quality.uncertain.lastUsableValue;
  return own >= 0 && own < 0x80 ? own : quality.uncertain.nonSpecific;
}
