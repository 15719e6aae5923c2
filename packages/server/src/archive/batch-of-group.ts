// The records of a group as they are stored: those that were imported replace what there is of their time.
import { Batch, quality } from '@telltale/schema/values';
import type { GroupBatch } from './record-queue.ts';
import { replaces, simulated } from './records.ts';

export function batchOf(message: GroupBatch): Batch {
  const batch = Batch.from(message);
  if (message.importedTo === undefined) return batch;
  batch.points.fill(message.importedTo, 0, batch.count);
  for (let at = 0; at < batch.count; at++) {
    const given = batch.qualities[at] as number;
    batch.qualities[at] = (given & 0xff) | ((given & quality.simulated) === 0 ? 0 : simulated) | replaces;
  }
  return batch;
}
