// What people can choose from in the filters: the areas and severities of the alarms that there are.
import { areaPaths } from '@telltale/schema/values';
import type { ShownAlarm } from '../../data/alarms.ts';

export interface AlarmChoices {
  /** With those that they are in. */
  readonly areas: readonly string[];
  readonly severities: readonly number[];
}

/** A list to choose from has an end; the text of the filter finds the others. */
const mostAreas = 1000;

export function choicesOf(alarms: ReadonlyMap<string, ShownAlarm>): AlarmChoices {
  const own = new Set<string>();
  const severities = new Set<number>();
  for (const { area, severity } of alarms.values()) {
    own.add(area);
    severities.add(severity);
  }
  const areas = new Set([...own].flatMap((area) => areaPaths(area)));
  return {
    areas: [...areas].sort().slice(0, mostAreas),
    severities: [...severities].sort((a, b) => a - b),
  };
}
