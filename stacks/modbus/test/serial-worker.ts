// A thread, as the server has for its stacks: reads one register over a serial line and says what it has. Told to, it
// stays until it is ended.
import { parentPort, workerData } from 'node:worker_threads';
import { until } from '@telltale/stack-kit/testing';
import { TestLink } from './test-link.ts';

const { path, stays } = workerData as { path: string; stays: boolean };
const link = new TestLink({ transport: 'serial', path, baudRate: 115_200, parity: 'none', scanPeriodMs: 20 });
link.setPoints({ register: ['hr0', 'i'] });
await link.start();
await until('it is read', () => link.readings.size === 1);
parentPort?.postMessage(link.values().register);
if (!stays) await link.stop();
