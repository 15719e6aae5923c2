import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { type ClientOptions, WebSocket } from 'ws';
import { openSocket, parseAnswer } from '../../../../../test/raw-http.ts';
import { ModuleInterface } from '../../../test/module-interface.ts';
import { ScriptedModules } from '../../../test/scripted-modules.ts';

/** A client, and what becomes of it at the next check: it is asked whether it is there, or cut off. */
async function connect(t: TestContext, options: ClientOptions) {
  const clock = new ManualClock();
  const service = new ModuleInterface(new ScriptedModules(), { clock });
  await service.open();
  t.after(() => service.close());
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/data/ws`, options);
  await once(socket, 'open');
  const check = async () => {
    const outcome = Promise.race([
      once(socket, 'ping').then(() => 'asked'),
      once(socket, 'close').then(() => 'cut off'),
    ]);
    clock.advance(5000);
    return outcome;
  };
  return { clock, check };
}

test('a client that answers stays connected, whatever becomes of the time of day', async (t) => {
  const { clock, check } = await connect(t, {});
  for (const byMs of [35_000, -3_600_000, 365 * 86_400_000]) {
    clock.jump(byMs);
    assert.equal(await check(), 'asked', `${byMs} ms`);
  }
});

test('a client that says nothing for 30 s is cut off, though the time of day was set back', async (t) => {
  const { clock, check } = await connect(t, { autoPong: false });
  clock.jump(-3_600_000);
  for (let passed = 5; passed < 30; passed += 5) assert.equal(await check(), 'asked', `${passed} s`);
  assert.equal(await check(), 'cut off');
});

const upgrade = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

test('who is refused learns why and is closed soon: a stop does not wait for clients that keep their end open', async (t) => {
  const service = new ModuleInterface(new ScriptedModules(), { clock: new ManualClock() });
  await service.open();
  const held: Socket[] = [];
  t.after(() => {
    for (const socket of held) socket.destroy();
  });
  for (const [status, path, ...headers] of [
    [404, '/nothing'],
    [403, '/data/ws', 'Origin: http://evil.example'],
    [400, '/data/ws', 'Sec-WebSocket-Protocol: ,'],
  ] as const) {
    const socket = await openSocket(service.url);
    held.push(socket);
    socket.allowHalfOpen = true;
    socket.write([`GET ${path} HTTP/1.1`, 'Host: localhost', ...upgrade, ...headers, '', ''].join('\r\n'));
    const { status: got, headers: answered } = parseAnswer(String((await once(socket, 'data'))[0]));
    assert.deepEqual([got, answered.get('content-type')], [status, 'application/problem+json'], path);
  }
  await service.close();
  assert.ok(held.every((socket) => !socket.destroyed && !socket.writableEnded));
});

test('a client that pings without an end, and reads nothing, has the service hold next to nothing for it', async (t) => {
  const service = new ModuleInterface(new ScriptedModules(), { clock: new ManualClock() });
  await service.open();
  t.after(() => service.close());
  const socket = await openSocket(service.url);
  t.after(() => socket.destroy());
  socket.write(['GET /data/ws HTTP/1.1', 'Host: localhost', ...upgrade, '', ''].join('\r\n'));
  await once(socket, 'data');
  socket.pause();
  const pings = Buffer.concat(Array.from({ length: 1000 }, () => Buffer.from([0x89, 0xfd, ...Buffer.alloc(4 + 125)])));
  for (let bytes = 0; bytes < 30e6; bytes += pings.length) {
    if (!socket.write(pings)) await once(socket, 'drain');
  }
  assert.ok(service.channel.pendingBytes < 1000, `${service.channel.pendingBytes} bytes`);
});

test('a target with scheme and host leads to the channel as well', async (t) => {
  const service = new ModuleInterface(new ScriptedModules(), { clock: new ManualClock() });
  await service.open();
  t.after(() => service.close());
  const socket = await openSocket(service.url);
  t.after(() => socket.destroy());
  socket.write(['GET http://localhost/data/ws HTTP/1.1', 'Host: localhost', ...upgrade, '', ''].join('\r\n'));
  assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 101 /);
});
