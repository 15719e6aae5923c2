// Promises of the triggers of alarms, against the real server: what raises an alarm, for those who see it.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { TelltaleClient } from '@telltale/client';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { makeTokens } from './granted-server.ts';
import { put } from './live-plant.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
let server: ServerProcess;
let tokens: Awaited<ReturnType<typeof makeTokens<'viewer' | 'north'>>>;

before(async () => {
  const open = await startServer(cleanup, { data: folder });
  await new TelltaleClient({ url: open.url }).configuration.transaction(
    [
      put('measurements', 'level', { datatype: 'd', area: 'north', eu: 'm' }),
      put('measurements', 'flow', { datatype: 'i', area: 'south' }),
      put('alarms', 'high', {
        severity: 1,
        area: 'north',
        trgMeasurement: 'level',
        trgOperator: 'gt',
        trgRefValue: '4.50',
        trgHysteresis: '0.25',
        properties: { onDelay: '5s' },
      }),
      put('alarms', 'low', {
        severity: 2,
        area: 'north',
        trgMeasurement: 'flow',
        trgOperator: 'lt',
        trgRefValue: '3',
      }),
      put('alarms', '__proto__', { severity: 3, area: 'south' }),
    ],
    { render: true },
  );
  await open.end();
  tokens = await makeTokens(folder, { viewer: [{ role: 'viewer' }], north: [{ role: 'viewer', area: 'north' }] });
  server = await startServer(cleanup, { data: folder });
});

const clientOf = (name: keyof typeof tokens) => new TelltaleClient({ url: server.url, token: tokens[name] });

describe('triggers of alarms', () => {
  test('have measurement, limit in its datatype, hysteresis and delays, for whoever may view the alarm', async () => {
    const { high, low } = await clientOf('viewer').alarms.triggers({ names: ['high', 'low', 'gone'] });
    assert.deepEqual(high, {
      name: 'high',
      severity: 1,
      measurement: 'level',
      operator: 'gt',
      limit: 'd4.5',
      hysteresis: 'd0.25',
      'on-delay': 5000,
      'off-delay': 0,
    });
    assert.deepEqual([low?.limit, low?.hysteresis], ['i3', null]);
  });

  test('are found by the measurement, and one without a trigger has none', async () => {
    const client = clientOf('viewer');
    assert.deepEqual(Object.keys(await client.alarms.triggers({ measurements: ['level'] })), ['high']);
    assert.deepEqual(await client.alarms.triggers({ measurements: ['nothing', '__proto__'] }), Object.create(null));
    const all = await client.alarms.triggers();
    assert.deepEqual(Object.keys(all).sort(), ['__proto__', 'high', 'low']);
    assert.equal(Object.entries(all).find(([name]) => name === '__proto__')?.[1].measurement, null);
  });

  test('say nothing of what is out of view', async () => {
    const all = await clientOf('north').alarms.triggers();
    assert.deepEqual(Object.keys(all).sort(), ['high', 'low']);
    assert.deepEqual([all.low?.measurement, all.low?.limit, all.low?.operator], [null, null, null]);
  });
});
