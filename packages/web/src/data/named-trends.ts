// Named trends: those that run, which everybody sees, and saving one as an edit of the configuration.
import type { Trend } from '@telltale/schema';
import { client } from './service.ts';

export interface NamedTrend {
  readonly name: string;
  readonly description: string;
  /** It is saved as an edit, and does not run yet. */
  readonly isPending: boolean;
}

/** By name; those that do not run yet for those alone who may read the configuration. */
export async function listTrends(mayReadConfiguration: boolean, signal: AbortSignal): Promise<NamedTrend[]> {
  const [running, configured] = await Promise.all([
    client.trends.list({ fields: ['name', 'description'], signal }),
    mayReadConfiguration ? client.configuration.names('trends', { signal }) : [],
  ]);
  const pending = configured.filter((name) => !Object.hasOwn(running, name));
  return [
    ...Object.values(running).map(({ name, description = '' }) => ({ name, description, isPending: false })),
    ...pending.map((name) => ({ name, description: '', isPending: true })),
  ].sort((one, other) => (one.name < other.name ? -1 : 1));
}

export function readTrend(name: string, signal: AbortSignal): Promise<Trend> {
  return client.trends.get(name, { signal });
}

/** An edit: others see it once the configuration is rendered. What it has beyond pens, axes and span is kept. */
export async function saveTrend(trend: Trend): Promise<void> {
  const { [trend.name]: before } = await client.configuration.list('trends', { names: [trend.name] });
  await client.configuration.put('trends', trend.name, { ...before, ...trend });
}
