// The client against the real server: every operation of both interfaces and the channel, and what becomes of it when
// the server goes and comes back.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { type Channel, parsePrefixed, TelltaleClient, TelltaleProblem, Unreachable } from '@telltale/client';
import { familyNames, type Operation } from '@telltale/schema';
import { cleanupOf, suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { type ServerProcess, startServer } from './server-process.ts';

/** A plant without a device: its measurements are what is simulated. */
const plant: Operation[] = [
  { operation: 'put', family: 'measurements', name: 'level', object: { name: 'level', datatype: 'd' } },
  { operation: 'put', family: 'measurements', name: 'total', object: { name: 'total', datatype: 'l' } },
  { operation: 'put', family: 'measurements', name: '__proto__', object: { name: '__proto__', datatype: 'b' } },
  {
    operation: 'put',
    family: 'commands',
    name: 'setpoint',
    object: { name: 'setpoint', datatype: 'd', euRangeLo: '0', euRangeHi: '10' },
  },
  { operation: 'put', family: 'alarms', name: 'fire', object: { name: 'fire', severity: 0, description: 'It burns' } },
  {
    operation: 'put',
    family: 'function-modules',
    name: 'report',
    object: { name: 'report', termToKill: 1000, queryTimeout: 0, enabled: false },
  },
  {
    operation: 'put',
    family: 'pictures',
    name: 'overview',
    object: { name: 'overview', svg: '<svg xmlns="http://www.w3.org/2000/svg"/>', parameters: { unit: 'a' } },
  },
  { operation: 'put', family: 'trends', name: 'day', object: { name: 'day', pens: [], span: 86_400 } },
];

const refusedBy = (problem: string) => (error: unknown) => {
  assert.ok(error instanceof TelltaleProblem, String(error));
  assert.equal(error.problem, problem);
  assert.ok(error.status >= 400 && error.title !== '' && error.detail !== '');
  return true;
};

const entered = (channel: Channel, wanted: string) =>
  new Promise<void>((resolve) => {
    const stop = channel.onState((state) => {
      if (state !== wanted) return;
      stop();
      resolve();
    });
  });

describe('the client', () => {
  const cleanup = suiteCleanup();
  const folder = temporaryFolder(cleanup);
  let server: ServerProcess;
  let client: TelltaleClient;

  before(async () => {
    server = await startServer(cleanup, { data: join(folder, 'data') });
    client = new TelltaleClient({ url: server.url });
    await client.configuration.transaction(plant, { render: true });
  });

  describe('of the configuration', () => {
    test('puts, lists, gets and deletes objects of every family', async () => {
      const { configuration } = client;
      for (const family of familyNames) {
        const template = Object.values(await configuration.list(family))[0];
        const object = { ...(template ?? { vars: { a: '1' } }), name: 'constructor' };
        await configuration.put(family, 'constructor', object as never);
        assert.deepEqual(await configuration.get(family, 'constructor'), object);
        assert.ok((await configuration.names(family)).includes('constructor'));
        assert.deepEqual(Object.keys(await configuration.list(family, { names: ['constructor', 'nobody', '..'] })), [
          'constructor',
        ]);
        await configuration.delete(family, 'constructor');
        await assert.rejects(configuration.get(family, 'constructor'), refusedBy('unknown-object'));
        await assert.rejects(configuration.delete(family, 'constructor'), refusedBy('unknown-object'));
      }
    });

    test('runs transactions, tries them, renders, and finds the way back', async () => {
      const { configuration } = client;
      const wrong: Operation = { operation: 'put', family: 'alarms', name: 'x', object: { name: 'x', severity: -1 } };
      await assert.rejects(configuration.transaction([wrong]), (error: TelltaleProblem) => {
        assert.deepEqual(
          error.errors.map(({ path }) => path),
          ['/operations/0/object/severity'],
        );
        return refusedBy('invalid-body')(error);
      });
      const right: Operation = { operation: 'put', family: 'alarms', name: 'x', object: { name: 'x', severity: 1 } };
      await configuration.transaction([right], { commit: false });
      assert.equal(await configuration.isUpToDate(), true);
      await configuration.transaction([right]);
      assert.equal(await configuration.isUpToDate(), false);
      assert.deepEqual(
        (await configuration.diff()).map(({ name, change }) => [name, change]),
        [['x', 'added']],
      );
      await configuration.render();
      const [newest, older] = await configuration.revisions();
      assert.ok(newest !== undefined && older !== undefined);
      const { changes, configuration: whole } = await configuration.revision(newest.id, { configuration: true });
      assert.deepEqual(
        changes.map(({ name }) => name),
        ['x'],
      );
      assert.equal(whole?.alarms.x?.severity, 1);
      await configuration.restore(older.id, { render: true });
      assert.equal(await configuration.isUpToDate(), true);
      await configuration.render({ force: true });
      await assert.rejects(configuration.revision(10_000), refusedBy('unknown-revision'));
    });

    test('brings the database down and up, as streams and as bytes', async () => {
      const { configuration } = client;
      const { stream } = await configuration.downloadDatabase();
      const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
      assert.equal(Buffer.from(bytes.subarray(0, 15)).toString(), 'SQLite format 3');
      await configuration.delete('alarms', 'fire');
      await configuration.uploadDatabase(bytes, { render: true });
      assert.equal((await configuration.get('alarms', 'fire')).severity, 0);
      await configuration.uploadDatabase(new Blob([bytes]).stream() as ReadableStream<Uint8Array<ArrayBuffer>>);
      await assert.rejects(configuration.uploadDatabase(new Uint8Array(5000)), refusedBy('upload-refused'));
    });

    test('knows the stacks', async () => {
      const { configuration } = client;
      assert.ok((await configuration.stackNames('connector')).includes('simulator'));
      assert.ok(Object.hasOwn(await configuration.stacks('connector'), 'simulator'));
      assert.equal((await configuration.stack('connector', 'simulator')).name, 'simulator');
      await assert.rejects(configuration.stack('provider', '../x'), refusedBy('unknown-stack'));
    });

    test('puts, gets and deletes executables', async () => {
      const { configuration } = client;
      await configuration.putExecutable('report', new TextEncoder().encode('#!/bin/sh\n'));
      const { stream } = await configuration.executable('report');
      assert.equal(await new Response(stream).text(), '#!/bin/sh\n');
      assert.equal((await configuration.statExecutable('report')).size, 10);
      await configuration.deleteExecutable('report');
      await assert.rejects(configuration.statExecutable('report'), refusedBy('no-executable'));
    });
  });

  describe('of the live data', () => {
    test('reads measurements, all or some of them, and only the fields that are asked for', async () => {
      const all = await client.measurements.list();
      assert.deepEqual(Object.keys(all).sort(), ['__proto__', 'level', 'total']);
      assert.equal(all.level?.vtq[2], 0x08);
      const some = await client.measurements.list({ names: ['level', 'toString'], fields: ['datatype'] });
      assert.deepEqual({ ...some }, { level: { datatype: 'd' } });
      assert.equal((await client.measurements.get('total')).datatype, 'l');
      await assert.rejects(client.measurements.get('nobody'), refusedBy('unknown-object'));
    });

    test('simulates exactly, reports what is simulated, and stops', async () => {
      await client.measurements.simulate('total', 'l9007199254740993', { validForS: 600, quality: 0x54 });
      const { vtq } = await client.measurements.get('total');
      assert.deepEqual(parsePrefixed(vtq[0]), { datatype: 'l', value: 9007199254740993n });
      assert.equal(vtq[2], 0x8054);
      assert.deepEqual(Object.keys(await client.measurements.simulations()), ['total']);
      await client.measurements.stopSimulation('total');
      assert.deepEqual({ ...(await client.measurements.simulations()) }, {});
      await assert.rejects(client.measurements.simulate('total', 'd5'), refusedBy('invalid-value'));
    });

    test('writes commands, and learns what is refused', async () => {
      await client.commands.write('setpoint', 'd+7.5');
      assert.equal((await client.commands.get('setpoint')).vt[0], 'd7.5');
      await assert.rejects(client.commands.write('setpoint', 'd11'), refusedBy('out-of-range'));
      assert.equal((await client.commands.list()).setpoint?.vt[0], 'd7.5');
    });

    test('operates alarms', async () => {
      const state = async () => {
        const { state: now, authority } = await client.alarms.get('fire');
        return `${now} by ${authority}`;
      };
      await client.alarms.activate('fire', { authority: 'Smith & Söhne' });
      assert.equal(await state(), 'ACT_UNACK by Smith & Söhne');
      await client.alarms.acknowledge('fire');
      assert.equal(await state(), 'ACT_ACK by operator');
      await client.alarms.deactivate('fire');
      assert.equal(await state(), 'INACT_ACK by operator');
      assert.deepEqual({ ...(await client.alarms.list({ fields: ['severity'] })) }, { fire: { severity: 0 } });
    });
  });

  describe('on the channel', () => {
    test('every request is answered as its schema says', async (t) => {
      const channel = client.channel();
      t.after(() => channel.close());
      await channel.request('Heartbeat', {});
      await channel.request('SimulateMeasurements', {
        simulations: [{ name: 'level', value: 'd1', 'valid-for': 600 }],
      });
      assert.deepEqual(Object.keys((await channel.request('ReadSimulations', {})).simulations), ['level']);
      const { measurements } = await channel.request('ReadMeasurements', { names: ['level'], fields: ['vtq'] });
      assert.equal(measurements.level?.vtq[0], 'd1');
      await channel.request('StopSimulation', { measurements: ['level'] });
      await channel.request('WriteCommands', { writes: [{ name: 'setpoint', value: 'd3' }] });
      assert.equal((await channel.request('ReadCommands', {})).commands.setpoint?.vt[0], 'd3');
      await channel.request('OperateAlarms', { operations: [{ name: 'fire', opcode: 'activate' }], authority: 'me' });
      await channel.request('AckAlarms', { alarms: ['fire'] });
      assert.equal((await channel.request('ReadAlarms', {})).alarms.fire?.state, 'ACT_ACK');
      await channel.request('OperateAlarms', { operations: [{ name: 'fire', opcode: 'deactivate' }] });
      const { database } = await channel.request('ReadDatabase', { select: { alarms: 'all', commands: ['setpoint'] } });
      assert.deepEqual([database.alarms?.length, database.commands?.length, database.measurements], [1, 1, undefined]);
      const writes = [
        { name: 'setpoint', value: 'd4' },
        { name: 'nobody', value: 'd4' },
      ];
      await assert.rejects(channel.request('WriteCommands', { writes }), (error: TelltaleProblem) => {
        assert.deepEqual(
          error.results.map(({ name, result }) => [name, result]),
          [
            ['setpoint', true],
            ['nobody', false],
          ],
        );
        return refusedBy('unknown-object')(error);
      });
      assert.equal(channel.ignored, 0);
    });

    test('watches give the present, then every change in order', async (t) => {
      const channel = client.channel();
      t.after(() => channel.close());
      await client.measurements.simulate('level', 'd0');
      const named = channel.watchMeasurements(['level', '__proto__']);
      const all = channel.watchMeasurements('all');
      const alarms = channel.watchAlarms(['fire']);
      const commands = channel.watchCommands('all');
      assert.equal((await alarms.next()).value?.updates[0]?.name, 'fire');
      assert.equal((await commands.next()).value?.updates[0]?.name, 'setpoint');
      const seen = { named: [] as string[], all: [] as string[] };
      const read = async (watch: typeof named, into: string[]) => {
        while (!into.includes('d50')) {
          const { updates = [] } = (await watch.next()).value ?? {};
          into.push(...updates.filter(({ name }) => name === 'level').map(({ vtq }) => vtq[0]));
        }
      };
      await Promise.all(
        [read(named, seen.named), read(all, seen.all)].concat(
          (async () => {
            await channel.request('Heartbeat', {});
            for (let value = 1; value <= 50; value++) await client.measurements.simulate('level', `d${value}`);
          })(),
        ),
      );
      const values = Array.from({ length: 50 }, (_, at) => `d${at + 1}`);
      for (const list of [seen.named, seen.all])
        assert.deepEqual(
          list.filter((value) => value !== 'd0'),
          values,
        );
      await client.alarms.activate('fire');
      assert.deepEqual(
        (await alarms.next()).value?.updates.map(({ state }) => state),
        ['ACT_UNACK'],
      );
      await client.alarms.deactivate('fire');
      await client.measurements.stopSimulation('level');
    });

    test('a removed object is reported, and watched again once it is back', async (t) => {
      const channel = client.channel({ heartbeatMs: 50 });
      t.after(() => channel.close());
      const watch = channel.watchMeasurements(['total']);
      await watch.next();
      await client.configuration.delete('measurements', 'total');
      await client.configuration.render();
      assert.equal((await watch.next()).value?.updates[0]?.removed, true);
      assert.equal((await watch.next()).value?.refused[0]?.name, 'total'); // it is asked for, and not yet back
      await client.configuration.put('measurements', 'total', { name: 'total', datatype: 'l' });
      await client.configuration.render();
      const { value } = await watch.next();
      assert.deepEqual([value?.updates[0]?.name, value?.updates[0]?.removed], ['total', undefined]);
    });

    test('where nobody is there a request is Unreachable', async () => {
      const nobody = new TelltaleClient({ url: 'http://127.0.0.1:55', timeoutMs: 5000 }).channel();
      await assert.rejects(nobody.request('Heartbeat', {}), Unreachable);
      nobody.close();
    });
  });
});

test('a server that is killed and started again finds its watchers back, and no write twice', async (t) => {
  const folder = temporaryFolder(t);
  const data = join(folder, 'data');
  const first = await startServer(t, { data });
  const client = new TelltaleClient({ url: first.url });
  await client.configuration.transaction(plant, { render: true });
  await client.measurements.simulate('level', 'd1');
  const channel = client.channel();
  cleanupOf(t).defer(() => channel.close());
  const watch = channel.watchMeasurements(['level']);
  assert.equal((await watch.next()).value?.updates[0]?.vtq[0], 'd1');
  const lost = entered(channel, 'lost');
  await first.end('SIGKILL');
  await lost;
  await assert.rejects(channel.request('WriteCommands', { writes: [{ name: 'setpoint', value: 'd9' }] }), Unreachable);
  const back = entered(channel, 'connected');
  await startServer(t, { data, args: ['--port', new URL(first.url).port] });
  await back;
  const { value } = await watch.next();
  assert.deepEqual([value?.resumed, value?.updates[0]?.name], [true, 'level']);
  assert.notEqual((await client.commands.get('setpoint')).vt[0], 'd9');
});
