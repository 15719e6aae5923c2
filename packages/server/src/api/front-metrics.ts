// The metrics of the HTTP server: its connections and the bodies that it holds.
import type { BodyBudget } from './body-budget.ts';
import type { Connections } from './connections.ts';
import type { Metric } from './metrics.ts';

export function frontMetrics(connections: Connections, budget: BodyBudget): Metric[] {
  return [
    {
      name: 'telltale_http_connections',
      help: 'Open connections, those of the channel included.',
      type: 'gauge',
      read: () => connections.size,
    },
    {
      name: 'telltale_http_connections_closed_total',
      help: 'Connections that the service closed, by reason.',
      type: 'counter',
      labels: ['reason'],
      read: () => Object.entries(connections.closed).map(([reason, value]) => ({ labels: { reason }, value })),
    },
    {
      name: 'telltale_http_body_bytes',
      help: 'Bytes of bodies and of channel messages that are held in memory.',
      type: 'gauge',
      read: () => budget.held,
    },
    {
      name: 'telltale_http_bodies_refused_total',
      help: 'Bodies and channel messages for which there was no room beside others.',
      type: 'counter',
      read: () => budget.refused,
    },
  ];
}
