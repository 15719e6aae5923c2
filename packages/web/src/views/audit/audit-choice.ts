// Which records of the trail are shown: the choice is in the address of the view.
import { computed, type ReadonlySignal } from '@preact/signals';
import type { AuditChoice } from '../../data/audit.ts';
import { momentIn } from '../../data/moment.ts';
import { viewPlace } from '../../router.ts';

const hourUs = 3600e6;

const presets = { '1h': hourUs, '1d': 24 * hourUs, '7d': 7 * 24 * hourUs, '30d': 30 * 24 * hourUs } as const;
export const intervals = ['1h', '1d', '7d', '30d', 'all', 'own'] as const;
export type Interval = (typeof intervals)[number];

export const texts = ['who', 'operation', 'object', 'result', 'source'] as const;

/** As the service takes them at most. */
export const longestText = 256;

export interface ChosenInterval {
  readonly interval: Interval;
  /** Microseconds since 1970; of an own interval. */
  readonly from: number | undefined;
  readonly to: number | undefined;
}

export const chosenInterval: ReadonlySignal<ChosenInterval> = computed(() => {
  const { query } = viewPlace.value;
  const [from, to] = [momentIn(query.get('from')), momentIn(query.get('to'))];
  const named = intervals.find((each) => each === query.get('interval')) ?? '7d';
  return { interval: from !== undefined || to !== undefined ? 'own' : named, from, to };
});

/** Of the texts and the interval, as text: changes where another choice is made. */
export const choiceKey: ReadonlySignal<string> = computed(() => {
  const { query } = viewPlace.value;
  return JSON.stringify([...texts.map((name) => query.get(name) ?? ''), chosenInterval.value]);
});

export function choiceAt(nowUs: number): AuditChoice {
  const { query } = viewPlace.peek();
  const { interval, from, to } = chosenInterval.peek();
  const text = (name: (typeof texts)[number]) => (query.get(name) ?? '').trim().slice(0, longestText);
  return {
    who: text('who'),
    operation: text('operation'),
    object: text('object'),
    result: text('result'),
    source: text('source'),
    since: interval === 'own' ? from : interval === 'all' ? undefined : nowUs - presets[interval],
    until: interval === 'own' ? to : undefined,
  };
}
