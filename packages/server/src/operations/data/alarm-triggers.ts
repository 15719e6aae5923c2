// What raises alarms, as they run. Nothing is said of a measurement that is out of view.
import { type Alarm, type AlarmTrigger, formatPrefixed, parseText, ValueError } from '@telltale/schema';
import { delayMsOf } from '../../alarms/index.ts';
import { handlesOf, stepItems } from '../../points/index.ts';
import type { View, ViewedObjects } from './views.ts';

export interface TriggerSelection {
  /** Of alarms; all where not given. */
  readonly names?: readonly string[] | undefined;
  readonly measurements?: readonly string[] | undefined;
}

/** In steps. */
export function* alarmTriggers(
  objects: ViewedObjects,
  { names, measurements }: TriggerSelection,
  view: View | undefined,
): Generator<void, AlarmTrigger[]> {
  const { alarms } = objects;
  const wanted = measurements && new Set(measurements);
  const handles = names === undefined ? alarms.all() : handlesOf(names, (name) => alarms.find(name));
  const found: AlarmTrigger[] = [];
  let items = 0;
  for (const handle of handles) {
    if (++items % stepItems === 0) yield;
    const alarm = alarms.definitionAt(handle);
    if (alarm === undefined || view?.alarms.has(handle) === false) continue;
    const trigger = triggerOf(alarm, objects, view);
    if (wanted === undefined || (trigger.measurement !== null && wanted.has(trigger.measurement))) found.push(trigger);
  }
  return found;
}

function triggerOf(alarm: Alarm, { measurements }: ViewedObjects, view: View | undefined): AlarmTrigger {
  const { name, severity, trgMeasurement = '', trgOperator } = alarm;
  const handle = measurements.find(trgMeasurement);
  const isSeen = handle >= 0 && view?.measurements.has(handle) !== false;
  const datatype = isSeen ? measurements.definitionAt(handle)?.datatype : undefined;
  const prefixedOf = (text: string | undefined): string | null => {
    if (text === undefined || datatype === undefined) return null;
    try {
      return formatPrefixed(datatype, parseText(datatype, text));
    } catch (error) {
      if (error instanceof ValueError) return null;
      throw error;
    }
  };
  return {
    name,
    severity,
    measurement: isSeen ? trgMeasurement : null,
    operator: isSeen ? (trgOperator ?? null) : null,
    limit: prefixedOf(alarm.trgRefValue),
    hysteresis: prefixedOf(alarm.trgHysteresis),
    'on-delay': delayMsOf(alarm, 'onDelay'),
    'off-delay': delayMsOf(alarm, 'offDelay'),
  };
}
