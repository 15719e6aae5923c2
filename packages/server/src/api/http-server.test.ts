// Promises of the HTTP server, over real sockets, about requests that Node would answer by itself or take for others: they
// go the way of every request, and are refused with a problem.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { beforeEach, describe, test } from 'node:test';
import { ProblemError } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import pino from 'pino';
import Type from 'typebox';
import { parseAnswer, readToEnd } from '../../../../test/raw-http.ts';
import { until } from '../../../../test/until.ts';
import { get, HttpRig, statuses } from '../../test/http-rig.ts';
import { progressMs } from './read-body.ts';
import type { Call, Route } from './route.ts';

const body = { types: ['application/json'], maxBytes: 1000, setting: '--max-json-size' };
const common = {
  effect: { action: 'read', resource: 'service' },
  permission: 'public',
  audited: false,
  answer: { status: 204, description: '' },
  problems: [],
} as const;
const page = { status: 200, description: '' } as const;
/** Streamed bodies that are not read before `read` is called. */
const pending: { read: () => void }[] = [];
const routes: Route[] = [
  { ...common, method: 'GET', path: '/', id: 'root', handle: () => undefined },
  { ...common, method: 'GET', path: '/quick', id: 'quick', handle: () => undefined },
  {
    ...common,
    method: 'POST',
    path: '/whole',
    id: 'whole',
    body: { ...body, schema: Type.Any() },
    handle: () => undefined,
  },
  { ...common, method: 'POST', path: '/streamed', id: 'streamed', body, handle: readLater },
  { ...common, method: 'POST', path: '/refused', id: 'refused', body, handle: refuse },
  { ...common, method: 'GET', path: '/given-up', id: 'givenUp', answer: page, handle: () => brokenOff(overloaded) },
  {
    ...common,
    method: 'GET',
    path: '/broken',
    id: 'broken',
    answer: page,
    handle: () => brokenOff(new Error('broken')),
  },
];
const overloaded = new ProblemError(
  'overloaded',
  'The client does not read its answer, and other queries are waiting.',
);

async function readLater({ stream }: Call): Promise<void> {
  await new Promise<void>((resolve) => pending.push({ read: resolve }));
  for await (const _ of stream);
}

function refuse(): never {
  throw new ProblemError('uploads-disabled', 'Nothing is taken here.');
}

function brokenOff(error: Error) {
  async function* pages() {
    yield Buffer.from('[');
    throw error;
  }
  return { pages: pages(), cancel: () => undefined };
}

let rig: HttpRig;
let clock: ManualClock;
let lines: string[];

beforeEach(async (t) => {
  clock = new ManualClock();
  lines = [];
  const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
  rig = await new HttpRig({ routes, clock, log }).listen();
  cleanupOf(t).defer(() => rig.end());
});

async function exchange(text: string): Promise<string> {
  const socket = await rig.open();
  const answers = readToEnd(socket);
  socket.write(text);
  return answers;
}

const unroutedAnswers = (status: number) => rig.figure(`requests_total{method="any",route="none",status="${status}"}`);

describe('a request that Node would refuse by itself', () => {
  for (const [what, request] of [
    ['without a Host', 'GET /quick HTTP/1.1\r\n\r\n'],
    ['that expects what nobody knows', get('/quick', 'Expect: x')],
  ] as const) {
    test(`${what} gets a problem, is counted, and nothing behind it is answered`, async () => {
      let parsed = 0;
      for (const event of ['request', 'checkExpectation']) rig.app.server.on(event, () => parsed++);
      const text = await exchange(request.repeat(2000));
      const { status, headers } = parseAnswer(text);
      assert.deepEqual([status, headers.get('content-type')], [400, 'application/problem+json']);
      assert.deepEqual(statuses(text), [400]);
      assert.equal(await unroutedAnswers(400), 1);
      assert.ok(parsed <= 101, `${parsed} were parsed`);
    });

    test(`${what} waits for its turn behind others, of which there are a hundred at most`, async () => {
      const socket = await rig.open();
      const answers = readToEnd(socket);
      socket.write(`${post('/streamed', 'Content-Length: 1')}1${request.repeat(2000)}`);
      await until('it is asked', async () => pending.length === 1);
      assert.ok(Number.isNaN(await unroutedAnswers(400)), 'none is answered yet');
      assert.equal(await rig.closedBy('pipelining'), 1);
      pending.pop()?.read();
      assert.deepEqual(statuses(await answers), [204, 400]);
    });
  }

  test('is refused by its Host all the same', async () => {
    const text = await exchange(
      post('/whole', 'Expect: 100-continue', 'Content-Length: 2').replace('localhost', 'evil'),
    );
    assert.deepEqual(statuses(text), [403]);
  });
});

const post = (path: string, ...headers: string[]) =>
  [`POST ${path} HTTP/1.1`, 'Host: localhost', 'Content-Type: application/json', ...headers, '', ''].join('\r\n');

describe('a client that awaits 100 Continue', () => {
  const expecting = (path: string, length = 2) => post(path, 'Expect: 100-continue', `Content-Length: ${length}`);

  test('gets it when its body is about to be read', async () => {
    const socket = await rig.open();
    socket.write(expecting('/whole'));
    assert.equal(String((await once(socket, 'data'))[0]), 'HTTP/1.1 100 Continue\r\n\r\n');
    socket.write('{}');
    assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 204 /);
  });

  test('is refused without, where its headers are enough to', async () => {
    for (const [status, request] of [
      [404, expecting('/nothing')],
      [405, expecting('/quick')],
      [413, expecting('/whole', 1001)],
      [413, expecting('/streamed', 1001)],
      [415, expecting('/whole').replace('/json', '/xml')],
      [403, expecting('/refused')],
    ] as const) {
      assert.deepEqual(statuses(await exchange(request)), [status]);
    }
  });

  test('is not late as long as nobody reads its body', async () => {
    const socket = await rig.open();
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.write(expecting('/streamed'));
    await until('it is asked', async () => pending.length === 1);
    clock.advance(3 * progressMs);
    assert.equal(text, '');
    pending.pop()?.read();
    await until('it is told', async () => statuses(text).length === 1);
    socket.write('{}');
    await until('it is answered', async () => statuses(text).length === 2);
    assert.deepEqual(statuses(text), [100, 204]);
  });

  test('learns nothing of it in HTTP/1.0', async () => {
    const text = await exchange(`${expecting('/whole').replace('HTTP/1.1', 'HTTP/1.0')}{}`);
    assert.deepEqual(statuses(text), [204]);
  });
});

test('an upgrade with a body is a request like any other', async () => {
  let upgrades = 0;
  rig.app.server.on('upgrade', () => upgrades++);
  const upgrade = ['Connection: Upgrade, close', 'Upgrade: websocket'];
  for (const body of ['Content-Length: 2\r\n\r\n{}', 'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n']) {
    const head = get('/quick', ...upgrade).slice(0, -'\r\n'.length);
    assert.deepEqual(statuses(await exchange(head + body)), [204]);
  }
  assert.equal(upgrades, 0);
});

describe('a request line', () => {
  test('whose target or version is none of HTTP/1.1 gets 400', async () => {
    for (const line of ['GET * HTTP/1.1', 'OPTIONS * HTTP/1.1', 'GET quick HTTP/1.1', 'GET / HTTP/2.0']) {
      assert.deepEqual(statuses(await exchange(`${line}\r\nHost: localhost\r\n\r\n`)), [400], line);
    }
  });

  test('may name scheme and host', async () => {
    for (const target of ['http://localhost/quick', 'http://localhost', 'HTTP://localhost/?', 'http://localhost?']) {
      assert.deepEqual(statuses(await exchange(get(target, 'Connection: close'))), [204], target);
    }
  });

  test('of CONNECT gets 400; behind another request it ends the connection', async () => {
    const connect = 'CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n';
    assert.deepEqual(statuses(await exchange(connect)), [400]);
    assert.deepEqual(statuses(await exchange(`${post('/streamed', 'Content-Length: 1')}1${connect}`)), []);
    pending.pop()?.read();
  });
});

test('an answer that is given up for its client is no fault of the service; one that fails is', async () => {
  for (const path of ['/given-up', '/broken']) {
    const socket = await rig.open();
    socket.write(get(path));
    await new Promise((resolve) => socket.once('close', resolve)); // by a reset
  }
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /"broken"[\s\S]*sending a response failed because of an internal error/);
});
