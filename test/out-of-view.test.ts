// What the real server says of one object never tells of another that the caller does not see: explanations of points whose
// connector is elsewhere, and faults of a rendering that two objects share.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { CommandExplanation, Explanation, Problem } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { closeServer, makeUser, type Person } from './closed-server.ts';
import { put } from './live-plant.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { until } from './until.ts';

const cleanup = suiteCleanup();
const south = { properties: { area: 'south' } };
let server: ServerProcess;
let all: Person;
let north: Person;

const apply = (person: Person, render: boolean, ...operations: object[]) =>
  person.do('POST', `/config/v2/cfgdb/txn${render ? '?render=1' : ''}`, { operations });

before(async () => {
  const data = temporaryFolder(cleanup);
  server = await startServer(cleanup, { data, args: ['--no-demo'] });
  const admin = await closeServer(server, data);
  all = await makeUser(server, admin, 'erik', [{ role: 'engineer' }]);
  north = await makeUser(server, admin, 'nora', [{ role: 'engineer', area: 'north' }]);
  await apply(
    all,
    true,
    put('connectors', 'hidden_line', { stackName: 'simulator', wdtMeasurement: 'link', ...south }),
    put('providers', 'hidden_panel', { stackName: 'simulator', ...south }),
    put('measurements', 'link', { datatype: 'b', area: 'north' }),
    put('measurements', 'level', { datatype: 'd', area: 'north', connectorName: 'hidden_line', address: 'sine()' }),
    put('commands', 'pump', {
      datatype: 'd',
      area: 'north',
      connectorName: 'hidden_line',
      address: 'echo(pump)',
      providerAddresses: { hidden_panel: 'pump' },
    }),
    put('measurements', 'secret_flow', { datatype: 'd', area: 'south', providerAddresses: { hidden_panel: 'taken' } }),
  );
  const isUp = async () => (await all.do<{ state: string }>('GET', '/data/connectors/hidden_line')).state === 'up';
  await until('the connector is up', isUp);
});

describe('what is out of view', () => {
  test('is not told of by an explanation of what is in view', async () => {
    const explained = await all.do<Explanation>('GET', '/data/measurements/level/explain');
    assert.equal(explained.connector?.name, 'hidden_line');
    for (const path of ['measurements/level', 'measurements/link', 'commands/pump']) {
      const seen = await all.ask('GET', `/data/${path}/explain`);
      assert.match(seen.text, /hidden_/, path);
      const { status, text } = await north.ask('GET', `/data/${path}/explain`);
      assert.equal(status, 200, text);
      assert.doesNotMatch(text, /hidden_/, path);
      const { connector, summary } = JSON.parse(text) as Explanation | CommandExplanation;
      assert.equal(connector, null);
      assert.match(summary, /The link that it depends on is out of your view\./);
    }
    const { reading } = await north.do<Explanation>('GET', '/data/measurements/level/explain');
    assert.equal(reading, null);
    const { providers } = await north.do<CommandExplanation>('GET', '/data/commands/pump/explain');
    assert.deepEqual(providers, []);
  });

  test('is not named by a fault of a rendering', async () => {
    await apply(
      all,
      false,
      put('measurements', 'own_flow', { datatype: 'd', area: 'north', providerAddresses: { hidden_panel: 'taken' } }),
    );
    const messagesFor = async (person: Person) => {
      const { status, text } = await person.ask('POST', '/config/v2/cfgdb/render');
      assert.equal(status, 500, text);
      return (JSON.parse(text) as Problem).errors?.map(({ message }) => message);
    };
    assert.deepEqual(await messagesFor(all), [
      'measurements/secret_flow has the address "taken" at this provider already',
    ]);
    assert.deepEqual(await messagesFor(north), ['something else has the address "taken" at this provider already']);
  });
});
