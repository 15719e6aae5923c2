// Promises of what the audit trail has of clients of providers, who pass no gate of the HTTP interface: what they write and
// acknowledge, what they say of themselves, and what they are refused.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { recordsSince, shown, tail, withPlant } from './audit-plant.ts';
import { closeServer, makeUser, Person } from './closed-server.ts';
import { put } from './live-plant.ts';
import type { ServerProcess } from './server-process.ts';
import { until } from './until.ts';

/** `by_bus` is written by a connector that is a client of the provider, which serves the command `served`. */
const served = (properties = {}, ofCommand = {}) => [
  put('providers', 'tags', { stackName: 'simulator', properties }),
  put('commands', 'served', { datatype: 'd', area: 'hall.1', providerAddresses: { tags: 'level.set' }, ...ofCommand }),
  put('connectors', 'device', { stackName: 'simulator' }),
  put('commands', 'by_bus', { datatype: 'd', connectorName: 'device', address: 'bus(level.set)' }),
];

async function isWritten(server: ServerProcess, person: Person, value: string): Promise<void> {
  await until(`${value} is written`, async () => {
    const { status } = await person.ask('PUT', `/data/commands/by_bus?value=${value}`);
    return status === 204;
  });
  assert.equal(server.log.includes('internal error'), false);
}

describe('what a client of a provider writes', () => {
  test('is recorded as done by the provider, with old and new; so is what it is refused', async (t) => {
    const data = temporaryFolder(t);
    const server = await withPlant(t, data);
    const applied = await server.send('POST', '/cfgdb/txn?render=1', { operations: served() });
    assert.equal(applied.status, 204, await applied.text());
    const local = new Person(server.url);
    await isWritten(server, local, 'd2');
    const { last } = await tail(server);
    await isWritten(server, local, 'd3');
    const record = { who: 'provider/tags', kind: 'provider', operation: 'writeCommand', object: 'served' };
    const [byProvider, byCaller] = await recordsSince(server, last);
    assert.deepEqual(byProvider && shown(byProvider), {
      ...record,
      area: 'hall.1',
      old: 'd2',
      new: 'd3',
      result: 'done',
      rendering: 2,
    });
    assert.deepEqual([byCaller?.who, byCaller?.object, byCaller?.result], ['local', 'by_bus', 'done']);

    const admin = await closeServer(server, data);
    const operator = await makeUser(server, admin, 'anna', [{ role: 'operator' }]);
    const before = await tail(server, admin.headers);
    const refused = await operator.ask('PUT', '/data/commands/by_bus?value=d4');
    assert.equal(refused.status, 502, refused.text);
    const records = await recordsSince(server, before.last, admin.headers);
    assert.deepEqual(
      records.map(({ who, object, result }) => [who, object, result]),
      [
        ['provider/tags', 'served', 'not-allowed'],
        ['anna', 'by_bus', 'write-refused'],
      ],
    );
  });

  test('is refused where a person has to confirm it, unless the command names the provider', async (t) => {
    const server = await withPlant(t, temporaryFolder(t));
    const local = new Person(server.url);
    const apply = async (properties: object) => {
      const operations = served({}, { properties });
      const applied = await server.send('POST', '/cfgdb/txn?render=1', { operations });
      assert.equal(applied.status, 204, await applied.text());
    };
    await apply({});
    await isWritten(server, local, 'd2');
    await apply({ confirm: 'reason' });
    const { last } = await tail(server);
    assert.equal((await local.ask('PUT', '/data/commands/by_bus?value=d3')).status, 502);
    const [refused] = await recordsSince(server, last);
    assert.deepEqual([refused?.who, refused?.object, refused?.result], ['provider/tags', 'served', 'not-allowed']);
    await apply({ confirm: 'two-person', confirmExcept: 'provider/tags' });
    await isWritten(server, local, 'd4');
  });
});
