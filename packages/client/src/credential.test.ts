// Who asks: tokens in headers and never in addresses, tokens that change, and what is said where nobody is let in.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { problemPage } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import { entered, open } from '../test/open-channel.ts';
import { ScriptedService } from '../test/scripted-service.ts';
import { TelltaleProblem, Unreachable } from './errors.ts';
import { TelltaleClient } from './telltale-client.ts';

async function serve(t: TestContext, listener: RequestListener): Promise<{ url: string; server: Server }> {
  const server = createServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanupOf(t).defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server };
}

const refused = (name: 'invalid-token' | 'not-signed-in') =>
  JSON.stringify({ type: problemPage(name), title: 'No', status: 401, detail: 'It is over.' });

const isProblem = (name: string) => (error: unknown) => {
  assert.ok(error instanceof TelltaleProblem, String(error));
  assert.deepEqual([error.problem, error.status], [name, 401]);
  return true;
};

describe('a token that a function gives', () => {
  test('is asked for anew before each request, and may be missing', async (t) => {
    const heard: (string | undefined)[] = [];
    const { url } = await serve(t, ({ headers, url: address }, response) => {
      heard.push(headers.authorization);
      assert.doesNotMatch(address ?? '', /first|second/);
      response.writeHead(204).end();
    });
    const tokens = ['first', Promise.resolve('second'), undefined];
    const client = new TelltaleClient({ url, token: () => tokens.shift() });
    for (let at = 0; at < 3; at++) await client.commands.write('pump', 'b1');
    assert.deepEqual(heard, ['Bearer first', 'Bearer second', undefined]);
  });

  test('that it cannot give fails the request for that reason', async (t) => {
    const { url } = await serve(t, () => assert.fail('nothing is sent'));
    const token = () => Promise.reject(new Error('the keyring is locked'));
    await assert.rejects(new TelltaleClient({ url, token }).commands.write('pump', 'b1'), /the keyring is locked/);
  });

  test('is asked for before each connection of the channel', async (t) => {
    const service = await ScriptedService.start(t);
    const tokens = [Promise.resolve('first'), 'second'];
    const channel = open(t, service, { token: () => tokens.shift(), random: () => 0 });
    await entered(channel, 'connected');
    service.hangUp();
    await entered(channel, 'connected');
    assert.deepEqual(service.authorizations, ['Bearer first', 'Bearer second']);
  });

  test('that it cannot give, or too late, makes no connection', async (t) => {
    const service = await ScriptedService.start(t);
    const failing = open(t, service, { token: () => Promise.reject(new Error('the keyring is locked')) });
    assert.match(await entered(failing, 'lost'), /the keyring is locked/);
    const { promise, resolve } = Promise.withResolvers<string>();
    const closed = open(t, service, { token: () => promise });
    closed.close();
    resolve('late');
    await promise;
    const last = open(t, service);
    await last.request('Heartbeat', {});
    assert.deepEqual(service.authorizations, [undefined]);
  });
});

describe('where nobody is let in', () => {
  test('a request over HTTP rejects with the problem, which says what to do', async (t) => {
    const { url } = await serve(t, (_, response) => response.writeHead(401).end(refused('not-signed-in')));
    await assert.rejects(new TelltaleClient({ url }).measurements.list(), (error: TelltaleProblem) => {
      assert.match(error.remedy ?? '', /Sign in/);
      return isProblem('not-signed-in')(error);
    });
  });

  test('a request on the channel rejects with the same problem, not with a code of the WebSocket', async (t) => {
    for (const [answer, status, problem] of [
      [refused('invalid-token'), 401, 'invalid-token'],
      ['{"identity": "nobody", "kind": "nobody", "permissions": [], "isOpen": false}', 200, 'not-signed-in'],
    ] as const) {
      const { url, server } = await serve(t, (_, response) => response.writeHead(status).end(answer));
      server.on('upgrade', (_, socket) => socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n'));
      const clock = new ManualClock();
      const channel = new TelltaleClient({ url, token: 'tt_old', clock }).channel();
      cleanupOf(t).defer(() => channel.close());
      await assert.rejects(channel.request('Heartbeat', {}), isProblem(problem));
      assert.equal(channel.state, 'lost');
      assert.equal(channel.refusal?.problem, problem);
      await assert.rejects(channel.request('Heartbeat', {}), isProblem(problem));
    }
  });

  test('a channel whose token ends while it is connected hears the problem with its next attempt', async (t) => {
    const service = await ScriptedService.start(t);
    const clock = new ManualClock();
    const { url } = await serve(t, (_, response) => response.writeHead(401).end(refused('invalid-token')));
    const client = new TelltaleClient({ url, wsUrl: service.url, token: 'tt_old', clock });
    const channel = client.channel();
    cleanupOf(t).defer(() => channel.close());
    await channel.request('Heartbeat', {});
    await service.stop();
    const heard = Promise.withResolvers<TelltaleProblem>();
    channel.onState(() => channel.refusal && heard.resolve(channel.refusal));
    if (channel.state !== 'lost') await entered(channel, 'lost');
    clock.advance(1000);
    assert.ok(isProblem('invalid-token')(await heard.promise));
  });
});

describe('a channel whose token ends in the middle of a request', () => {
  for (const [request, fields, rejection] of [
    ['ReadMeasurements', {}, isProblem('invalid-token')],
    [
      'WriteCommands',
      { writes: [{ name: 'pump', value: 'b1' }] },
      (error: unknown) => error instanceof Unreachable && error.mayHaveHappened,
    ],
  ] as const) {
    test(`${request} rejects with ${request === 'WriteCommands' ? 'the doubt' : 'the problem'}`, async (t) => {
      const service = await ScriptedService.start(t);
      service.answer = () => undefined;
      const { url } = await serve(t, (_, response) => response.writeHead(401).end(refused('invalid-token')));
      const clock = new ManualClock();
      const channel = new TelltaleClient({ url, wsUrl: service.url, token: 'tt_old', clock }).channel();
      cleanupOf(t).defer(() => channel.close());
      const asked = channel.request(request, fields);
      await service.until(() => service.of(request).length === 1);
      service.revoke();
      await assert.rejects(asked, rejection);
    });
  }
});

test('an account or session that no path can have is never asked for', async (t) => {
  const { url } = await serve(t, () => assert.fail('nothing is sent'));
  const { access } = new TelltaleClient({ url });
  for (const name of ['', '.', '..', '\ud800']) {
    await assert.rejects(access.users.delete(name), { problem: 'invalid-name' });
    await assert.rejects(access.tokens.delete(name), { problem: 'invalid-name' });
    await assert.rejects(access.sessions.end(name), { problem: 'invalid-name' });
  }
});
