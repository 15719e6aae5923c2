// A disk that takes nothing while the server runs, and then takes writes again: on a file system that is full, and by a
// limit on the size of files that is set on the running process.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Operation } from '@telltale/schema';
import { LineDevice } from '../packages/server/test/line-device.ts';
import { type ServerProcess, startFor, temporaryFolder } from './server-process.ts';
import { until } from './until.ts';

const stacks = fileURLToPath(new URL('./stacks', import.meta.url));

/** Takes the disk away from a running server, and gives it back. */
interface Disk {
  readonly data: string;
  fill(server: ServerProcess): void;
  free(server: ServerProcess): void;
}

function works(command: string, args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** A file system of 2 MiB in memory. */
function smallFileSystem(t: TestContext): Disk | undefined {
  const folder = temporaryFolder();
  const mounted = works('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder.path]);
  t.after(() => {
    if (mounted) works('umount', ['-l', folder.path]);
    folder.dispose();
  });
  if (!mounted) return undefined;
  const ballast = join(folder.path, 'ballast');
  return {
    data: join(folder.path, 'data'),
    fill() {
      for (let size = 1 << 20; size >= 1; size >>= 1) {
        try {
          for (;;) writeFileSync(ballast, Buffer.alloc(size, 1), { flag: 'a' });
        } catch (error) {
          assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
        }
      }
    },
    free: () => rmSync(ballast),
  };
}

/** No file of the process may grow beyond nothing. */
function limitedFiles(t: TestContext): Disk | undefined {
  const folder = temporaryFolder();
  t.after(() => folder.dispose());
  if (!works('prlimit', ['--version'])) return undefined;
  const limit = (server: ServerProcess, bytes: string) =>
    execFileSync('prlimit', ['--pid', String(server.pid), `--fsize=${bytes}:`]);
  return {
    data: join(folder.path, 'data'),
    fill: (server) => limit(server, '0'),
    free: (server) => limit(server, 'unlimited'),
  };
}

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

interface Plant {
  ask(method: string, path: string): Promise<{ status: number; detail: string }>;
  read<Body>(path: string): Promise<Body>;
  figure(name: string): Promise<number>;
}

function plantOf({ url }: ServerProcess): Plant {
  return {
    async ask(method, path) {
      const response = await fetch(url + path, { method });
      const text = await response.text();
      return { status: response.status, detail: text === '' ? '' : (JSON.parse(text).detail ?? '') };
    },
    read: async <Body>(path: string) => (await (await fetch(`${url}/data${path}`)).json()) as Body,
    async figure(name) {
      const text = await (await fetch(`${url}/metrics`)).text();
      return Number(new RegExp(`^telltale_${name} (.*)$`, 'm').exec(text)?.[1] ?? Number.NaN);
    },
  };
}

const disks = { 'is full': smallFileSystem, 'refuses every write': limitedFiles };

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
  device.tell('level', 9);
  await until('the trigger raises its alarm', async () => {
    return (await read<{ state: string }>('/alarms/high')).state === 'ACT_UNACK';
  });
  const { status, detail } = await ask('GET', '/readyz');
  assert.match(`${status} ${detail}`, /^503 .+/);
  assert.equal((await ask('GET', '/healthz')).status, 200);
}

async function whenItWorksAgain({ ask, figure }: Plant): Promise<void> {
  await until('/readyz is well again', async () => (await ask('GET', '/readyz')).status === 200);
  for (const name of ['commands_unkept', 'alarms_unkept']) {
    await until(`${name} is 0`, async () => (await figure(name)) === 0);
  }
  assert.equal((await ask('POST', '/data/alarms/manual/activate')).status, 204);
}

describe('on a disk that', () => {
  for (const [title, make] of Object.entries(disks)) {
    test(`${title}, nothing is acknowledged that is not kept, alarms are raised, and it recovers by itself`, async (t) => {
      const disk = make(t);
      if (disk === undefined) return t.skip('this machine does not allow it');
      const device = await LineDevice.start({ level: 1 });
      t.after(() => device.close());
      const options = { data: disk.data, args: ['--stacks', stacks] };
      const server = await startFor(t, options);
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
      const again = plantOf(await startFor(t, options));
      assert.equal((await again.read<{ vt: [string] }>('/commands/valve')).vt[0], 'i2');
      for (const alarm of ['high', 'manual']) {
        assert.equal((await again.read<{ state: string }>(`/alarms/${alarm}`)).state, 'ACT_UNACK', alarm);
      }
    });
  }
});
