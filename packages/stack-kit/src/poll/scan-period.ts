// How often a point is read: the variables that polling stacks share, and the property that a point may have.
import { parseMilliseconds } from '@telltale/schema';
import Type from 'typebox';
import { type Point, propertyOf } from '../address-syntax.ts';

const limitsMs = { least: 10, most: 3_600_000 } as const;

export const scanPeriodVariable = Type.Integer({
  title: 'Milliseconds between scans',
  description: 'A measurement with the property `scanPeriod` has its own.',
  default: 1000,
  unit: 'ms',
  minimum: limitsMs.least,
  maximum: limitsMs.most,
});

export const timeoutVariable = Type.Integer({
  title: 'Timeout of a request in milliseconds',
  default: 1000,
  unit: 'ms',
  minimum: 10,
  maximum: 60_000,
});

/** Milliseconds: the point's property `scanPeriod`, or the default where it has none that is right. */
export function scanPeriodOf(point: Pick<Point, 'properties'>, defaultMs: number): number {
  const text = propertyOf(point, 'scanPeriod');
  return text === undefined ? defaultMs : (parsePeriod(text) ?? defaultMs);
}

/** For `AddressSyntax.check` of polling stacks: what is wrong with the property, or nothing. */
export function checkScanPeriod(point: Point): string | undefined {
  const text = propertyOf(point, 'scanPeriod');
  if (text === undefined || parsePeriod(text) !== undefined) return undefined;
  const { least, most } = limitsMs;
  const shown = JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
  return `the property scanPeriod is ${shown}; it must be a whole number of milliseconds from ${least} to ${most}, such as 500, or a duration such as 5s`;
}

function parsePeriod(text: string): number | undefined {
  const ms = parseMilliseconds(text) ?? 0;
  return ms >= limitsMs.least && ms <= limitsMs.most ? ms : undefined;
}
