// Rendering over HTTP: when the configuration is up to date, what refuses a rendering, and what it leaves alone.
import assert from 'node:assert/strict';
import { before, beforeEach, describe, test } from 'node:test';
import type { Family, Fault, RevisionSummary } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { clearConfiguration } from './clear-configuration.ts';
import { ConfigClient } from './config-client.ts';
import { fullest } from './sample-objects.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
let server: ServerProcess;
const client = new ConfigClient(() => server);

before(async () => {
  server = await startServer(cleanup, { data: folder });
});

beforeEach(async () => {
  await clearConfiguration(client);
  await client.done('POST', '/cfgdb/render');
});

const isUpToDate = async () => (await client.read<{ up_to_date: boolean }>('/cfgdb/render')).up_to_date;
const render = (query = '') => client.done('POST', `/cfgdb/render${query}`);
const revisions = () => client.read<RevisionSummary[]>('/cfgdb/revisions');

describe('up_to_date', () => {
  test('is true after a rendering, false after an edit, and true after the next rendering', async () => {
    assert.equal(await isUpToDate(), true);
    await client.put('/alarms/a', { name: 'a', severity: 1 });
    assert.equal(await isUpToDate(), false);
    await render();
    assert.equal(await isUpToDate(), true);
    await client.done('DELETE', '/alarms/a');
    assert.equal(await isUpToDate(), false);
    await render();
    assert.equal(await isUpToDate(), true);
  });

  test('is true again when an edit is undone', async () => {
    await client.put('/alarms/a', { name: 'a', severity: 1 });
    await render();
    await client.put('/alarms/a', { name: 'a', severity: 2 });
    assert.equal(await isUpToDate(), false);
    await client.put('/alarms/a', { name: 'a', severity: 1 });
    assert.equal(await isUpToDate(), true);
    await client.done('DELETE', '/alarms/a');
    assert.equal(await isUpToDate(), false);
    await client.put('/alarms/a', { name: 'a', severity: 1 });
    assert.equal(await isUpToDate(), true);
    await client.put('/alarms/b', { name: 'b', severity: 1 });
    assert.equal(await isUpToDate(), false);
    await client.done('DELETE', '/alarms/b');
    assert.equal(await isUpToDate(), true);
  });

  test('does not depend on the order of fields or of keys, nor on how a field is not set', async () => {
    const first = '{"name":"a","severity":1,"description":"x","properties":{"b":"1","a":"2","__proto__":"3","10":"4"}}';
    const second =
      '{"properties":{"10":"4","__proto__":"3","a":"2","b":"1"},"enabled":null,"severity":1.0,"description":"\\u0078","name":"a"}';
    await client.done('PUT', '/alarms/a', { raw: first });
    await render();
    await client.done('PUT', '/alarms/a', { raw: second });
    assert.equal(await isUpToDate(), true);
    await client.done('PUT', '/alarms/a', { raw: second.replace('"3"', '"5"') });
    assert.equal(await isUpToDate(), false);
    await client.put('/alarms/a', { name: 'a', severity: 1, description: '', properties: {} });
    await render();
    await client.put('/alarms/a', { name: 'a', severity: 1 });
    assert.equal(await isUpToDate(), false);
  });
});

describe('POST /cfgdb/render', () => {
  test('on an up-to-date configuration does nothing without force, and makes a revision with it', async () => {
    await client.put('/alarms/a', { name: 'a', severity: 1 });
    await render();
    const rendered = await revisions();
    for (const query of ['', '?force=0', '?force=false']) await render(query);
    assert.deepEqual(await revisions(), rendered);
    await render('?force=1');
    const [forced, ...older] = await revisions();
    assert.deepEqual([forced?.added, forced?.changed, forced?.removed, forced?.running], [0, 0, 0, true]);
    assert.equal(forced?.id, (rendered[0]?.id ?? 0) + 1);
    assert.deepEqual(older, [{ ...rendered[0], running: false }, ...rendered.slice(1)]);
    await render('?force=true');
    assert.equal((await revisions())[0]?.id, (forced?.id ?? 0) + 1);
  });

  test('renders an edited configuration with and without force', async () => {
    for (const [severity, query] of ['', '?force=1', '?force=0'].entries()) {
      await client.put('/alarms/a', { name: 'a', severity });
      await render(query);
      assert.equal(await isUpToDate(), true);
      const [{ id } = { id: 0 }] = await revisions();
      const stored = await client.read<{ configuration: object }>(`/cfgdb/revisions/${id}?configuration=1`);
      assert.deepEqual((stored.configuration as Record<string, unknown>).alarms, { a: { name: 'a', severity } });
    }
  });

  test('takes force as a boolean and no unknown parameter', async () => {
    for (const query of ['?force=2', '?force=', '?force=maybe', '?force=1&force=1']) {
      assert.deepEqual(await client.faulty('invalid-query', 'POST', `/cfgdb/render${query}`), ['force']);
    }
    assert.deepEqual(await client.faulty('invalid-query', 'POST', '/cfgdb/render?forced=1'), ['forced']);
    assert.deepEqual(await client.faulty('invalid-query', 'GET', '/cfgdb/render?force=1'), ['force']);
  });

  test('other methods are 405', async () => {
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const { status, headers } = await client.ask(method, '/cfgdb/render');
      assert.deepEqual([status, headers.get('allow')?.split(', ').sort()], [405, ['GET', 'HEAD', 'POST']]);
    }
  });
});

/** Puts the objects, which must all be taken, and gives what refuses to be rendered: `family name field: message`. */
async function faultsOf(objects: Partial<Record<Family, Record<string, unknown>[]>>): Promise<Fault[]> {
  const [rendered, running] = [await revisions(), await isUpToDate()];
  assert.equal(running, true);
  for (const [family, list] of Object.entries(objects)) {
    for (const object of list) await client.put(`/${family}/${object.name}`, object);
  }
  const { status, errors = [] } = await client.refused('render-refused', 'POST', '/cfgdb/render');
  assert.equal(status, 500);
  await client.refused('render-refused', 'POST', '/cfgdb/render?force=1');
  assert.deepEqual(await revisions(), rendered);
  assert.equal(await isUpToDate(), false);
  for (const { path, family, name, field } of errors) {
    assert.equal(path.split('/').slice(0, 4).join('/'), `/${family}/${name}/${field}`);
  }
  return errors;
}

const places = (faults: Fault[]) => faults.map(({ family, name, field }) => `${family} ${name} ${field}`).sort();
const sim = { name: 'sim', stackName: 'simulator' };

describe('a rendering is refused', () => {
  test('where references dangle, which a PUT accepts: each is named', async () => {
    const faults = await faultsOf({
      connectors: [
        { name: 'c1', stackName: 'nothing' },
        { name: 'c2', stackName: 'constructor', wdtMeasurement: 'm9' },
      ],
      providers: [{ name: 'p1', stackName: '', wdtMeasurement: '__proto__' }],
      measurements: [
        { name: 'm1', datatype: 'd', connectorName: 'toString' },
        { name: 'm2', datatype: 'd', leader: 'not an identifier' },
        { name: 'm3', datatype: 'd', providerAddresses: { p1: 'a', p2: 'b', 'p/3': 'c' } },
      ],
      commands: [{ name: 'm1', datatype: 'd', connectorName: 'c9', leader: 'hasOwnProperty' }],
      alarms: [{ name: 'a1', severity: 1, trgMeasurement: 'valueOf', trgOperator: 'gt', trgRefValue: '1' }],
    });
    assert.deepEqual(places(faults), [
      'alarms a1 trgMeasurement',
      'commands m1 connectorName',
      'commands m1 leader',
      'connectors c1 stackName',
      'connectors c2 stackName',
      'connectors c2 wdtMeasurement',
      'measurements m1 connectorName',
      'measurements m2 leader',
      'measurements m3 providerAddresses',
      'measurements m3 providerAddresses',
      'providers p1 stackName',
      'providers p1 wdtMeasurement',
    ]);
    assert.ok(faults.some(({ path }) => path === '/measurements/m3/providerAddresses/p2'));
    assert.ok(faults.some(({ path }) => path === '/measurements/m3/providerAddresses/p~13'));
  });

  test('where an address or a variable is off the syntax of its stack', async () => {
    const faults = await faultsOf({
      connectors: [{ ...sim, vars: { scanPeriodMs: 'soon', colour: 'red' } }],
      providers: [{ ...sim, vars: { gatherMs: '-1' } }],
      measurements: [
        { name: 'm1', datatype: 'd', connectorName: 'sim', address: 'sine(' },
        { name: 'm2', datatype: 'd', connectorName: 'sim' },
        { name: 'm3', datatype: 'd', connectorName: 'sim', address: 'sine()', providerAddresses: { sim: 'a b' } },
      ],
      commands: [{ name: 'c1', datatype: 'd', connectorName: 'sim', address: 'sine()' }],
    });
    assert.deepEqual(places(faults), [
      'commands c1 address',
      'connectors sim vars',
      'connectors sim vars',
      'measurements m1 address',
      'measurements m2 address',
      'measurements m3 providerAddresses',
      'providers sim vars',
    ]);
  });

  test('where a text is no value of its datatype', async () => {
    const faults = await faultsOf({
      measurements: [
        { name: 'm1', datatype: 'i', euRangeLo: '0.5', euRangeHi: '10', deadband: 'much', archValueDeadband: '1e3' },
        { name: 'm2', datatype: 'd', rawDatatype: 'q', rawRangeLo: '0', rawRangeHi: '4' },
      ],
      commands: [{ name: 'c1', datatype: 'b', initialValue: 'true' }],
      alarms: [
        { name: 'a1', severity: 1, trgMeasurement: 'm1', trgOperator: 'gt', trgRefValue: 'd5', trgHysteresis: '-1' },
      ],
    });
    assert.deepEqual(places(faults), [
      'alarms a1 trgHysteresis',
      'alarms a1 trgRefValue',
      'commands c1 initialValue',
      'measurements m1 archValueDeadband',
      'measurements m1 deadband',
      'measurements m1 euRangeLo',
      'measurements m2 rawRangeHi',
    ]);
  });

  test('where two objects claim one address of a provider', async () => {
    const faults = await faultsOf({
      providers: [sim],
      measurements: [
        { name: 'm1', datatype: 'd', providerAddresses: { sim: 'tank.level' } },
        { name: 'm2', datatype: 'd', providerAddresses: { sim: 'tank.level' } },
      ],
      commands: [{ name: 'm1', datatype: 'd', providerAddresses: { sim: 'tank.level' } }],
    });
    assert.deepEqual(places(faults), ['commands m1 providerAddresses', 'measurements m2 providerAddresses']);
  });

  test('and accepted as soon as the last of it is repaired', async () => {
    await client.put('/measurements/m', { name: 'm', datatype: 'd', connectorName: 'sim', address: 'sine()' });
    await client.refused('render-refused', 'POST', '/cfgdb/render');
    await client.put('/connectors/sim', sim);
    await render();
    assert.equal(await isUpToDate(), true);
    await client.done('DELETE', '/connectors/sim');
    await client.refused('render-refused', 'POST', '/cfgdb/render');
    await client.put('/connectors/sim', sim);
    assert.equal(await isUpToDate(), true);
  });
});

test('objects that are full of what nothing here knows can be written, and the refusal lists all of it', async () => {
  for (const family of ['alarms', 'commands', 'measurements', 'connectors', 'providers'] as const) {
    await client.put(`/${family}/x`, fullest(family, 'x'));
  }
  const { detail, errors = [] } = await client.refused('render-refused', 'POST', '/cfgdb/render');
  assert.ok(detail.startsWith(`${errors.length} things are wrong`));
  assert.ok(errors.length >= 10);
});

test('every answer given here is in the reference of the service', async () => {
  assert.deepEqual(await client.undocumented(), []);
});
