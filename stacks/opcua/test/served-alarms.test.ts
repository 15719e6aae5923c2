// Alarms that come from a device, as a client of the provider, in a process of its own, sees and acknowledges them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@telltale/stack-kit/testing';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import { point, Served } from './served.ts';
import { UaClientProcess } from './ua-client.ts';

/** The method by its type, as clients call it. */
const acknowledge = 'i=9111';
const node = (address: string) => `ns=2;s=${address}`;

test('an alarm of a device has its message; an acknowledgement that the device refused or left open is told as that', async (t) => {
  const served = await Served.start(t, [point(1, 'level', 'd')]);
  const clients = await UaClientProcess.start();
  cleanupOf(t).defer(() => clients.stop());
  const names = ['trip', 'deaf', 'frail'];
  served.provider.setAlarms?.(names.map((name, id) => ({ id, name, description: '', severity: 1, measurement: 1 })));
  const show = (id: number, isActive: boolean, isAcknowledged: boolean, authority: string) => {
    const message = `Message of ${names[id]}`;
    served.provider.publishAlarms?.([{ id, isActive, isAcknowledged, timeUs: 1e15, authority, message }]);
  };
  for (const id of names.keys()) show(id, false, true, '');
  const client = await clients.open({ port: served.port, userName: 'joe', password: 'secret' });
  await client.order({ kind: 'events', node: 'i=2253' });
  const ends: string[] = [];
  const conditions = await client.browse(node('At.level'));
  for (const [id, name] of names.entries()) {
    show(id, true, false, 'connector/plc');
    const heard = async () => (await client.seen()).events.at(-1)?.join();
    const said = [name, true, false, `Message of ${name} (connector/plc)`, 900].join();
    await until(`${name} was heard of`, async () => (await heard()) === said);
    const condition = conditions.find((each) => each.name === name)?.nodeId;
    const status = await client.order({ kind: 'call', node: condition, value: acknowledge });
    ends.push(String(status).split(' ')[0] ?? '');
  }
  assert.deepEqual(ends, ['Good', 'BadRequestNotAllowed', 'BadCommunicationError']);
  assert.deepEqual(served.acknowledged, [['trip', 'joe']]);
  const user = await client.read(`${node('At.level')}-trip-ClientUserId`);
  assert.equal(user.value, 'joe', 'who acknowledged it is told');
  await client.close();
});
