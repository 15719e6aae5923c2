// The metrics of the service, for Prometheus. Requests are counted as they are answered; everything else is collected
// on a scrape.
import { Counter, collectDefaultMetrics, Gauge, type Metric as PromMetric, Registry } from 'prom-client';
import { AnswerCounts } from './answer-counts.ts';

/** A figure with its labels, such as `{ connector: 'plc' }`. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Metric {
  readonly name: string;
  readonly help: string;
  /** A counter only grows, and begins at 0 when the service starts. */
  readonly type: 'gauge' | 'counter';
  readonly labels?: readonly string[];
  /** At once: the monitoring of a busy service is not delayed. */
  readonly read: () => Iterable<Sample> | number;
}

export class Metrics {
  readonly registry = new Registry();
  readonly answers = new AnswerCounts();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    for (const metric of this.answers.metrics()) this.registry.registerMetric(metric as unknown as PromMetric);
  }

  watch(metrics: readonly Metric[]): void {
    for (const { name, help, type, labels = [], read } of metrics) {
      const options = { name, help, labelNames: [...labels], registers: [this.registry] };
      const samples = (): Iterable<Sample> => {
        const found = read();
        return typeof found === 'number' ? [{ value: found }] : found;
      };
      if (type === 'gauge') {
        new Gauge({
          ...options,
          collect() {
            this.reset();
            for (const { labels: of = {}, value } of samples()) this.set(of, value);
          },
        });
      } else {
        new Counter({
          ...options,
          collect() {
            this.reset();
            for (const { labels: of = {}, value } of samples()) this.inc(of, value);
          },
        });
      }
    }
  }
}
