// A child process: makes live points, reads them once, and prints the bytes a point that they take.
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
for (const point of points()) live.measurements.put({ ...point, connectorName: 'plc' });
live.change(count);
const length = live.measurements.wire.collection().bytes.length;
live.change(1); // so that the copy that was read is not kept
process.stdout.write(`${(takenBytes() - before) / count} ${length / count}\n`);
