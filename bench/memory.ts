// Memory: a live point in the store alone; the whole server, with what it started, empty, with the demo plant and with
// 100,000 Modbus points that are read once a second.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { childrenOf } from '../test/process-memory.ts';
import { type ServerProcess, startServer } from '../test/server-process.ts';
import { withChild } from './child.ts';
import { atMost, type Benchmark, median, type Result, type Say } from './measure.ts';
import { pause } from './peers/peer.ts';
import { residentBytes, withPlant } from './stacks-modbus.ts';

const count = 100_000;
/** Until what was needed for the start alone is given back. */
const settleMs = 10_000;

export const memory: Benchmark = {
  name: 'memory',
  title: `Memory: the server empty, with the demo plant, with ${count} Modbus points; a live point`,
  async run(say, { quick }) {
    const rounds = quick ? 1 : 3;
    return [...(await ofServers(rounds, say)), await ofOnePoint(say)];
  },
};

async function ofServers(rounds: number, say: Say): Promise<Result[]> {
  const empty = await afterStarts(rounds, '--no-demo');
  say(`empty: ${empty.toFixed(0)} MB`);
  const demo = await afterStarts(rounds, '--demo');
  say(`with the demo plant: ${demo.toFixed(0)} MB`);
  const modbus = await withChild('modbus-device.ts', [], (port) =>
    withPlant(
      Number(port),
      () => 1000,
      (start) => repeated(rounds, () => start(settled)),
    ),
  );
  say(`with ${count} Modbus points: ${modbus.toFixed(0)} MB`);
  return [
    atMost('MB of an empty server', empty, 140),
    atMost('MB with the demo plant', demo, 180),
    atMost(`MB with ${count} Modbus points, read once a second`, modbus, 400),
  ];
}

/** Of servers that start with what is configured. */
async function afterStarts(rounds: number, demo: string): Promise<number> {
  await using cleanup = new AsyncDisposableStack();
  const data = temporaryFolder(cleanup);
  const start = async (work: (server: ServerProcess) => Promise<number>) => {
    await using running = new AsyncDisposableStack();
    return await work(await startServer(running, { data, args: [demo] }));
  };
  await start(async () => 0);
  return await repeated(rounds, () => start(settled));
}

async function repeated(rounds: number, measure: () => Promise<number>): Promise<number> {
  const figures: number[] = [];
  for (let round = 0; round < rounds; round++) figures.push(await measure());
  return median(figures);
}

export async function settled({ pid }: ServerProcess): Promise<number> {
  await pause(settleMs);
  return [pid, ...childrenOf(pid)].reduce((sum, each) => sum + residentBytes(each), 0) / 1e6;
}

async function ofOnePoint(say: Say): Promise<Result> {
  const file = fileURLToPath(new URL('./memory-points.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', file, String(count)]);
  const [bytes = 0, wire = 0] = stdout.split(' ').map(Number);
  say(`live point ${bytes.toFixed(0)} bytes, of which ${wire.toFixed(0)} are its bytes on the wire`);
  return atMost('KiB a live point', bytes / 1024, 1);
}
