// 100,000 Modbus registers of one device: how fast the server reads them beside a bare loop of the same client, and what
// reading all of them once a second takes: processor, memory, and time of those who ask for live values meanwhile.
import { readFileSync } from 'node:fs';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { readRequest } from '../stacks/modbus/src/pdu.ts';
import { type ServerProcess, startServer } from '../test/server-process.ts';
import { output, withChild } from './child.ts';
import { atLeast, atMost, type Options, type Result, type Say, takeTurns } from './measure.ts';
import { areas, connectClient, registersAnArea } from './modbus-requests.ts';
import { pause } from './peers/peer.ts';
import { post } from './server.ts';

const count = areas.length * registersAnArea;
/** What EMQX publishes of Neuron for as much: 30 % of 4 cores, 497 MB. */
const neuron = { cores: 1.2, megabytes: 497 };
const requestsASecond = 200;
const settleMs = 4000;
/** Between scans of a server that stands still. */
const restingMs = 3_600_000;

export async function modbusLoad(say: Say, options: Options): Promise<Result[]> {
  return withChild('modbus-device.ts', [], async (line) => {
    const port = Number(line);
    return [...(await asFastAsTheyCan(port, say, options)), ...(await onceASecond(port, say, options))];
  });
}

/**
 * Both ask for 125 registers, wait for the answer and ask for the next, over one connection. The server reads them
 * in eight groups with periods that are far too short, so that one scan or another is under way all the time.
 */
export async function asFastAsTheyCan(port: number, say: Say, { quick }: Options): Promise<Result[]> {
  const [rounds, seconds] = quick ? [1, 4] : [5, 10];
  return withPlant(
    port,
    (at) => 10 + Math.floor((8 * at) / registersAnArea),
    async (start) => {
      const bareLoop = async () => {
        const [rate = 0, cores = 0] = (await output('modbus-loop.ts', [String(port), String(seconds)]))
          .split(' ')
          .map(Number);
        say(`bare loop: ${(rate / 1e6).toFixed(2)} million registers a second, ${cores.toFixed(2)} cores`);
        return rate;
      };
      const serverLoop = () =>
        start(async (server) => {
          const { rate, cores } = await during(server, port, () => pause(seconds * 1000));
          say(`the server: ${(rate / 1e6).toFixed(2)} million registers a second, ${cores.toFixed(2)} cores`);
          return rate;
        });
      const [bare = 1, full = 0] = await takeTurns(rounds, bareLoop, serverLoop);
      return [atLeast('registers a second as fast as it goes, server / bare loop', full / bare, 0.8)];
    },
  );
}

export async function onceASecond(port: number, say: Say, { quick }: Options): Promise<Result[]> {
  const [rounds, seconds] = quick ? [1, 5] : [3, 15];
  return withPlant(
    port,
    () => 1000,
    (startBusy) =>
      withPlant(
        port,
        () => restingMs,
        async (startIdle) => {
          const halves = { idle: 0, busy: 0 };
          let [cores, megabytes] = [0, 0];
          const idleSide = () => startIdle((server) => latency(server, seconds, (half) => (halves.idle = half)));
          const busySide = () =>
            startBusy(async (server) => {
              const used = await during(server, port, () => pause(seconds * 1000));
              if (used.rate < 0.95 * count)
                throw new Error(`only ${Math.round(used.rate)} registers a second were read`);
              [cores, megabytes] = [used.cores, residentBytes(server.pid) / 1e6];
              return latency(server, seconds, (half) => (halves.busy = half));
            });
          const [idle = 1, busy = 0] = await takeTurns(rounds, idleSide, busySide);
          say(`once a second: ${(100 * cores).toFixed(0)} % of a core, ${megabytes.toFixed(0)} MB`);
          const figures = (half: number, most: number) => `${half.toFixed(2)} and ${most.toFixed(2)}`;
          say(
            `ms of half and of 99 of 100 requests: idle ${figures(halves.idle, idle)}, busy ${figures(halves.busy, busy)}`,
          );
          return [
            atMost('cores for 100,000 registers a second', cores, neuron.cores),
            atMost('MB of the server meanwhile', megabytes, neuron.megabytes),
            atMost('p50 of one measurement, meanwhile / idle', halves.busy / halves.idle, 2),
            atMost('p99 of one measurement, meanwhile / idle', busy / idle, 2),
          ];
        },
      ),
  );
}

/** Milliseconds within which 99 of 100 requests were answered; reports within which half were. */
async function latency(server: ServerProcess, seconds: number, report: (half: number) => void): Promise<number> {
  const url = `${server.url}/data/measurements/hr777`;
  const [half = 0, most = 0] = (await output('latency-load.ts', [url, String(seconds), String(requestsASecond)]))
    .split(' ')
    .map(Number);
  report(half);
  return most;
}

type Start = <T>(work: (server: ServerProcess) => Promise<T>) => Promise<T>;

/** A configured data folder. Each server starts with all points: what configuring them took is not in its memory. */
export async function withPlant<T>(port: number, periodMs: PeriodMs, work: (start: Start) => Promise<T>): Promise<T> {
  await using cleanup = new AsyncDisposableStack();
  const folder = temporaryFolder(cleanup);
  const start: Start = async (use) => {
    await using running = new AsyncDisposableStack();
    const server = await startServer(running, { data: folder });
    await pause(settleMs);
    return await use(server);
  };
  const vars = { host: '127.0.0.1', port: String(port), timeoutMs: '5000' };
  await start(async (server) => {
    await server.send('PUT', '/connectors/plc', { name: 'plc', stackName: 'modbus', vars });
    await post(`${server.config}/cfgdb/txn?render=1`, measurements(periodMs));
  });
  return await work(start);
}

/** By the number of the register. */
type PeriodMs = (at: number) => number;

function measurements(periodMs: PeriodMs): Uint8Array {
  const operations = areas.flatMap((area) =>
    Array.from({ length: registersAnArea }, (_, at) => {
      const name = `${area}${at}`;
      const properties = { scanPeriod: String(periodMs(at)) };
      const object = { name, datatype: 'i', connectorName: 'plc', address: name, archMode: 'none', properties };
      return { operation: 'put', family: 'measurements', name, object };
    }),
  );
  return Buffer.from(JSON.stringify({ operations }));
}

/** Registers a second as the device counts them, and the processor time of the server a second. */
export async function during(
  server: ServerProcess,
  port: number,
  work: () => Promise<void>,
): Promise<{ rate: number; cores: number }> {
  const client = await connectClient(port);
  const counted = async () => {
    const answer = await client.request(255, readRequest('ir', 0, 4), new AbortController().signal);
    return Number(new DataView(answer.buffer, answer.byteOffset).getBigUint64(2));
  };
  const [start, used, before] = [performance.now(), processorSeconds(server.pid), await counted()];
  await work();
  const [after, usedAfter] = [await counted(), processorSeconds(server.pid)];
  const elapsed = (performance.now() - start) / 1000;
  await client.close();
  return { rate: (after - before) / elapsed, cores: (usedAfter - used) / elapsed };
}

/** Of all threads. Only Linux reports it. */
export function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /su, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

export function residentBytes(pid: number): number {
  const [, kibibytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
  return Number(kibibytes) * 1024;
}
