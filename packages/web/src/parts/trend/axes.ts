// Which pens share which vertical axis, from where to where each axis goes, and which pens are bands of states below them.
import { type Datatype, traitsOf } from '@telltale/schema/values';
import type { Facts } from '../../data/points.ts';
import { indexAt, look, lookOf, type Piece } from '../../data/trace.ts';
import { keyOfPen, type Pen } from './pen.ts';
import type { AxisRanges } from './trend-model.ts';

/** A pen with what is known of its point. */
export interface KnownPen {
  readonly pen: Pen;
  readonly key: string;
  readonly facts: Facts;
  /** Booleans, two-bit states and texts. */
  readonly isState: boolean;
  readonly unit: string;
  /** There is such a point, or there was one. */
  readonly isKnown: boolean;
}

export interface Axis {
  readonly key: string;
  readonly title: string;
  readonly pens: readonly KnownPen[];
}

export function knownPen(pen: Pen, facts: Facts, seen: Datatype | undefined): KnownPen {
  const datatype = typeof facts === 'string' ? seen : facts.datatype;
  return {
    pen,
    key: keyOfPen(pen),
    facts,
    isState: datatype !== undefined && !traitsOf(datatype).isQuantity,
    isKnown: datatype !== undefined,
    unit: typeof facts === 'string' ? '' : facts.eu,
  };
}

/** In the order of their first pens. Axes of which nothing is shown are left out. */
export function axesOf(pens: readonly KnownPen[]): Axis[] {
  const shown = pens.filter(({ pen, isState, isKnown }) => isKnown && !pen.isHidden && !isState);
  const groups = Map.groupBy(shown, axisKeyOf);
  return [...groups].map(([key, members]) => ({ key, title: titleOf(key, members), pens: members }));
}

export function axisKeyOf({ pen, key, unit }: KnownPen): string {
  if (pen.axis === 'own') return `pen ${key}`;
  return pen.axis === 'unit' ? `unit ${unit}` : `axis ${pen.axis}`;
}

function titleOf(key: string, members: readonly KnownPen[]): string {
  const units = [...new Set(members.map(({ unit }) => unit))].filter((unit) => unit !== '');
  const [only] = members;
  if (key.startsWith('pen ') && only !== undefined)
    return units.length === 0 ? only.pen.name : `${only.pen.name} ${units[0]}`;
  return units.join(', ');
}

const margin = 0.05;
const nearSpans = 2;

/** As chosen, or so that all that is seen of its pens fits. */
export function rangeOf(
  axis: Axis,
  chosen: AxisRanges,
  piecesOf: (pen: Pen) => readonly (readonly Piece[])[],
  limits: readonly { readonly axis: string; readonly value: number; readonly severity: number | undefined }[],
): readonly [number, number] {
  const fixed = chosen.get(axis.key);
  if (fixed !== undefined) return fixed;
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const { pen } of axis.pens) {
    for (const piece of piecesOf(pen).flat()) {
      const { values, qualities, times } = piece.trace;
      for (let at = Math.max(0, indexAt(piece.trace, piece.from)); at < times.length; at++) {
        if ((times[at] ?? 0) >= piece.until) break;
        const value = values[at] ?? Number.NaN;
        if (lookOf(qualities[at] ?? 0) === look.bad || !Number.isFinite(value)) continue;
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
  }
  if (low > high) return [0, 1];
  // The limit of an alarm is seen where it is near; one that is far away would press the line flat.
  const near = Math.max((high - low) * nearSpans, Math.abs(high) * margin);
  const seen = limits.filter(({ axis: key, value, severity }) => {
    return severity !== undefined && key === axis.key && value > low - near && value < high + near;
  });
  low = Math.min(low, ...seen.map(({ value }) => value));
  high = Math.max(high, ...seen.map(({ value }) => value));
  if (low === high) {
    const by = Math.max(Math.abs(low) * margin, 0.5);
    return [low - by, high + by];
  }
  const by = (high - low) * margin;
  return [low - by, high + by];
}
