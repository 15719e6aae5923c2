// How the last reading of a measurement came about: the function of its address at the last scan, and the fault that
// struck it.
import { Batch, describeQuality } from '@telltale/schema';
import type { ReadingTrace } from '@telltale/stack-kit';
import type { Faults } from './faults.ts';
import type { Item, Scan } from './item.ts';

export function explainReading(source: Item, scan: Scan, faults: Faults, scanPeriodMs: number): ReadingTrace {
  const { point, held, strikable } = source;
  const request = held === undefined ? `compute ${point.address}` : `compute ${point.address}, frozen by freeze()`;
  const trace = { timeUs: scan.timeUs, request, raw: undefined, device: undefined, scanPeriodMs };
  const forced = strikable ? faults.quality(point.name, scan.monotonicMs) : undefined;
  if (forced !== undefined) {
    return { ...trace, value: undefined, error: `bad_quality() makes it ${describeQuality(forced)}` };
  }
  const { batch, at } = held ?? readAgain(source, scan);
  const value = batch.valueAt(at);
  const error = value === undefined ? `there is no value: ${describeQuality(batch.qualities[at] ?? 0)}` : undefined;
  return { ...trace, value, error };
}

/** At the same scan, a function has the same value. */
function readAgain({ point, read }: Item, scan: Scan): { batch: Batch; at: number } {
  const batch = new Batch(1);
  read(batch, point.id, scan);
  return { batch, at: 0 };
}
