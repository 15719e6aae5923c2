// What the contract says of the configuration where clients with forms were surprised: empty texts, nulls, and names of
// executables.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LiveServer } from './live-server.ts';

const live = new LiveServer();
const { config } = live;

/** As a form sends it that a person left empty. */
const emptyPoint = {
  connectorName: '',
  leader: '',
  rawRangeLo: '',
  rawRangeHi: '',
  euRangeLo: '',
  euRangeHi: '',
  archValueDeadband: '',
};
const emptyForms = {
  measurements: { body: { datatype: 'd', ...emptyPoint, deadband: '' }, kept: { datatype: 'd' } },
  commands: { body: { datatype: 'd', ...emptyPoint }, kept: { datatype: 'd' } },
  alarms: { body: { severity: 1, trgMeasurement: '', trgHysteresis: '' }, kept: { severity: 1 } },
  connectors: {
    body: { stackName: 'simulator', wdtMeasurement: '' },
    kept: { stackName: 'simulator' },
  },
  'function-modules': {
    body: { termToKill: 1, queryTimeout: 0, executable: '', enabled: false },
    kept: { termToKill: 1, queryTimeout: 0, enabled: false },
  },
};

describe('an empty text', () => {
  test('in references, ranges, deadbands and executable is not set, and renders', async () => {
    for (const [family, { body, kept }] of Object.entries(emptyForms)) {
      await config.put(`/${family}/form`, { name: 'form', ...body });
      assert.deepEqual(await config.read(`/${family}/form`), { name: 'form', ...kept });
    }
    await config.done('POST', '/cfgdb/render');
    const operations = Object.entries(emptyForms).map(([family, { body }]) => ({
      operation: 'put',
      family,
      name: 'form',
      object: { name: 'form', ...body },
    }));
    await config.done('POST', '/cfgdb/txn?render=1', { body: { operations } });
    assert.deepEqual(await config.read('/cfgdb/render'), { up_to_date: true });
  });

  test('elsewhere is a text', async () => {
    const alarm = { name: 'text', severity: 1, description: '', groupName: '', trgRefValue: '' };
    await config.put('/alarms/text', alarm);
    assert.deepEqual(await config.read('/alarms/text'), alarm);
    await config.refused('invalid-body', 'PUT', '/alarms/text', { body: { ...alarm, ackMode: '' } });
  });
});

describe('a field that is null', () => {
  test('is not set, also where it is unknown; an unknown one with a value is 400', async () => {
    await config.put('/alarms/nulls', { name: 'nulls', severity: 1, archMode: null, colour: null, __v: null });
    assert.deepEqual(await config.read('/alarms/nulls'), { name: 'nulls', severity: 1 });
    const body = { name: 'nulls', severity: 1, colour: 'red', shade: null };
    assert.deepEqual(await config.faulty('invalid-body', 'PUT', '/alarms/nulls', { body }), ['/colour']);
    const missing = { name: 'nulls', severity: null };
    assert.deepEqual(await config.faulty('invalid-body', 'PUT', '/alarms/nulls', { body: missing }), ['/severity']);
  });
});

describe('an executable', () => {
  test('may have spaces and leading dots in its name, and stays inside the folder', async () => {
    for (const [at, executable] of ['my loop.sh', '.hidden', '.bin/..run', ' a /b ', '...'].entries()) {
      const name = `named${at}`;
      const path = `/function-modules/${name}`;
      await config.put(path, { name, executable, termToKill: 1, queryTimeout: 0, enabled: false });
      const raw = `bytes of ${name}`;
      await config.done('PUT', `${path}/executable`, { raw, type: 'application/octet-stream' });
      assert.equal((await config.ask('GET', `${path}/executable`)).text, raw);
      await config.done('DELETE', `${path}/executable`);
    }
    for (const executable of ['.', '..', './a', '../a', 'a/..', 'a/./b', '/a', 'a//b']) {
      const body = { name: 'out', executable, termToKill: 1, queryTimeout: 0 };
      await config.refused('invalid-body', 'PUT', '/function-modules/out', { body });
    }
  });
});
