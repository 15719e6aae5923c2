// When values of a connector are old because its thread does not answer.
import type { ScanGroupDetail } from '@telltale/stack-kit';
import type { Silence } from '../points/index.ts';

/** A thread that is busy for a moment makes nobody wonder, however often its connectors are read. */
const leastLateMs = 2000;
const latePeriods = 2;

/** What a silence of so long means for a connector with this scan period; undefined: nothing yet. */
export function silenceAfter(silentMs: number, scanPeriodMs: number | undefined): Silence | undefined {
  const lateMs = Math.max(leastLateMs, latePeriods * (scanPeriodMs ?? 0));
  if (silentMs < lateMs) return undefined;
  return silentMs < 2 * lateMs ? 'late' : 'lost';
}

/** The shortest; undefined where not all measurements are read in scans. */
export function scanPeriodOf(groups: readonly ScanGroupDetail[], measurements: number): number | undefined {
  const read = groups.filter(({ points }) => points > 0);
  const scanned = read.reduce((sum, { points }) => sum + points, 0);
  return scanned < measurements || scanned === 0 ? undefined : Math.min(...read.map(({ periodMs }) => periodMs));
}
