// Limits as lines: those of alarms, and the ends of the range of a pen that is alone, or selected.

import type { AlarmLimit } from '../../data/trend-marks.ts';
import { words } from '../../words/words.ts';
import type { Axis, KnownPen } from './axes.ts';
import type { Limit } from './plot.ts';
import { numberText } from './value-ticks.ts';

export function limitsOf(axes: readonly Axis[], alarms: readonly AlarmLimit[], selected: string | undefined): Limit[] {
  const all = axes.flatMap(({ pens }) => pens);
  return axes.flatMap(({ key, pens }) =>
    pens.flatMap((pen) => {
      const hasEnds = all.length === 1 || pen.key === selected;
      return [...(hasEnds ? endsOf(key, pen) : []), ...alarmsOf(key, pen, alarms)];
    }),
  );
}

function endsOf(axis: string, { facts }: KnownPen): Limit[] {
  if (typeof facts === 'string') return [];
  const { limit } = words.value.trends;
  return facts.range.flatMap((end, at) => {
    if (end === null) return [];
    return [{ axis, value: Number(end.slice(1)), text: at === 0 ? limit.lo : limit.hi, severity: undefined }];
  });
}

function alarmsOf(axis: string, { pen }: KnownPen, alarms: readonly AlarmLimit[]): Limit[] {
  return alarms
    .filter(
      ({ measurement, value }) => pen.kind === 'measurements' && measurement === pen.name && Number.isFinite(value),
    )
    .map(({ alarm, operator, value, severity }) => {
      return { axis, value, text: `${alarm} ${operator} ${numberText(value)}`, severity };
    });
}
