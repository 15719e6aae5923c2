// A child process: makes live points, reads them once, and prints the bytes a point that they take.
import { setImmediate } from 'node:timers/promises';
import type { Measurement } from '@telltale/schema';
import { LivePoints } from './live-points.ts';
import { measurement } from './plant.ts';

const count = Number(process.argv[2]);

function takenBytes(): number {
  for (let round = 0; round < 5; round++) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function* points() {
  for (let index = 0; index < count; index++) yield measurement(index);
}

const live = new LivePoints([]);
const before = takenBytes();
// As a rendering has them: made by reading JSON.
for (const point of points()) live.measurements.put(JSON.parse(JSON.stringify(point)) as Measurement);
live.change(count);
const length = live.measurements.wire.collection().bytes.length;
live.change(1); // the copy that was read is of no more use, and held by nothing that outlives this turn of the event loop
await setImmediate();
process.stdout.write(`${(takenBytes() - before) / count} ${length / count}\n`);
