// A trend as the configuration has it, and as its view has it.

import { batch } from '@preact/signals';
import type { Trend } from '@telltale/schema';
import { axisKeyOf, type KnownPen } from '../../parts/trend/axes.ts';
import { keyOfPen, type Pen, type PenAxis, penOf } from '../../parts/trend/pen.ts';
import type { AxisRanges, TrendModel } from '../../parts/trend/trend-model.ts';
import { defaultSpanS } from './trend-address.ts';

/** Names of axes as the view writes them; others are shared by their number. */
const byUnit = 'by unit';
const ownPrefix = 'own ';
const sharedAxes: readonly PenAxis[] = ['1', '2', '3', '4'];
const mostColours = 16;

export function trendOf(name: string, description: string, model: TrendModel, known: readonly KnownPen[]): Trend {
  const { from, until } = model.window();
  const choice = model.choice.peek();
  const ranges = model.ranges.peek();
  const ends = new Map<string, { name: string; lo: number; hi: number }>();
  for (const each of known) {
    const range = ranges.get(axisKeyOf(each));
    const axis = axisName(each, range !== undefined);
    if (range !== undefined && axis !== undefined && each.pen.axis !== 'unit')
      ends.set(axis, { name: axis, lo: range[0], hi: range[1] });
  }
  return {
    name,
    description,
    pens: known.map(({ pen, key, ...rest }) => {
      const axis = axisName({ pen, key, ...rest }, ranges.has(axisKeyOf({ pen, key, ...rest })));
      return {
        kind: pen.kind,
        name: pen.name,
        ...(axis !== undefined && { axis }),
        colour: (pen.colour % mostColours) + 1,
        style: pen.style,
        ...(pen.isHidden && { visible: false }),
      };
    }),
    axes: [...ends.values()],
    span: Math.max(1, Math.round(('live' in choice ? choice.live : until - from) / 1e6)),
  };
}

function axisName({ pen }: KnownPen, hasRange: boolean): string | undefined {
  if (pen.axis === 'unit') return byUnit;
  if (pen.axis !== 'own') return pen.axis;
  // At most 64 characters: a long name is cut, which is enough to tell it from the others.
  return hasRange ? `${ownPrefix}${pen.name}`.slice(0, 64) : undefined;
}

/** Shows it, up to now. Returns how many of its pens it cannot draw: alarms. */
export function showTrend(
  model: TrendModel,
  { name, description = '', pens, axes = [], span = defaultSpanS }: Trend,
): number {
  const shared = new Map<string, PenAxis>();
  const axisOf = (axis: string | undefined): PenAxis => {
    if (axis === undefined || axis.startsWith(ownPrefix)) return 'own';
    if (axis === byUnit) return 'unit';
    const found =
      shared.get(axis) ??
      sharedAxes.find((each) => each === axis) ??
      sharedAxes.find((each) => ![...shared.values()].includes(each)) ??
      'own';
    shared.set(axis, found);
    return found;
  };
  const drawn: Pen[] = [];
  const ranges = new Map<string, readonly [number, number]>();
  for (const { kind, name: point, axis, colour, style, visible = true } of pens) {
    if (kind === 'alarms') continue;
    const pen: Pen = {
      ...penOf(kind, point, colour === undefined ? drawn.length : colour - 1),
      axis: axisOf(axis),
      isHidden: !visible,
      style: style ?? 'step',
    };
    drawn.push(pen);
    const { lo, hi } = axes.find((each) => each.name === axis) ?? {};
    if (lo !== undefined && hi !== undefined && hi > lo)
      ranges.set(pen.axis === 'own' ? `pen ${keyOfPen(pen)}` : `axis ${pen.axis}`, [lo, hi]);
  }
  batch(() => {
    model.pens.value = drawn;
    model.ranges.value = ranges as AxisRanges;
    model.title.value = description === '' ? name : description;
    model.follow(span * 1e6);
  });
  return pens.length - drawn.length;
}
