// Promises of rights that are withdrawn while a batch is carried out: of what has not begun, nothing is done any more.
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { before, test } from 'node:test';
import { type Grant, type ItemResult, systemClock } from '@telltale/schema';
import { suiteCleanup } from '@telltale/stack-kit/testing/cleanup';
import { WebSocket } from 'ws';
import { closedAccess } from '../../../test/memory-access.ts';
import { ModuleInterface } from '../../../test/module-interface.ts';
import { ScriptedModules } from '../../../test/scripted-modules.ts';
import { allRights, type Identities, ownerCaller } from '../../access/index.ts';

const cleanup = suiteCleanup();
/** More than are carried out at once. */
const names = Array.from({ length: 300 }, (_, at) => `point_${at}`);
const access = await closedAccess();
const asked = new EventEmitter();
const identities: Identities = {
  identify: (credentials) => {
    queueMicrotask(() => asked.emit('request')); // it is admitted then
    return access.identify(credentials);
  },
  onChanged: (listener) => access.onChanged(listener),
};
const service = new ModuleInterface(new ScriptedModules(), { identities });
cleanup.defer(() => access.close());
let authorization: string;

const grant = (...grants: Grant[]) => access.accounts.putUser('olga', { grants }, ownerCaller);

before(async () => {
  await service.open();
  cleanup.defer(() => service.close());
  for (const name of names) service.data.commands.put({ name, datatype: 'd' });
  await grant({ role: 'operator' });
  const expires = systemClock.now() / 1e6 + 3600;
  const maker = { ...ownerCaller, author: 'olga', rights: allRights };
  authorization = `Bearer ${await access.tokens.make('panel', { grants: [{ role: 'operator' }], expires }, maker)}`;
});

test('items of a batch, and requests behind it, that begin after the right to write is gone are refused', async () => {
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/data/ws`, { headers: { authorization } });
  cleanup.defer(() => socket.terminate());
  await once(socket, 'open');
  const release = service.disk.stall();
  const send = (request: object) => socket.send(JSON.stringify(request));
  send({ request: 'WriteCommands', id: 1, writes: names.map((name) => ({ name, value: 'd1' })) });
  send({ request: 'Heartbeat', id: 2 });
  await once(socket, 'message'); // all of the batch has come
  const hasCome = once(asked, 'request');
  const behind = service.ask('PUT', '/data/commands/point_299?value=d2', { headers: { authorization } });
  await hasCome;
  await grant({ role: 'viewer' });
  release();
  const [message] = (await once(socket, 'message')) as [Buffer];
  const { results } = JSON.parse(message.toString()) as { results: (ItemResult & { error?: { status: number } })[] };
  const done = results.filter(({ result }) => result).map(({ name }) => name);
  assert.deepEqual(done, names.slice(0, done.length));
  assert.ok(done.length > 0 && done.length < names.length, `${done.length} were written`);
  for (const { error } of results.slice(done.length)) assert.equal(error?.status, 403);
  assert.deepEqual([...service.disk.commands.keys()], done);
  assert.equal((await behind).status, 403);
});
