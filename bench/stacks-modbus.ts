// 100,000 Modbus registers of one device: how fast the server reads them beside a bare loop of the same client, and what
// reading all of them once a second takes: processor, memory, and time of those who ask for live values meanwhile.
import { readFileSync } from 'node:fs';
import { readRequest } from '../stacks/modbus/src/pdu.ts';
import { ServerProcess, temporaryFolder } from '../test/server-process.ts';
import { output, withChild } from './child.ts';
import { atLeast, atMost, median, type Options, type Result, type Say } from './measure.ts';
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

export async function modbusLoad(say: Say, { quick }: Options): Promise<Result[]> {
  const [rounds, seconds] = quick ? [1, 4] : [3, 10];
  return withChild('modbus-device.ts', [], async (line) => {
    const port = Number(line);
    return withPlant(port, async (server) => {
      const [bare, full]: [number[], number[]] = [[], []];
      for (let round = 0; round < rounds; round++) {
        await scan(server, port, restingMs);
        bare.push(await bareLoop(port, seconds, say));
        await scan(server, port, 10);
        full.push(await serverLoop(server, port, seconds, say));
      }
      return [
        atLeast('rate of reading all registers, server / bare loop', median(bare) / median(full), 0.8),
        ...(await onceASecond(server, port, say, quick)),
      ];
    });
  });
}

/** A server that was started with all points: what configuring them took is not in its memory. */
async function withPlant<T>(port: number, work: (server: ServerProcess) => Promise<T>): Promise<T> {
  const folder = temporaryFolder();
  try {
    const configured = await ServerProcess.start({ data: folder.path });
    await putConnector(configured, port, restingMs);
    await post(`${configured.config}/cfgdb/txn?render=1`, measurements());
    await configured.end();
    const server = await ServerProcess.start({ data: folder.path });
    try {
      return await work(server);
    } finally {
      await server.end();
    }
  } finally {
    folder.dispose();
  }
}

async function putConnector(server: ServerProcess, port: number, scanPeriodMs: number): Promise<void> {
  const vars = { host: '127.0.0.1', port: String(port), scanPeriodMs: String(scanPeriodMs), timeoutMs: '5000' };
  const answer = await server.send('PUT', '/connectors/plc', { name: 'plc', stackName: 'modbus', vars });
  if (!answer.ok) throw new Error(`the connector was answered ${answer.status}: ${await answer.text()}`);
}

/** The same points all the time, read at another period. */
async function scan(server: ServerProcess, port: number, scanPeriodMs: number): Promise<void> {
  await putConnector(server, port, scanPeriodMs);
  await post(`${server.config}/cfgdb/render`, '');
  await pause(settleMs);
}

/** Milliseconds in which all registers are read once. */
async function bareLoop(port: number, seconds: number, say: Say): Promise<number> {
  const [rate = 0, cores = 0] = (await output('modbus-loop.ts', [String(port), String(seconds)]))
    .split(' ')
    .map(Number);
  say(`bare loop: ${(rate / 1e6).toFixed(2)} million registers a second, ${cores.toFixed(2)} cores`);
  return (1000 * count) / rate;
}

/** The same: the mean of what scans took. Between them the server waits until the next is due, which is not counted. */
async function serverLoop(server: ServerProcess, port: number, seconds: number, say: Say): Promise<number> {
  const tookMs: number[] = [];
  const { rate, cores } = await during(server, port, async () => {
    for (let at = 0; at < 10 * seconds; at++) {
      await pause(100);
      tookMs.push(await lastScanMs(server));
    }
  });
  const meanMs = tookMs.reduce((sum, each) => sum + each, 0) / tookMs.length;
  say(
    `server, as fast as it can: ${(count / meanMs / 1000).toFixed(2)} million registers a second while it reads, ` +
      `${(rate / 1e6).toFixed(2)} with the pauses between scans, ${cores.toFixed(2)} cores`,
  );
  return meanMs;
}

async function lastScanMs(server: ServerProcess): Promise<number> {
  const response = await fetch(`${server.url}/data/connectors/plc`);
  const { plc } = (await response.json()) as Record<string, { 'scan-groups': { took: number | null }[] }>;
  return plc?.['scan-groups'][0]?.took ?? Number.NaN;
}

async function onceASecond(server: ServerProcess, port: number, say: Say, quick: boolean): Promise<Result[]> {
  const seconds = quick ? 5 : 20;
  const url = `${server.url}/data/measurements/hr777`;
  const latency = async () => {
    const [half = 0, most = 0] = (await output('latency-load.ts', [url, String(seconds), String(requestsASecond)]))
      .split(' ')
      .map(Number);
    return { half, most };
  };
  await scan(server, port, restingMs);
  const idle = await latency();
  await scan(server, port, 1000);
  const { rate, cores } = await during(server, port, () => pause(seconds * 1000));
  const busy = await latency();
  const megabytes = residentBytes(server.pid) / 1e6;
  say(
    `once a second: ${Math.round(rate)} registers a second, ${(100 * cores).toFixed(0)} % of a core, ${megabytes.toFixed(0)} MB`,
  );
  say(`GET /measurements/:name, ms of half and of 99 of 100: idle ${told(idle)}, busy ${told(busy)}`);
  if (rate < 0.95 * count) throw new Error(`only ${Math.round(rate)} of ${count} registers a second were read`);
  return [
    atMost('cores for 100,000 registers a second', cores, neuron.cores),
    {
      what: 'MB of the server meanwhile',
      figure: megabytes.toFixed(0),
      wanted: `≤ ${neuron.megabytes}`,
      holds: megabytes <= neuron.megabytes,
    },
    atMost('p50 of one measurement, meanwhile / idle', busy.half / idle.half, 2),
    atMost('p99 of one measurement, meanwhile / idle', busy.most / idle.most, 2),
  ];
}

const told = ({ half, most }: { half: number; most: number }) => `${half.toFixed(2)} and ${most.toFixed(2)}`;

/** Registers a second as the device counts them, and the processor time of the server a second. */
async function during(
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

/** Of all threads. Only Linux tells. */
function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /su, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function residentBytes(pid: number): number {
  const [, kibibytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
  return Number(kibibytes) * 1024;
}

function measurements(): Uint8Array {
  const operations = areas.flatMap((area) =>
    Array.from({ length: registersAnArea }, (_, at) => {
      const name = `${area}${at}`;
      const object = { name, datatype: 'i', connectorName: 'plc', address: name, archMode: 'none' };
      return { operation: 'put', family: 'measurements', name, object };
    }),
  );
  return Buffer.from(JSON.stringify({ operations }));
}
