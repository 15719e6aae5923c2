// What raises an alarm: its measurement, or what the alarm of a device is about, and its limit; and which alarms a measurement has.
import type { ReadonlySignal } from '@preact/signals';
import type { AlarmTrigger } from '@telltale/schema';
import { Gathered } from './gathered.ts';
import { client } from './service.ts';

export type { AlarmTrigger };

const measurements = new Gathered<string | undefined>({
  pending: undefined,
  read: async (names) => {
    const found = await client.alarms.triggers({ names });
    return (name) => found[name]?.measurement ?? undefined;
  },
});

const alarms = new Gathered<readonly string[]>({
  pending: [],
  read: async (names) => {
    const found = Object.values(await client.alarms.triggers({ measurements: names }));
    const byMeasurement = Map.groupBy(found, ({ measurement }) => measurement);
    return (name) => byMeasurement.get(name)?.map((alarm) => alarm.name) ?? [];
  },
});

/** Undefined until it is known, and where there is none. */
export function triggerOf(alarm: string): ReadonlySignal<string | undefined> {
  return measurements.of(alarm);
}

/** Those that a measurement triggers, or a device raises about it. */
export function alarmsAt(measurement: string): ReadonlySignal<readonly string[]> {
  return alarms.of(measurement);
}

/** Undefined: there is no such alarm. */
export async function readTrigger(alarm: string, signal: AbortSignal): Promise<AlarmTrigger | undefined> {
  return (await client.alarms.triggers({ names: [alarm], signal }))[alarm];
}

/** The most severe first. */
export async function readTriggersOf(measurement: string, signal: AbortSignal): Promise<AlarmTrigger[]> {
  const found = Object.values(await client.alarms.triggers({ measurements: [measurement], signal }));
  return found.sort((one, other) => one.severity - other.severity);
}
