// Whatever a site serves over HTTP is served at a centre as well, over the bus: requests, long bodies, and the channel.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { systemClock } from '@telltale/schema';
import { until } from '@telltale/stack-kit/testing';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { WebSocket, WebSocketServer } from 'ws';
import { Nats, withoutNats } from '../../../../../test/engines/nats.ts';
import { connectBus } from '../../../test/bus-peers.ts';
import { SiteBeats } from '../sites/site-beats.ts';
import { Sites } from '../sites/sites.ts';
import { forwardRequest, forwardUpgrade } from './forward-http.ts';
import { ForwardError, Forwarder } from './forwarder.ts';
import { OutcomeLog } from './outcome-log.ts';
import { serveExchange } from './serve-exchange.ts';
import { type SiteExchange, SiteExchanges } from './site-exchanges.ts';

async function listening(t: TestContext, server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanupOf(t).defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface World {
  /** Of the site at the centre. */
  readonly url: string;
  readonly exchanges: SiteExchanges;
  readonly forwarder: Forwarder;
  /** What the server of the site was asked. */
  readonly asked: { readonly line: string; readonly headers: IncomingHttpHeaders }[];
  /** What has become of requests, as the centre knows it: of each a status, or the word of an error. */
  readonly outcomes: (number | string)[];
}

async function start(
  t: TestContext,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  /** Of a site that is not one of ours. */
  hostile?: (exchange: SiteExchange) => void,
): Promise<World> {
  const nats = await Nats.start(t);
  const [url = ''] = nats.urls;
  const asked: World['asked'] = [];
  const ended: World['outcomes'] = [];
  const own = createServer((request, response) => {
    asked.push({ line: `${request.method} ${request.url}`, headers: request.headers });
    answer(request, response);
  });
  const channel = new WebSocketServer({ noServer: true });
  own.on('upgrade', (request, socket, head) => {
    if (request.url === '/refused') return void socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\n\r\nno');
    channel.handleUpgrade(request, socket, head, (client) => client.on('message', (text) => client.send(`${text}!`)));
  });
  const [host = '', port] = (await listening(t, own)).split(':');

  const siteBus = await connectBus(t, { url, name: 'works' });
  const outcomes = await OutcomeLog.open(temporaryFolder(t));
  cleanupOf(t).defer(() => outcomes.close());
  const common = { bus: siteBus, clock: systemClock, site: 'works', run: 'run1' };
  const exchanges = new SiteExchanges({
    ...common,
    epoch: () => null,
    outcomes,
    handle:
      hostile ??
      ((exchange) =>
        serveExchange(exchange, {
          host,
          port,
          headers: ({ request }) => ({ host: 'localhost', 'x-caller': `${request.caller.author}` }),
        })),
  });
  exchanges.start();
  const beats = new SiteBeats({ ...common, version: '1', facts: () => ({ name: 'Works', epoch: null, uplink: null }) });

  const bus = await connectBus(t, { url, name: 'centre' });
  const sites = new Sites({ bus, clock: systemClock });
  const forwarder = new Forwarder({ bus, clock: systemClock, sites, centre: 'centre1' });
  sites.start();
  forwarder.start();
  for (const part of [beats, exchanges, sites, forwarder]) cleanupOf(t).defer(() => part.stop());
  const target = (request: IncomingMessage) => {
    return {
      forwarder,
      site: 'works',
      path: (request.url ?? '').replace('/sites/works', ''),
      caller: { author: 'ann' },
      headers: { 'x-centre': 'says so' },
    };
  };
  const centre = createServer((request, response) => {
    forwardRequest(request, response, target(request)).then(
      (forwarded) => {
        ended.push(forwarded.status);
        forwarded.answer();
      },
      (error: Error) => {
        ended.push(error instanceof ForwardError ? error.word : error.message);
        response.writeHead(error instanceof ForwardError ? 503 : 500).end(error.message);
      },
    );
  });
  centre.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    forwardUpgrade(request, socket, head, target(request)).catch(() => socket.destroy());
  });
  const at = await listening(t, centre);
  await bus.flushed();
  beats.start();
  await until('the site is there', () => sites.momentAt('works') !== undefined);
  return { url: `http://${at}/sites/works`, exchanges, forwarder, asked, outcomes: ended };
}

const allOf = async (request: IncomingMessage) => Buffer.concat(await request.toArray());
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const over = ({ exchanges, forwarder }: World) =>
  until('nothing is left', () => exchanges.open === 0 && forwarder.open === 0);

describe('a site at a centre', { skip: withoutNats }, () => {
  test('answers as it does itself, for whoever asked at the centre', async (t) => {
    const world = await start(t, async (request, response) => {
      const body = await allOf(request);
      if (request.method === 'PUT') response.writeHead(204).end();
      else if (request.url === '/missing')
        response.writeHead(404, { 'content-type': 'application/problem+json' }).end('{}');
      else
        response.writeHead(200, { etag: '"1"', 'set-cookie': 'a=b', 'content-type': 'text/plain' }).end(`got ${body}`);
    });
    const headers = { authorization: 'Bearer secret', cookie: 'a=b', 'if-none-match': '"0"', 'x-caller': 'root' };
    const read = await fetch(`${world.url}/data/a?b=c`, { headers });
    assert.deepEqual([read.status, read.headers.get('etag'), await read.text()], [200, '"1"', 'got ']);
    assert.equal(read.headers.get('x-centre'), 'says so');
    const { line, headers: heard } = world.asked[0] ?? {};
    assert.deepEqual([line, heard?.['x-caller'], heard?.['if-none-match']], ['GET /data/a?b=c', 'ann', '"0"']);
    assert.deepEqual([heard?.authorization, heard?.cookie, heard?.host], [undefined, undefined, 'localhost']);
    assert.equal((await fetch(`${world.url}/data/a`, { method: 'PUT', body: 'd5' })).status, 204);
    assert.equal(await (await fetch(`${world.url}/data/a`, { method: 'POST', body: 'x' })).text(), 'got x');
    assert.equal((await fetch(`${world.url}/missing`)).status, 404);
    const head = await fetch(`${world.url}/data/a`, { method: 'HEAD' });
    assert.deepEqual([head.status, await head.text()], [200, '']);
    await over(world);
  });

  test('takes and gives bodies of any length, at the pace of who takes them', async (t) => {
    const large = Buffer.alloc(20_000_000, 'a long body, ');
    const world = await start(t, async (request, response) => {
      const { length } = await allOf(request);
      response.writeHead(200, { etag: `"${length}"` }).end(large);
    });
    const answer = await fetch(`${world.url}/large`, { method: 'POST', body: large });
    assert.equal(answer.headers.get('etag'), `"${large.length}"`);
    assert.equal(hashOf(new Uint8Array(await answer.arrayBuffer())), hashOf(large));
    await over(world);
  });

  test('has no word in what browsers let the centre do, and who signs in there', async (t) => {
    const headers = {
      'content-type': 'text/html',
      'set-cookie': 'a=b',
      'www-authenticate': 'Basic',
      'content-security-policy': "default-src 'self'",
      'access-control-allow-origin': '*',
      'clear-site-data': '"*"',
      'x-centre': 'says something else',
      location: 'http://elsewhere.example/',
    };
    const world = await start(t, (_request, response) => response.writeHead(401, headers).end('<p>'));
    const { status, headers: shown } = await fetch(`${world.url}/data`);
    assert.deepEqual([status, shown.get('content-type'), shown.get('x-centre')], [401, 'text/html', 'says so']);
    for (const name of Object.keys(headers).slice(1))
      if (name !== 'x-centre') assert.equal(shown.get(name), null, name);
    await over(world);
  });

  test('cannot have a part of one answer taken for another one', async (t) => {
    const lies = [
      { status: 200, length: '3', text: 'abcHTTP/1.1 200 OK\r\n\r\n' },
      { status: 200, length: '30', text: 'abc' },
      { status: 200, length: '3x', text: 'abc' },
      { status: 101, length: '3', text: 'abc' },
      { status: 200, length: '0x3', text: 'abc' },
      { status: 200, length: '+3', text: 'abc' },
    ];
    const world = await start(
      t,
      (_request, response) => response.end(),
      ({ request: { path }, answer, stream }) => {
        const { status, length, text } = lies[Number(path.slice(1))] ?? { status: 200, length: '3', text: 'abc' };
        answer({ status, headers: { 'content-length': length } });
        stream.end(text);
        stream.resume();
      },
    );
    for (const at of lies.keys()) {
      await assert.rejects(async () => (await fetch(`${world.url}/${at}`)).text(), `${at}`);
    }
    assert.equal(await (await fetch(`${world.url}/honest`)).text(), 'abc');
    await over(world);
  });

  test('forgets a client that goes away in the middle', async (t) => {
    let closed = 0;
    const world = await start(t, (_request, response) => {
      response.once('close', () => closed++);
      response.writeHead(200);
      response.write('the first part');
    });
    const abort = new AbortController();
    const answer = await fetch(`${world.url}/endless`, { signal: abort.signal });
    assert.equal(answer.status, 200);
    abort.abort();
    await over(world);
    await until('the server of the site knows', () => closed === 1);
  });

  test('is not asked any more for what nobody waits for; how something that changes anything ends is known', async (t) => {
    const held: ServerResponse[] = [];
    const world = await start(t, async (request, response) => {
      await allOf(request);
      held.push(response);
    });
    const leave = async (path: string, options: RequestInit) => {
      const count = held.length;
      const abort = new AbortController();
      const asked = fetch(`${world.url}${path}`, { ...options, signal: abort.signal });
      await until('it is at the site', () => held.length > count);
      abort.abort();
      await assert.rejects(asked);
    };
    await leave('/slow', {});
    await over(world);
    assert.deepEqual(world.outcomes, ['unknown']);
    await leave('/a', { method: 'PUT', body: 'd5' });
    await leave('/b', { method: 'POST' });
    held[1]?.writeHead(204).end();
    const problem = { 'content-type': 'application/problem+json' };
    held[2]?.writeHead(403, problem).end('{"type":"x#problem-not-allowed"}');
    await over(world);
    assert.deepEqual(world.outcomes, ['unknown', 204, 403]);
  });

  test('has its channel there as well', async (t) => {
    const world = await start(t, (_request, response) => response.writeHead(404).end());
    const socket = new WebSocket(`${world.url.replace('http', 'ws')}/channel`);
    await once(socket, 'open');
    const long = 'x'.repeat(1_000_000);
    for (const text of ['one', long]) {
      socket.send(text);
      const [said] = await once(socket, 'message');
      assert.equal(`${said}`, `${text}!`);
    }
    socket.close();
    await once(socket, 'close');
    await over(world);
    const refused = new WebSocket(`${world.url.replace('http', 'ws')}/refused`);
    const [error] = await once(refused, 'error');
    assert.match(String(error), /401/);
    await over(world);
  });

  test('is said to be away when it is', async (t) => {
    const world = await start(t, (_request, response) => response.end());
    await world.exchanges.stop();
    const answer = await fetch(`${world.url}/data`);
    assert.deepEqual([answer.status, await answer.text()], [503, 'the site does not listen: nothing was sent to it']);
  });
});
