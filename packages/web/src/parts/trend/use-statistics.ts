// Statistics of the visible window, from all records, once the window stands still; of a live one from time to time.
import { useSignal, useSignalEffect } from '@preact/signals';
import { form, traitsOf } from '@telltale/schema/values';
import { readStatistics, type Statistics } from '../../data/history.ts';
import { moment } from '../../data/moment.ts';
import { factsOfPoint } from '../../data/points.ts';
import { now, presentUs } from '../now.ts';
import { keyOfPen, type Pen } from './pen.ts';
import type { TrendModel } from './trend-model.ts';

export type PenStatistics = Statistics;

const settleMs = 350;
const liveUs = 10e6;

export function useStatistics(model: TrendModel, isWanted: boolean): ReadonlyMap<string, PenStatistics> | undefined {
  const found = useSignal<ReadonlyMap<string, PenStatistics> | undefined>(undefined);
  useSignalEffect(() => {
    const pens = model.pens.value;
    const choice = model.choice.value;
    // Of texts there is no average: which ones are texts may not be known yet.
    for (const pen of pens) void isText(pen);
    void ('live' in choice && moment.value === undefined ? Math.floor(now.value / liveUs) : 0);
    if (!isWanted || pens.length === 0) return;
    const end = new AbortController();
    const read = async () => {
      const { from, until } = model.window();
      const next = new Map<string, PenStatistics>();
      const interval = { from, until: Math.min(until, presentUs()) };
      const groups = Map.groupBy(pens, (pen) => `${pen.kind} ${isText(pen)}`);
      for (const group of interval.until > from ? groups.values() : []) {
        const [first] = group;
        if (first === undefined) continue;
        const { kind } = first;
        const names = group.map(({ name }) => name);
        const asked = { kind, names, ...interval, areTexts: isText(first) };
        const statistics = await readStatistics(asked, end.signal).catch(() => undefined);
        for (const [name, each] of statistics ?? []) next.set(keyOfPen({ kind, name }), each);
      }
      if (!end.signal.aborted) found.value = next;
    };
    const timer = setTimeout(() => void read(), settleMs);
    return () => {
      clearTimeout(timer);
      end.abort();
    };
  });
  return found.value;
}

function isText({ kind, name }: Pen): boolean {
  const facts = factsOfPoint(kind, name).value;
  return typeof facts !== 'string' && traitsOf(facts.datatype).form === form.text;
}
