// Counts answers by route and status, and their durations: plain numbers on the path of every request, converted to
// Prometheus metrics when they are scraped. The library's own counters cost a fifth of a short answer.

export type CountAnswer = (status: number, elapsedMs: number) => void;

/** Upper ends, in milliseconds. */
const bounds = [1, 5, 25, 100, 500, 2500, 10_000] as const;

interface RouteCounts {
  readonly method: string;
  readonly route: string;
  readonly byStatus: Map<number, number>;
  /** How many took at most as long as each bound, but longer than the one before; the last has no bound. */
  readonly byDuration: Float64Array;
  sumMs: number;
}

/** A figure as the registry of prom-client takes it. */
interface RegistrySample {
  readonly labels: Record<string, string | number>;
  readonly value: number;
  readonly metricName?: string;
}

/** The interface that the registry requires of a metric. */
export interface RegistryMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'histogram';
  readonly aggregator: 'sum';
  get(): Promise<RegistryMetric & { readonly values: RegistrySample[] }>;
}

const durationName = 'telltale_http_request_seconds';

export class AnswerCounts {
  readonly #routes = new Map<string, RouteCounts>();

  /** `route` is the pattern, never the path: names would make as many series as a stranger likes. */
  counterOf(method: string, route: string): CountAnswer {
    const key = `${method} ${route}`;
    const counts = this.#routes.get(key) ?? {
      method,
      route,
      byStatus: new Map<number, number>(),
      byDuration: new Float64Array(bounds.length + 1),
      sumMs: 0,
    };
    this.#routes.set(key, counts);
    const { byStatus, byDuration } = counts;
    return (status, elapsedMs) => {
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
      let bound = 0;
      while (bound < bounds.length && elapsedMs > (bounds[bound] as number)) bound++;
      byDuration[bound] = (byDuration[bound] as number) + 1;
      counts.sumMs += elapsedMs;
    };
  }

  metrics(): RegistryMetric[] {
    return [
      metric('telltale_http_requests_total', 'Requests answered, by method, route and status.', 'counter', () =>
        Iterator.from(this.#routes.values()).flatMap(requestSamples),
      ),
      metric(durationName, 'Time from a request to the end of its answer.', 'histogram', () =>
        Iterator.from(this.#routes.values()).flatMap(durationSamples),
      ),
    ];
  }
}

function metric(
  name: string,
  help: string,
  type: RegistryMetric['type'],
  samples: () => Iterable<RegistrySample>,
): RegistryMetric {
  const described = { name, help, type, aggregator: 'sum' as const };
  const made: RegistryMetric = { ...described, get: async () => ({ ...made, values: [...samples()] }) };
  return made;
}

function* requestSamples({ method, route, byStatus }: RouteCounts): Generator<RegistrySample> {
  for (const [status, value] of byStatus) yield { labels: { method, route, status }, value };
}

function* durationSamples({ method, route, byDuration, sumMs }: RouteCounts): Generator<RegistrySample> {
  let count = 0;
  for (const [index, value] of byDuration.entries()) {
    count += value;
    const bound = bounds[index];
    const le = bound === undefined ? '+Inf' : bound / 1000;
    yield { metricName: `${durationName}_bucket`, labels: { method, route, le }, value: count };
  }
  yield { metricName: `${durationName}_sum`, labels: { method, route }, value: sumMs / 1000 };
  yield { metricName: `${durationName}_count`, labels: { method, route }, value: count };
}
