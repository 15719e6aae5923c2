// States of measurements that another server has published: taken over as they are, past the chain.
import { type Batch, fits, quality } from '@telltale/schema';
import type { MeasurementChain } from './measurement-chain.ts';
import { flag } from './measurement-layout.ts';
import type { MeasurementTable } from './measurement-table.ts';

/** MC-14. What is equal to what there is changes nothing. */
export function adoptStates(table: MeasurementTable, chain: MeasurementChain, batch: Batch, nowUs: number): void {
  for (let at = 0; at < batch.count; at++) {
    const handle = batch.points[at] as number;
    if (handle >= table.capacity || (table.flagsOf(handle) & flag.live) === 0) continue;
    const given = batch.valueAt(at);
    const isFit = given !== undefined && fits(table.traitsOf(handle), given);
    const status = given === undefined || isFit ? (batch.qualities[at] as number) : quality.bad.sensorFailure;
    const timeUs = Number.isSafeInteger(batch.times[at]) ? Math.max(0, batch.times[at] as number) : nowUs;
    const isSame = status === table.qualityOf(handle) && timeUs === table.timeOf(handle);
    if (isSame && (!isFit || Object.is(given, table.valueOf(handle)))) continue;
    if (isFit) table.setValue(handle, given);
    table.setQuality(handle, status);
    table.setTime(handle, timeUs);
    chain.publish(handle);
  }
  chain.flush();
}
