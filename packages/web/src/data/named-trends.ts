// Named trends: those that run, which everybody sees, and saving one as an edit of the configuration.
import type { Trend } from '@telltale/schema';
import { client } from './service.ts';

export interface NamedTrend {
  readonly name: string;
  readonly description: string;
}

/** By name. */
export async function listTrends(signal: AbortSignal): Promise<NamedTrend[]> {
  const found = await client.trends.list({ fields: ['name', 'description'], signal });
  return Object.values(found)
    .map(({ name, description = '' }) => ({ name, description }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

export function readTrend(name: string, signal: AbortSignal): Promise<Trend> {
  return client.trends.get(name, { signal });
}

/** An edit: others see it once the configuration is rendered. What it has beyond pens, axes and span is kept. */
export async function saveTrend(trend: Trend): Promise<void> {
  const { [trend.name]: before } = await client.configuration.list('trends', { names: [trend.name] });
  await client.configuration.put('trends', trend.name, { ...before, ...trend });
}
