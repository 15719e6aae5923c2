// What raises an alarm: its measurement and limit; and which alarms look at a measurement.
import type { AlarmTrigger } from '@telltale/schema';
import { client } from './service.ts';

export type { AlarmTrigger };

/** Undefined: there is no such alarm. */
export async function readTrigger(alarm: string, signal: AbortSignal): Promise<AlarmTrigger | undefined> {
  return (await client.alarms.triggers({ names: [alarm], signal }))[alarm];
}

/** The most severe first. */
export async function readTriggersOf(measurement: string, signal: AbortSignal): Promise<AlarmTrigger[]> {
  const found = Object.values(await client.alarms.triggers({ measurements: [measurement], signal }));
  return found.sort((one, other) => one.severity - other.severity);
}
