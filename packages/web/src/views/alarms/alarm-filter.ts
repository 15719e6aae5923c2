// Which alarms the live list shows: the filter is in the address of the view.
import { computed, type ReadonlySignal } from '@preact/signals';
import { isBelowArea } from '@telltale/schema/values';
import { isActive, isUnacknowledged, type ShownAlarm } from '../../data/alarms.ts';
import { viewPlace } from '../../router.ts';

export const stateFilters = ['unacknowledged', 'active'] as const;
export type StateFilter = (typeof stateFilters)[number];

export interface AlarmFilter {
  /** Words, all of which are in the name or the description. */
  readonly text: string;
  readonly area: string;
  readonly severity: number | undefined;
  readonly state: StateFilter | undefined;
  /** With the alarms that are neither active nor unacknowledged. */
  readonly quiet: boolean;
}

export const alarmFilter: ReadonlySignal<AlarmFilter> = computed(() => {
  const { query } = viewPlace.value;
  const severity = query.get('severity') ?? '';
  return {
    text: query.get('text') ?? '',
    area: query.get('area') ?? '',
    severity: /^\d{1,3}$/.test(severity) ? Number(severity) : undefined,
    state: stateFilters.find((each) => each === query.get('state')),
    quiet: query.get('quiet') === '1',
  };
});

export function isFiltered({ text, area, severity, state }: AlarmFilter): boolean {
  return text !== '' || area !== '' || severity !== undefined || state !== undefined;
}

export function matcherOf({ text, area, severity, state, quiet }: AlarmFilter): (alarm: ShownAlarm) => boolean {
  const matches = textMatcher(text);
  return (alarm) =>
    (quiet || alarm.state !== 'INACT_ACK') &&
    (severity === undefined || alarm.severity === severity) &&
    (state === undefined || (state === 'active' ? isActive(alarm.state) : isUnacknowledged(alarm.state))) &&
    (area === '' || isBelowArea(area, alarm.area)) &&
    matches(alarm);
}

/** Whether all words are in name or description, in whatever case. */
function textMatcher(text: string): (named: { readonly name: string; readonly description: string }) => boolean {
  const searched = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (searched.length === 0) return () => true;
  return ({ name, description }) => {
    const where = `${name} ${description}`.toLowerCase();
    return searched.every((word) => where.includes(word));
  };
}
