// The alarms that wait for somebody at some measurements: those that they trigger.
import { alarms, isUnacknowledged } from './alarms.ts';
import { client } from './service.ts';

/** Of all that are not acknowledged, those of the measurements. */
export async function unacknowledgedOf(measurements: ReadonlySet<string>): Promise<string[]> {
  const waiting = [...alarms.peek().values()].filter(({ state }) => isUnacknowledged(state)).map(({ name }) => name);
  if (waiting.length === 0) return [];
  const found = await client.alarms.triggers({ names: waiting });
  return waiting.filter((name) => {
    const trigger = found[name]?.measurement ?? undefined;
    return trigger !== undefined && measurements.has(trigger);
  });
}
