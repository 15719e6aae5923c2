// Requests for many nodes, which are carried out in steps, before a client in a process of its own: answered as if in one.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { quality } from '@telltale/schema';
import { point, Served } from './served.ts';
import { UaClientProcess, type UaClientSession } from './ua-client.ts';

const count = 230;
const points = Array.from({ length: count }, (_, at) => point(at + 1, `p${at}`, 'd'));
const commands = Array.from({ length: 60 }, (_, at) => point(1001 + at, `c${at}`, 'i'));
const nodes = points.map(({ address }) => `ns=2;s=${address}`);

describe('requests for many nodes', () => {
  let clients: UaClientProcess;
  before(async () => {
    clients = await UaClientProcess.start();
  });
  after(() => clients.stop());

  async function open(t: Parameters<typeof Served.start>[0]): Promise<{ served: Served; client: UaClientSession }> {
    const served = await Served.start(t, points, commands);
    served.publish((batch) => {
      for (const { id } of points) batch.value(id, id / 2, quality.good, 1.7e15);
    });
    return { served, client: await clients.open({ port: served.port, userName: 'joe', password: 'secret' }) };
  }

  test('reads give every value in its place, and what is not there', async (t) => {
    const { client } = await open(t);
    const asked = [...nodes.slice(0, 100), 'ns=2;s=nowhere', ...nodes.slice(100)];
    const expected: unknown[] = points.map(({ id }) => id / 2);
    expected.splice(100, 0, 'BadNodeIdUnknown');
    assert.deepEqual(await client.many('read', asked), expected);
    await client.close();
  });

  test('writes are carried out in order, each with its own end', async (t) => {
    const { served, client } = await open(t);
    const asked = [...commands.map(({ address }) => `ns=2;s=${address}`), 'ns=2;s=nowhere'];
    assert.deepEqual(await client.many('write', asked), [...commands.map(() => 'Good'), 'BadNodeIdUnknown']);
    assert.deepEqual(
      served.written,
      commands.map(({ name }) => [name, 7]),
    );
    await client.close();
  });

  test('paths are translated, and nodes browsed, however many references one has', async (t) => {
    const { client } = await open(t);
    const names = Array.from({ length: 60 }, (_, at) => (at % 3 === 0 ? 'Nowhere' : 'Server'));
    const expected = names.map((name) => (name === 'Server' ? 'ns=0;i=2253' : 'BadNoMatch'));
    assert.deepEqual(await client.many('translate', names), expected);
    const folder = (await client.browse('ns=0;i=85')).find(({ name }) => name === 'site')?.nodeId ?? '';
    const found = await client.many('browse', [...nodes.slice(0, 30), folder, 'ns=2;s=nowhere']);
    assert.equal(found.length, 32);
    const listed = new Set(found[30] as string[]);
    assert.deepEqual(
      points.filter(({ name }) => !listed.has(name)),
      [],
    );
    assert.equal(listed.size, (found[30] as string[]).length);
    await client.close();
  });

  test('an answer with more references than it can hold is refused, and the client stays', async (t) => {
    const { client } = await open(t);
    const folder = (await client.browse('ns=0;i=85')).find(({ name }) => name === 'site')?.nodeId ?? '';
    const asked = Array.from({ length: 200 }, () => folder);
    await assert.rejects(client.many('browse', asked), /BadResponseTooLarge/);
    assert.deepEqual(await client.many('read', nodes.slice(0, 1)), [0.5]);
    await client.close();
  });

  test('items are monitored, and taken away again', async (t) => {
    const { client } = await open(t);
    assert.deepEqual(await client.many('monitor', nodes), Array(2 * count).fill('Good'));
    await client.close();
  });
});
