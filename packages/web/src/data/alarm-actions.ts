// What people do to alarms: each is done or refused by itself, and what became of each is told. Nothing is repeated here.
import type { ItemResult } from '@telltale/schema';
import type { AlarmOperation } from '@telltale/schema/values';
import { channel, client, TelltaleProblem } from './service.ts';

/** Why some were refused, by name; empty where all was done. */
export type Refusals = ReadonlyMap<string, string>;

/** As many as the service takes in one request. */
const mostAtOnce = 10_000;

/** Any number at once. Throws where nothing is known of any of them, such as that there is no link. */
export async function acknowledge(names: readonly string[]): Promise<Refusals> {
  const refused = new Map<string, string>();
  for (let from = 0; from < names.length; from += mostAtOnce) {
    for (const { name, result, error } of await acknowledgeSome(names.slice(from, from + mostAtOnce))) {
      if (!result) refused.set(name, error?.detail || error?.title || '');
    }
  }
  return refused;
}

async function acknowledgeSome(names: string[]): Promise<readonly ItemResult[]> {
  try {
    return (await channel.request('AckAlarms', { alarms: names })).results ?? [];
  } catch (error) {
    if (error instanceof TelltaleProblem && error.results.length > 0) return error.results;
    throw error;
  }
}

/** By hand, whatever its trigger says: the next change of its measurement evaluates it again. */
export function operateAlarm(name: string, operation: Exclude<AlarmOperation, 'acknowledge'>): Promise<void> {
  return client.alarms.operate(name, operation);
}
