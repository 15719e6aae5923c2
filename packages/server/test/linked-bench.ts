// Points of a connector that is linked, some of them read: the set-up of tests of links.
import type { Measurement } from '@telltale/schema';
import { PointsBench } from './points-bench.ts';

/** Connector c with the points a and b, and free, which watches no link; its watchdog is w where `watchdog` is given. */
export function linkedBench(watchdog?: Partial<Measurement>): PointsBench {
  const bench = new PointsBench();
  bench.measurements.putLink('connector', 'c', watchdog === undefined ? undefined : 'w');
  for (const name of ['a', 'b']) bench.put({ name, datatype: 'd', connectorName: 'c', address: name });
  bench.put({ name: 'free', datatype: 'd', connectorName: 'c', address: 'free', stackUmask: 1 });
  bench.put({ name: 'loose', datatype: 'd' });
  if (watchdog !== undefined) bench.put({ name: 'w', datatype: 'b', ...watchdog });
  bench.measurements.setLink('connector', 'c', true, 1);
  if (watchdog?.address !== undefined) bench.read('c', { point: 'w', value: true, timeUs: 2 });
  bench.read('c', ...['a', 'b', 'free'].map((point) => ({ point, value: 5, timeUs: 3 })));
  bench.news();
  return bench;
}

/** The watchdog of a device. */
export const driven = { connectorName: 'c', address: 'alive' };
