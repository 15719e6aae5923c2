import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { FaultProxy, until } from '@telltale/stack-kit/testing';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { Authority, withoutOpenssl } from '../../../../../test/engines/authority.ts';
import { Nats, type NatsServer, withoutNats } from '../../../../../test/engines/nats.ts';
import { connectBus, startBus, untilDown, untilSaid, untilUp } from '../../../test/bus-peers.ts';
import type { BusConnection } from './bus-connection.ts';
import { BusError, type BusFailure } from './bus-error.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (data: Uint8Array) => Buffer.from(data).toString();
const fails = (failure: BusFailure) => (error: unknown) => error instanceof BusError && error.failure === failure;

/** What a peer hears of a subject. */
function heardBy(bus: BusConnection, subject: string, queue?: string): string[] {
  const heard: string[] = [];
  bus.subscribe(subject, ({ data }) => heard.push(text(data)), queue);
  return heard;
}

async function heard(list: readonly string[], publish: () => void, what: string): Promise<void> {
  await until(`${what} is heard`, () => {
    publish();
    return list.includes(what);
  });
}

/** Says this to whoever connects, and nothing else. */
async function sayer(t: TestContext, greeting: string): Promise<number> {
  const sockets = new Set<{ destroy(): unknown }>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.write(greeting);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanupOf(t).defer(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

describe('a connection to the bus', { skip: withoutNats }, () => {
  test('passes messages and answers, of a queue to one member each', async (t) => {
    const nats = await Nats.start(t);
    const [url = ''] = nats.urls;
    const one = await connectBus(t, { url, name: 'one' });
    const other = await connectBus(t, { url, name: 'other' });
    const all = [heardBy(one, 'a.*'), heardBy(other, 'a.*')];
    const members = [heardBy(one, 'a.b', 'workers'), heardBy(other, 'a.b', 'workers')];
    await Promise.all([one.flushed(), other.flushed()]);
    for (let at = 0; at < 20; at++) one.publish('a.b', bytes(`${at}`));
    await until('all has come', () => all.every(({ length }) => length === 20));
    assert.equal(members[0]?.length, 20 - (members[1]?.length ?? 0));
    other.subscribe('double', ({ data, respond }) => respond(`${2 * Number(text(data))}`));
    await other.flushed();
    assert.equal(text(await one.request('double', bytes('21'), 5000)), '42');
  });

  test('says of a request what became of it', async (t) => {
    const user = '{ user: me, password: secret, permissions: { publish: ["ask.>", "void"], subscribe: ">" } }';
    const nats = await Nats.start(t, { configuration: `authorization { users: [${user}] }` });
    const [server] = nats.servers as [NatsServer];
    const bus = await connectBus(t, { url: server.url.replace('//', '//me:secret@') });
    await assert.rejects(bus.request('void', '', 5000), fails('nobody'));
    await assert.rejects(bus.request('other', '', 5000), fails('not-permitted'));
    await until('what was refused is shown', () => /other/.test(bus.state.refused ?? ''));
    bus.subscribe('ask.mute', () => {});
    await assert.rejects(bus.request('ask.mute', '', 50), fails('no-answer'));
    const lost = assert.rejects(bus.request('ask.mute', '', 60_000), fails('lost'));
    await bus.flushed();
    await server.kill();
    await lost;
    await untilDown(bus);
    await assert.rejects(bus.request('void', '', 5000), fails('not-connected'));
    assert.throws(() => bus.publish('void', ''), fails('not-connected'));
  });

  test('comes back by itself, with its subscriptions, and sends nothing of what it refused meanwhile', async (t) => {
    const nats = await Nats.start(t);
    const [server] = nats.servers as [NatsServer];
    const bus = await connectBus(t, { url: server.url });
    const list = heardBy(bus, 'a');
    await heard(list, () => bus.publish('a', 'first'), 'first');
    await server.kill();
    await untilDown(bus);
    assert.throws(() => bus.publish('a', 'meanwhile'), fails('not-connected'));
    await server.again();
    await untilUp(bus);
    await heard(list, () => bus.publish('a', 'second'), 'second');
    assert.ok(!list.includes('meanwhile'));
  });

  test('goes to another server of its address when one is gone', async (t) => {
    const nats = await Nats.start(t, { servers: 3 });
    const url = `nats://${nats.servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
    const bus = await connectBus(t, { url });
    const list = heardBy(bus, 'a');
    for (let round = 0; round < 2; round++) {
      const used = nats.servers.find(({ port }) => bus.state.text.includes(`:${port},`)) as NatsServer;
      await used.kill();
      await until('it is connected to another one', () => bus.state.isUp && !bus.state.text.includes(`:${used.port},`));
    }
    await heard(list, () => bus.publish('a', 'here'), 'here');
  });

  test('notices a server that hangs, though much is on its way to it, and a line that swallows everything', async (t) => {
    const nats = await Nats.start(t);
    const [server] = nats.servers as [NatsServer];
    const proxy = await FaultProxy.start({ host: '127.0.0.1', port: server.port });
    cleanupOf(t).defer(() => proxy[Symbol.asyncDispose]());
    const straight = await connectBus(t, { url: server.url });
    const through = await connectBus(t, { url: `nats://127.0.0.1:${proxy.port}` });
    proxy.setFaults({ toClient: { kind: 'discard' }, toDevice: { kind: 'discard' } });
    await untilSaid(through, /hangs/);
    assert.ok(straight.state.isUp);
    await server.freeze();
    for (let at = 0; at < 64; at++) straight.publish('a', new Uint8Array(1 << 20));
    await untilSaid(straight, /hangs/);
    await untilSaid(straight, /cannot reach .*does not answer/);
    server.thaw();
    proxy.setFaults({});
    await Promise.all([untilUp(straight), untilUp(through)]);
    // Of the attempts meanwhile nothing is left.
    await until('there is one connection each', async () => {
      const { num_connections: count } = (await server.monitor('connz')) as { num_connections: number };
      return count === 2 && proxy.counts.open === 1;
    });
  });

  test('respects what the server takes at most, and does not use one that takes too little', async (t) => {
    const nats = await Nats.start(t, { configuration: 'max_payload: 300000' });
    const [url = ''] = nats.urls;
    const bus = await connectBus(t, { url });
    assert.equal(bus.mostBytes, 300_000);
    const list = heardBy(bus, 'a');
    bus.publish('a', 'x'.repeat(300_000));
    await until('it is heard', () => list[0]?.length === 300_000);
    assert.throws(() => bus.publish('a', 'x'.repeat(300_001)), RangeError);
    const small = await Nats.start(t, { configuration: 'max_payload: 1000' });
    await untilSaid(startBus(t, { url: small.urls[0] ?? '' }), /max_payload must be 262144/);
  });

  test('says in plain words why it cannot connect, without a password', async (t) => {
    const nats = await Nats.start(t, { configuration: 'authorization { user: me, password: secret }' });
    const [server] = nats.servers as [NatsServer];
    const { port } = server;
    await untilSaid(startBus(t, { url: 'nats://127.0.0.1:1' }), /^cannot reach 127\.0\.0\.1:1: nobody listens there$/);
    await untilSaid(startBus(t, { url: 'nats://no.such.invalid' }), /cannot reach .*(name)/);
    const wrong = startBus(t, { url: `nats://me:wrong@127.0.0.1:${port}` });
    await untilSaid(wrong, /^wrong credentials: 127\.0\.0\.1:\d+ does not let user me in$/);
    await untilSaid(startBus(t, { url: server.url }), /does not let us without credentials in/);
    await untilSaid(startBus(t, { url: `tls://127.0.0.1:${port}` }), /does not speak TLS: write nats/);
    const old = JSON.stringify({ version: '2.8.4', headers: true, max_payload: 1 << 20 });
    const oldPort = await sayer(t, `INFO ${old}\r\n`);
    await untilSaid(startBus(t, { url: `nats://127.0.0.1:${oldPort}` }), /NATS server 2\.8\.4 at .* is too old/);
    const otherPort = await sayer(t, '220 mail.example ESMTP\r\n');
    await untilSaid(startBus(t, { url: `nats://127.0.0.1:${otherPort}` }), /is no NATS server/);
    const several = startBus(t, { url: `nats://127.0.0.1:1,127.0.0.1:${otherPort}` });
    await untilSaid(several, /(nobody listens.*; .*no NATS)|(no NATS.*; .*nobody listens)/);
  });

  test('tries again in the same way when credentials become right', async (t) => {
    const nats = await Nats.start(t, { configuration: 'authorization { user: me, password: other }' });
    const bus = startBus(t, { url: (nats.urls[0] ?? '').replace('//', '//me:secret@') });
    await untilSaid(bus, /wrong credentials/);
    await nats.configure('authorization { user: me, password: secret }');
    await untilUp(bus);
    await nats.configure('authorization { user: me, password: other }');
    await untilSaid(bus, /wrong credentials/);
  });

  test('shows a seed of an NKEY', async (t) => {
    const { nkeys } = await import('@nats-io/nats-core/internal');
    const user = nkeys.createUser();
    const nats = await Nats.start(t, {
      configuration: `authorization { users: [ { nkey: ${user.getPublicKey()} } ] }`,
    });
    const seed = join(temporaryFolder(t), 'seed');
    writeFileSync(seed, `${new TextDecoder().decode(user.getSeed())}\n`);
    await connectBus(t, { url: nats.urls[0] ?? '', files: { seed } });
    await untilSaid(startBus(t, { url: nats.urls[0] ?? '' }), /wrong credentials/);
    await untilSaid(startBus(t, { url: nats.urls[0] ?? '', files: { seed: `${seed}s` } }), /cannot read .*seeds/);
  });

  test('over TLS: knows its servers by their authority, and shows them a certificate', {
    skip: withoutOpenssl,
  }, async (t) => {
    const authority = new Authority(t);
    const foreign = new Authority(t, 'another');
    const nats = await Nats.start(t, { authority });
    const { port } = nats.servers[0] as NatsServer;
    const url = `tls://127.0.0.1:${port}`;
    const { cert: certificate, key } = authority.issue('north');
    const bus = await connectBus(t, { url, files: { authority: authority.ca, certificate, key } });
    const list = heardBy(bus, 'a');
    await heard(list, () => bus.publish('a', 'secured'), 'secured');
    await connectBus(t, { url: `tls://localhost:${port}`, files: { authority: authority.ca, certificate, key } });
    await untilSaid(startBus(t, { url, files: { certificate, key } }), /certificate of .* is not trusted/);
    await untilSaid(startBus(t, { url, files: { authority: authority.ca } }), /wants a certificate of ours/);
    const stranger = foreign.issue('stranger');
    const files = { authority: authority.ca, certificate: stranger.cert, key: stranger.key };
    await untilSaid(startBus(t, { url, files }), /does not take our certificate/);
    await untilSaid(startBus(t, { url: url.replace('tls', 'nats') }), /speaks TLS: write tls/);
  });
});
