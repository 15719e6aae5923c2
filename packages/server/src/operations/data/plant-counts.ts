// Counts of the live objects that somebody may view, and the most urgent alarm of those that wait for a person.
import {
  type LiveAlarm,
  mostSeverities,
  type Overview,
  quality,
  type SeverityCounts,
  toTimestamp,
} from '@telltale/schema';
import type { Alarms } from '../../alarms/index.ts';
import { countQuality, noQualities, stepItems } from '../../points/index.ts';
import type { View, ViewedObjects } from './views.ts';

export type PlantCounts = Pick<Overview, 'measurements' | 'commands' | 'alarms'>;

/** In steps: each object as it is in its step. */
export function* plantCounts(objects: ViewedObjects, view?: View): Generator<void, PlantCounts> {
  return {
    measurements: yield* countMeasurements(objects, view),
    commands: view === undefined ? objects.commands.size : yield* countVisible(view.commands.handles()),
    alarms: yield* countAlarms(objects.alarms, view),
  };
}

function* countMeasurements({ measurements }: ViewedObjects, view: View | undefined) {
  const counts = { ...noQualities(), simulated: 0 };
  let items = 0;
  for (const handle of view?.measurements.handles() ?? measurements.all()) {
    if (handle >= 0) {
      const status = measurements.qualityOf(handle);
      countQuality(counts, status);
      if ((status & quality.simulated) !== 0) counts.simulated++;
    }
    if (++items % stepItems === 0) yield;
  }
  return counts;
}

function* countVisible(handles: Iterable<number>): Generator<void, number> {
  let count = 0;
  let items = 0;
  for (const handle of handles) {
    if (handle >= 0) count++;
    if (++items % stepItems === 0) yield;
  }
  return count;
}

function* countAlarms(alarms: Alarms, view: View | undefined): Generator<void, Overview['alarms']> {
  const states = { INACT_ACK: 0, ACT_UNACK: 0, ACT_ACK: 0, INACT_UNACK: 0 };
  const bySeverity = new Map<number, SeverityCounts>();
  let mostUrgent: Urgent | undefined;
  let items = 0;
  for (const handle of view?.alarms.handles() ?? alarms.all()) {
    if (handle >= 0) {
      const { state, timeUs } = alarms.stateOf(handle);
      states[state]++;
      if (state !== 'INACT_ACK') {
        const { severity } = alarms.alarmOf(handle);
        const counts = bySeverity.get(severity) ?? { severity, ACT_UNACK: 0, ACT_ACK: 0, INACT_UNACK: 0 };
        counts[state]++;
        bySeverity.set(severity, counts);
        if (state !== 'ACT_ACK' && isMoreUrgent({ severity, timeUs }, mostUrgent)) {
          mostUrgent = { severity, timeUs, alarm: liveAlarm(alarms, handle) };
        }
      }
    }
    if (++items % stepItems === 0) yield;
  }
  const severities = [...bySeverity.values()].sort((a, b) => a.severity - b.severity).slice(0, mostSeverities);
  return { ...states, severities, 'most-urgent': mostUrgent?.alarm ?? null };
}

interface Urgent {
  readonly severity: number;
  readonly timeUs: number;
  readonly alarm: LiveAlarm;
}

/** The gravest, and of these the newest: what is older was seen before. */
function isMoreUrgent({ severity, timeUs }: Omit<Urgent, 'alarm'>, other: Urgent | undefined): boolean {
  if (other === undefined || severity < other.severity) return true;
  return severity === other.severity && timeUs > other.timeUs;
}

export function liveAlarm(alarms: Alarms, handle: number): LiveAlarm {
  const { name, state, timeUs, authority } = alarms.stateOf(handle);
  const { severity, area } = alarms.alarmOf(handle);
  const description = alarms.descriptionOf(handle);
  return { name, severity, t: toTimestamp(timeUs), authority, state, description, ...(area && { area }) };
}
