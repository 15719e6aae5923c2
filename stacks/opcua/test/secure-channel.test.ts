// What leaves the provider, byte by byte: under which token, and what a client is told that is not let in.
import assert from 'node:assert/strict';
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { quality } from '@telltale/schema';
import { until } from '@telltale/stack-kit/testing';
import { MessageRelay } from './message-relay.ts';
import { point, Served } from './served.ts';
import { UaClientProcess, type UaClientSession } from './ua-client.ts';

const node = 'ns=2;s=At.level';
const badSecurityChecksFailed = 0x80130000;

describe('the secure channel of a provider', () => {
  let clients: UaClientProcess;
  before(async () => {
    clients = await UaClientProcess.start();
  });
  after(() => clients.stop());

  /** A client that is trusted, over a relay; signed and not encrypted, so that the ids of requests can be read. */
  async function connected(t: TestContext, tokens: { renewMs: number; lifetimeMs: number }) {
    const served = await Served.start(t, [point(1, 'level', 'd')]);
    const relay = await MessageRelay.start(t, served.port);
    cpSync(join(clients.folder, 'own', 'certificate.pem'), join(served.folder, 'trusted', 'client.pem'));
    const user = { userName: 'joe', password: 'secret' };
    const session = await clients.open({ port: relay.port, mode: 'Sign', ...user, ...tokens });
    await session.order({ kind: 'watch', node, keepAliveCount: 400 });
    return { served, relay, session, renewals: () => relay.of('server', 'OPN').length - 1 };
  }

  async function publish(served: Served, session: UaClientSession, value: number): Promise<void> {
    served.publish((batch) => batch.number(1, value, quality.good, value * 1e6));
    await until(`${value} is seen`, async () => (await session.seen()).values.at(-1)?.[0] === value);
  }

  test('uses a new token for everything once the client has used it, and not before', async (t) => {
    const { served, relay, session, renewals } = await connected(t, { renewMs: 300, lifetimeMs: 600_000 });
    for (let round = 1; round <= 4; round++) {
      await until('the token is renewed', () => renewals() >= round);
      await session.read(node);
      await publish(served, session, round);
    }
    const requested = new Map<number, number>();
    let [used, answered, late] = [1, 1, 0];
    for (const { from, token, request } of relay.passed.filter(({ kind }) => kind === 'MSG')) {
      if (from === 'client') {
        requested.set(request, token);
        used = Math.max(used, token);
        continue;
      }
      assert.ok(token <= used, `${token} before the client has used it, which has used ${used}`);
      assert.ok(token >= answered, `${token} after ${answered} was in use`);
      answered = token;
      if (token > (requested.get(request) ?? assert.fail('an answer without a request'))) late++;
    }
    assert.ok(late > 0, 'some were requested under an older token than they were answered');
    assert.ok(answered >= 4);
    await session.close();
  });

  test('answers what was requested under a token that has ended long ago', async (t) => {
    // The library accepts a token for a quarter longer than it lives: thirteen renewals take more than that.
    const { served, session, renewals } = await connected(t, { renewMs: 500, lifetimeMs: 5000 });
    await publish(served, session, 1);
    await until('the token has ended', () => renewals() >= 13);
    for (let value = 2; value < 6; value++) await publish(served, session, value);
    assert.equal((await session.read(node)).value, 5);
    await session.close();
  });

  test('tells a client that is not trusted so, in the error message that every client can read', async (t) => {
    const served = await Served.start(t, [point(1, 'level', 'd')]);
    const relay = await MessageRelay.start(t, served.port);
    const user = { userName: 'joe', password: 'secret' };
    await assert.rejects(clients.open({ port: relay.port, mode: 'SignAndEncrypt', ...user }));
    const [error = assert.fail('no error message'), ...more] = relay.of('server', 'ERR');
    assert.equal(more.length, 0);
    assert.equal(error.bytes.toString('latin1', 0, 4), 'ERRF');
    assert.equal(error.bytes.readUInt32LE(8), badSecurityChecksFailed);
    const length = error.bytes.readUInt32LE(12);
    assert.equal(error.bytes.length, 16 + length);
    assert.match(error.bytes.toString('utf8', 16), /^the certificate of the client is not trusted, or not fit/);
    assert.equal(readdirSync(join(served.folder, 'rejected')).length, 1);
  });
});
