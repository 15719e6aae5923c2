// A server that starts while its disk takes nothing: what is there runs and is read, nothing is promised, and it recovers.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Operation } from '@telltale/schema';
import { takeDataFolder } from '../packages/server/src/data-folder.ts';
import { disks, plantOf } from './full-disk.ts';
import { runServer, type ServerProcess, startServer } from './server-process.ts';
import { until } from './until.ts';

const put = (family: Operation['family'], name: string, fields: object) =>
  ({ operation: 'put', family, name, object: { name, ...fields } }) as Operation;

const operations = [
  put('connectors', 'plant', { stackName: 'simulator' }),
  put('measurements', 'level', { datatype: 'd', connectorName: 'plant', address: 'sine(low=0, high=9, period=7)' }),
  put('commands', 'note', { datatype: 's' }),
  put('alarms', 'manual', { severity: 1 }),
];

describe('a start on a disk that', () => {
  for (const how of ['SIGTERM', 'SIGKILL'] as const) {
    test(`is full, after ${how}: live values are served, writes are refused, and it recovers by itself`, async (t) => {
      const disk = disks['is full'](t, 6);
      if (typeof disk === 'string') return t.skip(disk);
      const first = await startServer(t, { data: disk.data });
      const rendered = await first.send('POST', '/cfgdb/txn?render=1', { operations });
      assert.equal(rendered.status, 204, await rendered.text());
      assert.equal((await plantOf(first).ask('PUT', '/data/commands/note?value=skept')).status, 204);
      await first.end(how);
      disk.fill(first);

      const server = await startServer(t, { data: disk.data });
      const { ask, read } = plantOf(server);
      assert.equal((await read<{ vt: [string] }>('/commands/note')).vt[0], 'skept');
      await until('the measurement is live', async () => {
        return (await read<{ vtq: [string, unknown, number] }>('/measurements/level')).vtq[2] === 0xc0;
      });
      assert.equal((await server.get('/measurements/names')).status, 200);
      disk.fill(server); // an empty journal that the start has removed makes room for the next one
      await refusesWrites(server);
      await until('/readyz says that the disk is full', async () => {
        const { status, detail } = await ask('GET', '/readyz');
        return status === 503 && detail !== '';
      });

      disk.free(server);
      await until('/readyz is well', async () => (await ask('GET', '/readyz')).status === 200);
      assert.equal((await ask('PUT', '/data/commands/note?value=snew')).status, 204);
      assert.equal((await server.send('PUT', '/alarms/later', { name: 'later', severity: 1 })).status, 204);
      assert.match(server.log, /the disk refuses/);
      assert.equal((await server.end()).code, 0);
    });
  }

  for (const roomBytes of [0, 16_384, 65_536]) {
    test(`has ${roomBytes} bytes left and no folder yet: reported in one line, and the next start is a first one`, async (t) => {
      const disk = disks['is full'](t, 1);
      if (typeof disk === 'string') return t.skip(disk);
      disk.fill({} as ServerProcess);
      disk.leave(roomBytes);
      const { code, stderr: reported } = await runServer(['--data', disk.data, '--port', '0']);
      assert.equal(code, 1);
      assert.match(reported, /^telltale: [^\n]+\n$/);
      assert.ok(reported.includes(disk.data), reported);
      const { isNew, release } = await takeDataFolder(disk.data);
      release();
      assert.ok(isNew, 'it loads the demo plant');
    });
  }
});

async function refusesWrites(server: ServerProcess): Promise<void> {
  const { ask, read } = plantOf(server);
  for (const path of ['/data/commands/note?value=sother', '/data/measurements/level?value=d3']) {
    assert.equal((await ask('PUT', path)).status, 500, path);
  }
  assert.equal((await ask('POST', '/data/alarms/manual/activate')).status, 500);
  // Nothing is half-done: a configuration is too large for what room there may be in the log.
  const description = 'x'.repeat(500_000);
  const large = await server.send('PUT', '/alarms/large', { name: 'large', severity: 1, description });
  assert.equal(large.status, 500, await large.text());
  assert.equal((await server.get('/alarms/large')).status, 404);
  assert.equal((await read<{ vt: [string] }>('/commands/note')).vt[0], 'skept');
}
