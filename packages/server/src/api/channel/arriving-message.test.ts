// Messages that clients of the channel are sending, over real sockets: what the server holds of them, and who is closed.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { beforeEach, test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import { WebSocket } from 'ws';
import { until } from '../../../../../test/until.ts';
import { ModuleInterface } from '../../../test/module-interface.ts';
import { ScriptedModules } from '../../../test/scripted-modules.ts';
import { freeBytes } from './arriving-message.ts';

/** Of a service whose bodies are small: so much is held in all. */
const mostHeld = 8 << 20;
const nearlyWhole = Buffer.alloc(1_000_000, ' ');

let service: ModuleInterface;
let clock: ManualClock;
const sockets: WebSocket[] = [];

beforeEach(async (t) => {
  clock = new ManualClock();
  service = new ModuleInterface(new ScriptedModules(), { clock, largestBodyBytes: 1 });
  await service.open();
  cleanupOf(t).defer(async () => {
    for (const socket of sockets.splice(0)) socket.terminate();
    await service.close();
  });
});

async function connect(): Promise<{ socket: WebSocket; closed: Promise<number>; answer(): Promise<unknown> }> {
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/data/ws`);
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'open');
  const closed = once(socket, 'close').then(([code]) => code as number);
  const answer = async () => JSON.parse(String((await once(socket, 'message'))[0]));
  return { socket, closed, answer };
}

/** A message without its end. */
const begin = (socket: WebSocket, bytes: Buffer) => socket.send(bytes, { fin: false, binary: false });

const heartbeat = '{"request":"Heartbeat","id":1}';
const good = { request_id: 1, result: true };

test('of messages that never end so much is held, clients beyond it are closed with 1013, and others are answered', async () => {
  const greedy = await Promise.all(Array.from({ length: 20 }, connect));
  const codes: number[] = [];
  for (const { socket, closed } of greedy) {
    closed.then((code) => codes.push(code));
    begin(socket, nearlyWhole);
  }
  let most = 0;
  await until('there is no room for some', async () => {
    most = Math.max(most, service.heldBytes);
    return codes.length >= 12;
  });
  assert.ok(most <= mostHeld, `${most} bytes`);
  assert.ok(codes.every((code) => code === 1013));
  const quiet = await connect();
  quiet.socket.send(heartbeat);
  assert.deepEqual(await quiet.answer(), good);
  for (const { socket } of greedy) socket.terminate();
  await until('there is room again', async () => service.heldBytes === 0);
  quiet.socket.send(`${nearlyWhole}${heartbeat}`);
  assert.deepEqual(await quiet.answer(), good);
});

test('a long message is counted until it is answered, and no longer', async () => {
  const { socket, answer } = await connect();
  begin(socket, nearlyWhole);
  await until('it is counted', async () => service.heldBytes >= nearlyWhole.length);
  socket.send(heartbeat, { fin: true });
  assert.deepEqual(await answer(), good);
  await until('it is not counted any more', async () => service.heldBytes === 0);
});

test('what a client says beside its messages is not counted, however much it is', async () => {
  const { socket, answer } = await connect();
  for (let count = 0; count < 2000; count++) socket.ping(Buffer.alloc(125));
  begin(socket, Buffer.from(' '));
  for (let count = 0; count < 2000; count++) socket.pong(Buffer.alloc(count % 125));
  begin(socket, Buffer.alloc(freeBytes - 1000, ' '));
  const answered = new Promise<void>((resolve) => {
    socket.on('pong', (payload) => String(payload) === 'last' && resolve());
  });
  socket.ping('last');
  await answered;
  assert.equal(service.heldBytes, 0);
  socket.send(heartbeat, { fin: true });
  assert.deepEqual(await answer(), good);
});

test('a long message that is not whole after 30 s is given up, though its client is there', async () => {
  const { socket, closed } = await connect();
  begin(socket, nearlyWhole);
  await until('it is counted', async () => service.heldBytes >= nearlyWhole.length);
  for (let passed = 5; passed <= 30; passed += 5) {
    const asked = Promise.race([once(socket, 'ping'), closed]);
    clock.advance(5000);
    await asked;
  }
  assert.equal(await closed, 1013);
  await until('there is room again', async () => service.heldBytes === 0);
});
