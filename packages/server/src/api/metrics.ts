// What the service counts about itself, as Prometheus reads it.
import { type Family, familyNames } from '@telltale/schema';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface MetricSources {
  /** How many operations wait for the configuration's thread. */
  readonly configurationWaiting: () => number;
  readonly configurationObjects: () => Promise<Record<Family, number>>;
  readonly upToDate: () => Promise<boolean>;
}

export class HttpMetrics {
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
  count(method: string, route = 'none', status: number, elapsedMs: number): void {
    this.#requests.inc({ method, route, status });
    this.#duration.observe({ method, route }, elapsedMs / 1000);
  }

  watch({ configurationWaiting, configurationObjects, upToDate }: MetricSources): void {
    const registers = [this.registry];
    new Gauge({
      name: 'telltale_configuration_waiting',
      help: "Operations that wait for the configuration's thread.",
      registers,
      collect() {
        this.set(configurationWaiting());
      },
    });
    new Gauge({
      name: 'telltale_configuration_objects',
      help: 'Objects in the configuration database, by family.',
      labelNames: ['family'],
      registers,
      async collect() {
        const counts = await configurationObjects();
        for (const family of familyNames) this.set({ family }, counts[family]);
      },
    });
    new Gauge({
      name: 'telltale_configuration_up_to_date',
      help: 'Whether what runs equals the database.',
      registers,
      async collect() {
        this.set(Number(await upToDate()));
      },
    });
  }
}
