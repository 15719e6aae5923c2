// Promises of batches that have more items than are carried out at once.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { before, test } from 'node:test';
import { declarationOf } from '@telltale/schema';
import { suiteCleanup } from '@telltale/stack-kit/testing/cleanup';
import { WebSocket } from 'ws';
import { ModuleInterface } from '../../../test/module-interface.ts';
import { openGate } from '../../../test/plain-http.ts';
import { ScriptedModules } from '../../../test/scripted-modules.ts';
import { localCaller } from '../../access/index.ts';

const cleanup = suiteCleanup();
const names = Array.from({ length: 300 }, (_, at) => `point_${at}`);
const [last, other] = ['point_299', 'point_298'];
const service = new ModuleInterface(new ScriptedModules());
const { measurements, commands } = service.data;

before(async () => {
  await service.open();
  cleanup.defer(() => service.close());
  for (const name of names) {
    measurements.put({ name, datatype: 'd' });
    commands.put({ name, datatype: 'd' });
  }
});

async function connect() {
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/data/ws`);
  cleanup.defer(() => socket.terminate());
  await once(socket, 'open');
  const pending = new Map<number, (result: boolean) => void>();
  socket.on('message', (message: Buffer) => {
    const { request_id: id, result } = JSON.parse(message.toString());
    pending.get(id)?.(result);
  });
  let id = 0;
  return (request: object): Promise<boolean> => {
    socket.send(JSON.stringify({ ...request, id: ++id }));
    return new Promise((resolve) => pending.set(id, resolve));
  };
}

test('what comes behind a long batch is carried out behind its items, from the same client and from others', async () => {
  const ask = await connect();
  const release = service.disk.stall();
  const simulated = ask({
    request: 'SimulateMeasurements',
    simulations: names.map((name) => ({ name, value: 'd1' })),
  });
  const stopped = ask({ request: 'StopSimulation', measurements: [last] });
  const written = ask({ request: 'WriteCommands', writes: names.map((name) => ({ name, value: 'd1' })) });
  const writtenAgain = ask({ request: 'WriteCommands', writes: [{ name: last, value: 'd2' }] });
  await ask({ request: 'Heartbeat' }); // all of it has come
  const inTurn = (operation: 'stopSimulation' | 'writeCommand', work: () => Promise<void>) =>
    openGate.turn(openGate.operation(operation, declarationOf(operation)), localCaller, other).begin(work);
  const overHttp = [
    inTurn('stopSimulation', () => measurements.stopSimulation(other)),
    inTurn('writeCommand', () => commands.write(other, 'd3')),
  ];
  release();
  assert.deepEqual(await Promise.all([simulated, stopped, written, writtenAgain]), [true, true, true, true]);
  await Promise.all(overHttp);
  assert.equal(measurements.simulations().length, names.length - 2);
  assert.equal(service.disk.simulations.size, names.length - 2);
  const values = [other, last].map((name) => service.disk.commands.get(name)?.value);
  assert.deepEqual(values, ['d3', 'd2']);
});

test('items of one name are carried out in their order, wherever they stand', async () => {
  const ask = await connect();
  const writes = names.map((name) => ({ name, value: 'd4' }));
  writes.push({ name: 'point_0', value: 'd5' }, { name: last, value: 'd6' }, { name: last, value: 'd7' });
  assert.equal(await ask({ request: 'WriteCommands', writes }), true);
  const values = ['point_0', other, last].map((name) => service.disk.commands.get(name)?.value);
  assert.deepEqual(values, ['d5', 'd4', 'd7']);
});
