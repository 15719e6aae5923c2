// Where an axis of values has its ticks, and what stands there.
import { localNumber } from '../../words/words.ts';

/** Round numbers from the least to the greatest, in order; at most about so many. */
export function valueTicks(low: number, high: number, most: number): number[] {
  const step = roundStep((high - low) / Math.max(1, most));
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step) - first + 1;
  // A range may be wider, or narrower, than a double can say.
  if (!Number.isFinite(step) || !(count > 0 && count <= 2 * most + 2)) return [];
  return Array.from({ length: count }, (_, at) => (first + at) * step);
}

function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 2.5, 5].find((count) => count * power >= least) ?? 10);
}

/** Without the noise of sums of tenths. */
export function numberText(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e9 || size < 1e-6)) return localNumber(value.toExponential(2).replace(/\.?0+e/, 'e'));
  return localNumber(String(Number(value.toPrecision(10))));
}
