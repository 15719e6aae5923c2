// What a device has to offer, as objects that are ready to be put into the configuration.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type BrowsedItem, BrowsedItems, type BrowseRequest, checker, type Operation } from '@telltale/schema';
import { manyItems } from '../packages/server/test/stacks/rack.ts';
import { put } from './live-plant.ts';
import { LiveServer } from './live-server.ts';
import { rackArgs, rackPlant } from './rack-plant.ts';
import { until } from './until.ts';

const live = new LiveServer({ args: rackArgs, begin: () => begin() });
const { data } = live;
const answer = checker(BrowsedItems);

async function begin(): Promise<void> {
  const works = put('connectors', 'works', { stackName: 'waterworks' });
  await live.apply([...rackPlant, put('connectors', 'fresh', { stackName: 'rack' }), works]);
  await until('the links are up', async () => {
    const all = await data.read<Record<string, { state: string }>>('/connectors/?fields=state');
    return [all.rack, all.fresh, all.works].every((each) => each?.state === 'up');
  });
}

async function browse(connector: string, body: BrowseRequest = {}): Promise<BrowsedItems> {
  const { status, text } = await data.ask('POST', `/connectors/${connector}/browse`, { body });
  assert.equal(status, 200, text);
  const found = JSON.parse(text) as BrowsedItems;
  assert.deepEqual(answer.faults(found), []);
  return found;
}

/** What can be put of these. */
function objectsIn(items: readonly BrowsedItem[]): Operation[] {
  return items.flatMap(({ measurement, command }) => [
    ...(measurement?.object ? [put('measurements', measurement.object.name, measurement.object)] : []),
    ...(command?.object ? [put('commands', command.object.name, command.object)] : []),
  ]);
}

const refused = (problem: Parameters<typeof data.refused>[0], connector: string, body: unknown) =>
  data.refused(problem, 'POST', `/connectors/${connector}/browse`, { body });

describe('a browse', () => {
  test('begins at the top and goes down by the paths of its answers', async () => {
    const top = await browse('fresh');
    assert.deepEqual(
      top.items.map(({ title, path, measurement, command }) => [title, path, measurement, command]),
      ['u1', 'u2', 'many', 'locked'].map((name) => [`Unit ${name}`, name, null, null]),
    );
    assert.equal(top.cursor, null);
    const below = await browse('fresh', { path: 'u2' });
    assert.equal(below.items[0]?.measurement?.object?.address, 'u2.level');
  });

  test('makes objects with valid names, the connector and what the device says', async () => {
    const { items } = await browse('fresh', { path: 'u1' });
    assert.deepEqual(items, [
      {
        title: 'Füllstand',
        path: null,
        measurement: {
          object: {
            name: 'Fullstand_1',
            address: 'u1.level',
            description: 'The tank',
            datatype: 'd',
            connectorName: 'fresh',
            eu: 'm',
            properties: { note: 'x' },
          },
          configured: null,
          refused: null,
        },
        command: null,
        alarm: null,
      },
      {
        title: 'Setpoint',
        path: null,
        measurement: {
          object: { name: 'names_2', address: 'u1.set', datatype: 'd', connectorName: 'fresh' },
          configured: null,
          refused: null,
        },
        command: {
          object: { name: 'names_2', address: 'u1.set', datatype: 'd', connectorName: 'fresh' },
          configured: null,
          refused: null,
        },
        alarm: null,
      },
      {
        title: 'Broken',
        path: null,
        measurement: {
          object: null,
          configured: null,
          refused: 'the rack has units u1 and u2; for example u1.level',
        },
        command: {
          object: { name: 'broken', address: 'u1.broken', datatype: 'd', connectorName: 'fresh' },
          configured: null,
          refused: null,
        },
        alarm: null,
      },
    ]);
  });

  test('gives what can be put as it is, runs, and is not offered again', async () => {
    const { items } = await browse('fresh', { path: 'u1' });
    await live.apply(objectsIn(items));
    await until('it is read', async () => {
      const { vtq } = await data.read<{ vtq: [string, unknown, number] }>('/measurements/Fullstand_1');
      return vtq[2] === 192;
    });
    await data.done('PUT', '/commands/names_2?value=d5');
    const again = (await browse('fresh', { path: 'u1' })).items;
    assert.deepEqual(objectsIn(again), []);
    assert.deepEqual(again[0]?.measurement, { object: null, configured: 'Fullstand_1', refused: null });
    assert.equal(again[1]?.command?.configured, 'names_2');
    const other = await browse('fresh', { path: 'u2' });
    assert.equal(other.items[0]?.measurement?.object?.name, 'Fullstand_1_2', 'the name is taken by now');
    const elsewhere = await browse('rack', { path: 'u1' });
    assert.deepEqual(
      [elsewhere.items[0]?.measurement?.configured, elsewhere.items[1]?.measurement?.object?.connectorName],
      ['u1_level', 'rack'],
    );
  });

  test('goes on where the answer before it ended, bounded, with no name twice in an answer', async () => {
    assert.equal((await browse('fresh', { path: 'many' })).items.length, 100);
    const titles: string[] = [];
    let cursor: string | null = null;
    do {
      const page: BrowsedItems = await browse('fresh', {
        path: 'many',
        limit: 1000,
        ...(cursor !== null && { cursor }),
      });
      const names = page.items.map(({ measurement }) => measurement?.object?.name);
      assert.equal(new Set(names).size, page.items.length);
      titles.push(...page.items.map(({ title }) => title));
      cursor = page.cursor;
    } while (cursor !== null);
    assert.deepEqual(
      titles,
      Array.from({ length: manyItems }, (_, at) => String(at)),
    );
  });

  test('is refused where the device refuses, the stack cannot, the link is down, or nobody is there', async () => {
    assert.match((await refused('device-refused', 'fresh', { path: 'locked' })).detail, /the cabinet is locked/);
    await refused('device-refused', 'fresh', { path: '__proto__' });
    await refused('not-supported', '__proto__', {});
    await refused('connector-down', 'unreachable', {});
    await refused('connector-down', 'fatal', {});
    await refused('unknown-object', 'nobody', {});
    await refused('unknown-object', 'panel', {});
    await refused('invalid-name', 'a-b', {});
  });

  test('is refused where the request makes no sense', async () => {
    for (const body of [
      { limit: 0 },
      { limit: 1001 },
      { limit: 1.5 },
      { path: 5 },
      { more: 1 },
      [],
      { path: 'x'.repeat(5000) },
    ]) {
      await refused('invalid-body', 'fresh', body);
    }
    await data.refused('malformed-json', 'POST', '/connectors/fresh/browse', { raw: '{', type: 'application/json' });
    await data.refused('malformed-json', 'POST', '/connectors/fresh/browse');
    await data.refused('method-not-allowed', 'GET', '/connectors/fresh/browse');
  });

  test('ends when whoever asked has gone, so that those who go do not stand in the way of others', async () => {
    const count = (text: string) => live.process.log.split(text).length - 1;
    for (let asked = 1; asked <= 6; asked++) {
      const leaving = new AbortController();
      const answer = fetch(`${live.url}/connectors/fresh/browse`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"path":"slow"}',
        signal: leaving.signal,
      });
      await until('the stack is asked', async () => count('it takes its time') === asked);
      leaving.abort();
      await assert.rejects(answer);
    }
    await until('the stack has heard of all', async () => count('it was given up') === 6);
  });

  test('of the waterworks finds the tags of its model', async () => {
    const { items } = await browse('works');
    assert.ok(items.some(({ path }) => path === 'tank1'));
    const tank = await browse('works', { path: 'tank1' });
    const level = tank.items.find(({ title }) => title === 'tank1_level')?.measurement?.object;
    assert.deepEqual([level?.address, level?.datatype, level?.eu], ['model(tank1_level)', 'd', 'm']);
    await live.apply(objectsIn(tank.items));
  });
});

test('everything that was answered stands in the reference, and nothing was a fault of the service', async () => {
  assert.deepEqual(await data.undocumented(), []);
  const lines = live.process.log.trim().split('\n');
  assert.deepEqual(
    lines.filter((line) => /"level":50.*because of an internal error/.test(line)),
    [],
  );
});
