// Metrics by what they are, under the name of the service.
import type { Metric } from './api/index.ts';

export function gauge(name: string, help: string, read: () => number): Metric {
  return { name: `telltale_${name}`, help, type: 'gauge', read };
}

export function counter(name: string, help: string, read: () => number): Metric {
  return { name: `telltale_${name}`, help, type: 'counter', read };
}

/** One figure a word. */
export function labelled(
  type: Metric['type'],
  name: string,
  help: string,
  label: string,
  read: () => Readonly<Record<string, number>>,
): Metric {
  const samples = () => Object.entries(read()).map(([word, value]) => ({ labels: { [label]: word }, value }));
  return { name: `telltale_${name}`, help, type, labels: [label], read: samples };
}
