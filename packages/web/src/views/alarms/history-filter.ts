// Which transitions the history shows: the filter is in the address of the view.
import { computed, type ReadonlySignal } from '@preact/signals';
import { alarmStates, isArea } from '@telltale/schema/values';
import type { Transition, TransitionsWanted } from '../../data/alarm-history.ts';
import { momentIn } from '../../data/moment.ts';
import { viewPlace } from '../../router.ts';

const hourUs = 3600e6;

export const presets = {
  '1h': hourUs,
  '8h': 8 * hourUs,
  '1d': 24 * hourUs,
  '7d': 7 * 24 * hourUs,
  '30d': 30 * 24 * hourUs,
} as const;
export type Preset = keyof typeof presets;
export const presetNames = Object.keys(presets) as Preset[];

export interface HistoryFilter {
  /** Undefined: the interval has ends of its own. */
  readonly preset: Preset | undefined;
  /** Microseconds since 1970. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly text: string;
  readonly area: string;
  readonly severity: number | undefined;
  readonly state: Transition['state'] | undefined;
  /** The name of one alarm. */
  readonly alarm: string;
}

export const historyFilter: ReadonlySignal<HistoryFilter> = computed(() => {
  const { query } = viewPlace.value;
  const [from, to] = [momentIn(query.get('from')), momentIn(query.get('to'))];
  const severity = query.get('severity') ?? '';
  const hasOwn = query.get('interval') === 'own' || from !== undefined || to !== undefined;
  return {
    preset: hasOwn ? undefined : (presetNames.find((each) => each === query.get('interval')) ?? '1d'),
    from,
    to,
    text: query.get('text') ?? '',
    area: isArea(query.get('area') ?? '') ? (query.get('area') ?? '') : '',
    severity: /^\d{1,3}$/.test(severity) ? Number(severity) : undefined,
    state: alarmStates.find((each) => each === query.get('state')),
    alarm: (query.get('alarm') ?? '').trim(),
  };
});

/** Ends at the moment that is shown, where no end is chosen. */
export function wantedOf(filter: HistoryFilter, shownUs: number): TransitionsWanted {
  const { preset, from, to, alarm, text, area, severity, state } = filter;
  const until = Math.min(to ?? shownUs, shownUs);
  return {
    since: from ?? until - presets[preset ?? '1d'],
    until,
    names: alarm === '' ? undefined : [alarm],
    area: area || undefined,
    severity,
    states: state && [state],
    search: text.trim() || undefined,
  };
}
