// Nothing is lost of what the archive has while a broker is away, whatever happens to the server meanwhile.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { FaultProxy, until } from '@telltale/stack-kit/testing';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { type Heard, Mosquitto, withoutMosquitto } from '../stacks/mqtt/test/mosquitto.ts';
import { SparkplugDecoder } from '../stacks/mqtt/test/sparkplug-decoder.ts';
import { put } from './live-plant.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const count = 50;
const names = Array.from({ length: count }, (_, at) => `p${at}`);

/** By point, the times in milliseconds of all that was said of it. */
function seenBy(heard: Heard): Map<string, Set<number>> {
  const decoder = new SparkplugDecoder();
  const byAlias = new Map<string, string>();
  const seen = new Map(names.map((name) => [name, new Set<number>()]));
  for (const { topic, payload } of heard.messages) {
    for (const { name, alias, timestamp } of decoder.decode(topic, payload).metrics ?? []) {
      if (name) byAlias.set(`${alias}`, name);
      seen.get(byAlias.get(`${alias}`) ?? '')?.add(Number(timestamp));
    }
  }
  return seen;
}

async function recordsOf(server: ServerProcess, name: string, sinceMs: number, untilMs: number): Promise<number[]> {
  const answer = await fetch(`${server.url}/data/archive/measurements/${name}/${sinceMs / 1000}/${untilMs / 1000}`);
  assert.equal(answer.status, 200);
  const body = (await answer.json()) as Record<string, [string, [number, number], number][]>;
  return (body[name] ?? []).map(([, [seconds, microseconds]]) => seconds * 1000 + Math.floor(microseconds / 1000));
}

test('a host has every archived value of an outage afterwards, though the server was killed in it', {
  skip: withoutMosquitto,
}, async (t) => {
  const cleanup = cleanupOf(t);
  const broker = await Mosquitto.start();
  cleanup.defer(() => broker.stop());
  const data = join(temporaryFolder(cleanup), 'data');
  let server = await startServer(cleanup, { data });
  const heard = await broker.sub('spBv1.0/#');
  cleanup.defer(() => heard.stop());
  const proxy = cleanup.use(await FaultProxy.start({ host: '127.0.0.1', port: broker.port }));
  const vars = { port: String(proxy.port), format: 'sparkplug', group: 'Plant', node: 'gateway' };
  const operations = [
    put('connectors', 'sim', { stackName: 'simulator', vars: { scanPeriodMs: '100' } }),
    put('providers', 'out', { stackName: 'mqtt', vars: { ...vars, forwardOverlapMs: '5000' } }),
    ...names.map((name) =>
      put('measurements', name, {
        ...{ datatype: 'l', connectorName: 'sim', address: 'counter(period=0.1)', archMode: 'change' },
        providerAddresses: { out: name },
      }),
    ),
  ];
  const answer = await server.send('POST', '/cfgdb/txn?render=1', { operations });
  assert.equal(answer.status, 204, await answer.text());
  await until('values come', () => (seenBy(heard).get('p0')?.size ?? 0) > 5);

  await proxy.refuse();
  proxy.reset();
  const lostMs = Date.now();
  const archived = async (sinceMs: number) => (await recordsOf(server, 'p0', sinceMs, Date.now())).length;
  await until('the outage has values', async () => (await archived(lostMs)) > 10);
  await server.end('SIGKILL');
  server = await startServer(cleanup, { data });
  const againMs = Date.now();
  await until('it has more after the restart', async () => (await archived(againMs)) > 10);
  const untilMs = Date.now();
  await proxy.listen();

  const expected = new Map<string, number[]>();
  for (const name of names) expected.set(name, await recordsOf(server, name, lostMs, untilMs));
  assert.ok([...expected.values()].every((times) => times.length > 20));
  const lacking = () => {
    const seen = seenBy(heard);
    return [...expected].flatMap(([name, times]) => times.filter((ms) => !seen.get(name)?.has(ms)));
  };
  await until('all of them have come', () => lacking().length === 0, { deadlineMs: 60_000 });
});

test('a server that is the host application archives every value of the outage, and shows none of them as live', {
  skip: withoutMosquitto,
}, async (t) => {
  const cleanup = cleanupOf(t);
  const broker = await Mosquitto.start();
  cleanup.defer(() => broker.stop());
  const proxy = cleanup.use(await FaultProxy.start({ host: '127.0.0.1', port: broker.port }));
  const few = names.slice(0, 5);
  const plant = await startServer(cleanup, { data: join(temporaryFolder(cleanup), 'plant') });
  const vars = { port: String(proxy.port), format: 'sparkplug', group: 'Plant', node: 'gateway' };
  const host = await startServer(cleanup, { data: join(temporaryFolder(cleanup), 'host') });
  const configure = async (server: ServerProcess, operations: readonly unknown[]) => {
    const answer = await server.send('POST', '/cfgdb/txn?render=1', { operations });
    assert.equal(answer.status, 204, await answer.text());
  };
  await configure(plant, [
    put('connectors', 'sim', { stackName: 'simulator', vars: { scanPeriodMs: '100' } }),
    put('providers', 'out', { stackName: 'mqtt', vars: { ...vars, forwardOverlapMs: '5000' } }),
    ...few.map((name) =>
      put('measurements', name, {
        ...{ datatype: 'l', connectorName: 'sim', address: 'counter(period=0.1)', archMode: 'change' },
        providerAddresses: { out: `Well#${name}` },
      }),
    ),
  ]);
  await configure(host, [
    put('connectors', 'broker', { stackName: 'mqtt', vars: { port: String(broker.port), hostId: 'scada' } }),
    ...few.map((name) =>
      put('measurements', name, {
        ...{
          datatype: 'l',
          connectorName: 'broker',
          address: `spBv1.0/Plant/gateway/Well#${name}`,
          archMode: 'change',
        },
      }),
    ),
  ]);
  const archived = async (server: ServerProcess, sinceMs: number) =>
    (await recordsOf(server, 'p0', sinceMs, Date.now())).length;
  const startMs = Date.now();
  await until('the host has values', async () => (await archived(host, startMs)) > 5);

  await proxy.refuse();
  proxy.reset();
  const lostMs = Date.now();
  await until('the outage has values', async () => (await archived(plant, lostMs)) > 20);
  const untilMs = Date.now();
  await proxy.listen();

  // What was live here never goes back in time.
  let newest = 0;
  const look = async () => {
    const answer = await fetch(`${host.url}/data/measurements/p0`);
    const { vtq } = (await answer.json()) as { vtq: [string, [number, number], number] };
    const value = Number(vtq[0].slice(1));
    assert.ok(value >= newest, `${value} after ${newest}`);
    newest = value;
  };
  for (const name of few) {
    const expected = await recordsOf(plant, name, lostMs, untilMs);
    assert.ok(expected.length > 20);
    await until(
      `all of ${name} are there`,
      async () => {
        await look();
        const there = new Set(await recordsOf(host, name, lostMs - 1000, untilMs + 1000));
        return expected.every((ms) => there.has(ms));
      },
      { deadlineMs: 60_000 },
    );
  }
});
