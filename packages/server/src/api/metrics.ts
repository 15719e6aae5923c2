// What the service counts about itself, as Prometheus reads it. Requests are counted as they are answered; everything
// else is asked for when somebody reads.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** A figure with what it belongs to, such as `{ connector: 'plc' }`. */
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
  readonly read: () => Iterable<Sample> | number | Promise<Iterable<Sample> | number>;
}

/** Counts one answer. */
export type CountAnswer = (status: number, elapsedMs: number) => void;

export class Metrics {
  readonly registry = new Registry();
  readonly #requests: Counter<'method' | 'route' | 'status'>;
  readonly #duration: Histogram<'method' | 'route'>;

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    this.#requests = new Counter({
      name: 'telltale_http_requests_total',
      help: 'Requests answered, by method, route and status.',
      labelNames: ['method', 'route', 'status'],
      registers: [this.registry],
    });
    this.#duration = new Histogram({
      name: 'telltale_http_request_seconds',
      help: 'Time from a request to the end of its answer.',
      labelNames: ['method', 'route'],
      buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10],
      registers: [this.registry],
    });
  }

  /** `route` is the pattern, never the path: names would make as many series as a stranger likes. */
  counterOf(method: string, route: string): CountAnswer {
    const duration = this.#duration.labels(method, route);
    const byStatus = new Map<number, { inc(): void }>();
    return (status, elapsedMs) => {
      let counter = byStatus.get(status);
      if (counter === undefined) {
        counter = this.#requests.labels(method, route, String(status));
        byStatus.set(status, counter);
      }
      counter.inc();
      duration.observe(elapsedMs / 1000);
    };
  }

  watch(metrics: readonly Metric[]): void {
    for (const { name, help, type, labels = [], read } of metrics) {
      const options = { name, help, labelNames: [...labels], registers: [this.registry] };
      const samples = async (): Promise<Iterable<Sample>> => {
        const found = await read();
        return typeof found === 'number' ? [{ value: found }] : found;
      };
      if (type === 'gauge') {
        new Gauge({
          ...options,
          async collect() {
            this.reset();
            for (const { labels: of = {}, value } of await samples()) this.set(of, value);
          },
        });
      } else {
        new Counter({
          ...options,
          async collect() {
            this.reset();
            for (const { labels: of = {}, value } of await samples()) this.inc(of, value);
          },
        });
      }
    }
  }
}
