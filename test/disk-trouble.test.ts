// A disk that takes nothing while the server runs, and then takes writes again.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Operation } from '@telltale/schema';
import { LineDevice } from '../packages/server/test/line-device.ts';
import { disks, type Plant, plantOf } from './full-disk.ts';
import { startServer } from './server-process.ts';
import { until } from './until.ts';

const stacks = fileURLToPath(new URL('./stacks', import.meta.url));

const plant = (port: string): Operation[] => {
  const put = (family: Operation['family'], name: string, fields: object) =>
    ({ operation: 'put', family, name, object: { name, ...fields } }) as Operation;
  const of = (address: string) => ({ datatype: 'i', connectorName: 'device', address });
  return [
    put('connectors', 'device', { stackName: 'line_device', vars: { port } }),
    put('measurements', 'level', of('level')),
    put('commands', 'valve', of('valve')),
    put('commands', 'note', { datatype: 's' }),
    put('alarms', 'high', { severity: 1, trgMeasurement: 'level', trgOperator: 'gt', trgRefValue: '5' }),
    put('alarms', 'manual', { severity: 1 }),
  ];
};

/** What is asked of a server whose disk takes nothing. */
async function whileItFails({ ask, read }: Plant, device: LineDevice): Promise<void> {
  const written = await ask('PUT', '/data/commands/valve?value=i2');
  assert.match(`${written.status} ${written.detail}`, /^500 The device has accepted i2 .* not on disk yet/);
  assert.equal((await ask('GET', '/readyz')).status, 503);
  assert.deepEqual((await read<{ vt: [string] }>('/commands/valve')).vt[0], 'i2');
  const failing = [
    ['PUT', '/data/commands/note?value=snew'],
    ['POST', '/data/alarms/manual/activate'],
    ['PUT', '/data/measurements/level?value=i9'],
  ];
  for (const [method = '', path = ''] of failing) assert.equal((await ask(method, path)).status, 500, path);
  assert.equal((await read<{ vt: [string] }>('/commands/note')).vt[0], 's');
  assert.equal((await read<{ state: string }>('/alarms/manual')).state, 'INACT_ACK');
  assert.deepEqual(await read('/simulations'), {});
  device.send('level', 9);
  await until('the trigger raises its alarm', async () => {
    return (await read<{ state: string }>('/alarms/high')).state === 'ACT_UNACK';
  });
  const { status, detail } = await ask('GET', '/readyz');
  assert.match(`${status} ${detail}`, /^503 .+/);
  assert.equal((await ask('GET', '/healthz')).status, 200);
}

async function whenItWorksAgain({ ask, figure }: Plant): Promise<void> {
  await until('/readyz is well again', async () => (await ask('GET', '/readyz')).status === 200);
  for (const name of ['commands_unkept', 'simulations_unkept', 'alarms_unkept']) {
    await until(`${name} is 0`, async () => (await figure(name)) === 0);
  }
  assert.equal((await ask('POST', '/data/alarms/manual/activate')).status, 204);
}

describe('on a disk that', () => {
  for (const [title, make] of Object.entries(disks)) {
    test(`${title}, nothing is acknowledged that is not kept, alarms are raised, and it recovers by itself`, async (t) => {
      const disk = make(t);
      if (typeof disk === 'string') return t.skip(disk);
      const device = await LineDevice.start({ level: 1 });
      t.after(() => device.close());
      const options = { data: disk.data, args: ['--stacks', stacks] };
      const server = await startServer(t, options);
      const rendered = await server.send('POST', '/cfgdb/txn?render=1', { operations: plant(device.port) });
      assert.equal(rendered.status, 204, await rendered.text());
      const live = plantOf(server);
      await until('the device is linked', async () => {
        return (await live.ask('PUT', '/data/commands/valve?value=i1')).status === 204;
      });

      disk.fill(server);
      await whileItFails(live, device);
      disk.free(server);
      await whenItWorksAgain(live);
      assert.equal(device.writes.get('valve=2'), 1);

      await server.end('SIGKILL');
      const again = plantOf(await startServer(t, options));
      assert.equal((await again.read<{ vt: [string] }>('/commands/valve')).vt[0], 'i2');
      for (const alarm of ['high', 'manual']) {
        assert.equal((await again.read<{ state: string }>(`/alarms/${alarm}`)).state, 'ACT_UNACK', alarm);
      }
    });

    test(`${title}, a change of the configuration is refused, and /readyz says so until one would be taken`, async (t) => {
      const disk = make(t);
      if (typeof disk === 'string') return t.skip(disk);
      const server = await startServer(t, { data: disk.data });
      const { ask } = plantOf(server);
      const put = () => server.send('PUT', '/alarms/a', { name: 'a', severity: 1, description: 'x'.repeat(100_000) });
      assert.equal((await ask('GET', '/readyz')).status, 200);
      disk.fill(server);
      const refused = await put();
      assert.equal(refused.status, 500, await refused.text());
      const ready = await ask('GET', '/readyz');
      assert.equal(ready.status, 503);
      assert.ok(ready.detail.startsWith(`The disk of ${disk.data} does not take what is written (`), ready.detail);
      assert.match(
        server.log,
        /the disk refuses changes of the configuration, which is retried; check space and permissions: /,
      );
      disk.free(server);
      await until('/readyz is well', async () => (await ask('GET', '/readyz')).status === 200);
      assert.equal((await put()).status, 204);
      assert.match(server.log, /the disk accepts changes of the configuration again/);
    });
  }
});
