import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { quality } from '@telltale/schema';
import { NotConnected } from '@telltale/stack-kit';
import { until } from '@telltale/stack-kit/testing';
import { JsonServer } from './json-server.ts';
import { TestLink, type TestPoint } from './test-link.ts';

const { good, bad, uncertain } = quality;

let server: JsonServer;
let link: TestLink | undefined;
beforeEach(async () => {
  server = await JsonServer.start();
});
afterEach(async () => {
  await link?.stop();
  link = undefined;
  await server.stop();
});

async function start(points: Record<string, TestPoint>, variables: Record<string, string> = {}): Promise<TestLink> {
  link = new TestLink({ baseUrl: server.url, ...variables });
  link.setPoints(points);
  await link.start();
  return link;
}

describe('values', () => {
  test('of all datatypes come out of one answer of a path, in one batch, by one request', async () => {
    server.pages.set('/status', {
      body: '{"pump":[{"on":true},{"speed":"1450.5"}],"count":9223372036854775807,"n":-7,"s":"läuft","q":2,"f":0.5}',
    });
    const running = await start({
      on: { address: '/status#/pump/0/on', datatype: 'b' },
      speed: { address: '/status#/pump/1/speed' },
      count: { address: '/status#/count', datatype: 'l' },
      n: { address: '/status#/n', datatype: 'i' },
      s: { address: '/status#/s', datatype: 's' },
      q: { address: '/status#/q', datatype: 'q' },
      f: { address: '/status#/f', datatype: 'f' },
    });
    await until('all are read', () => running.readings.size === 7);
    const values = Object.fromEntries(Array.from(running.readings, ([name, { value }]) => [name, value]));
    assert.deepEqual(values, { on: 1, speed: 1450.5, count: 9223372036854775807n, n: -7, s: 'läuft', q: 2, f: 0.5 });
    for (const { quality: q } of running.readings.values()) assert.equal(q, good);
    assert.equal(running.batches[0]?.length, 7);
    await until('it is read again', () => running.batches.length > 3);
    assert.ok(server.asked.length <= running.batches.length + 2);
    assert.equal(server.connections, 1);
  });

  test('follow the server, below a base path, with headers and a key', async () => {
    server.pages.set('/api/v1/level?unit=m', { body: 1 });
    const running = await start(
      { level: { address: '/level?unit=m' } },
      {
        baseUrl: `${server.url}/api/v1/`,
        headers: 'X-Plant: north\nAccept: text/json',
        keyHeader: 'X-Key',
        key: 'secret',
      },
    );
    await until('it is read', () => running.value('level') === 1);
    server.pages.set('/api/v1/level?unit=m', { body: 2 });
    await until('it follows', () => running.value('level') === 2);
    const { headers } = server.asked[0] ?? assert.fail();
    assert.deepEqual([headers['x-plant'], headers['x-key'], headers.accept], ['north', 'secret', 'text/json']);
    assert.equal(headers['cache-control'], 'no-cache', 'nothing older is wanted from what lies between');
  });

  for (const [what, variables, expected] of [
    ['a user and a password', { user: 'me', password: 'pä:ss' }, `Basic ${Buffer.from('me:pä:ss').toString('base64')}`],
    ['a token', { token: 'abc' }, 'Bearer abc'],
  ] as const) {
    test(`are asked for with ${what}`, async () => {
      server.pages.set('/', { body: 1 });
      const running = await start({ a: { address: '/' } }, variables);
      await until('it is read', () => running.value('a') === 1);
      assert.equal(server.asked[0]?.headers.authorization, expected);
    });
  }

  test('that do not fit or are not there are bad by themselves', async () => {
    server.pages.set('/s', { body: { a: 1, text: 'x', nothing: null } });
    const running = await start({
      a: { address: '/s#/a' },
      text: { address: '/s#/text' },
      nothing: { address: '/s#/nothing' },
      absent: { address: '/s#/absent' },
    });
    await until('all are read', () => running.readings.size === 4);
    const qualities = ['a', 'text', 'nothing', 'absent'].map((name) => running.quality(name));
    assert.deepEqual(qualities, [good, bad.sensorFailure, bad.sensorFailure, bad.configurationError]);
  });

  test('have the time and the quality that stand beside them', async () => {
    const nowS = Math.floor(Date.now() / 1000) - 5;
    server.pages.set('/s', {
      body: {
        v: 1,
        t: nowS,
        q: 'uncertain',
        text: new Date(nowS * 1000).toISOString(),
        ahead: nowS + 9999,
        no: 'soon',
      },
    });
    const with_ = (timePointer: string) => ({ address: '/s#/v', properties: { timePointer, qualityPointer: '/q' } });
    const running = await start({
      number: with_('/t'),
      text: with_('/text'),
      ahead: { address: '/s#/v', properties: { timePointer: '/ahead' } },
      no: { address: '/s#/v', properties: { timePointer: '/no' } },
      gone: { address: '/s#/v', properties: { qualityPointer: '/gone' } },
    });
    await until('all are read', () => running.readings.size === 5);
    for (const name of ['number', 'text']) {
      assert.deepEqual(running.readings.get(name), { value: 1, quality: uncertain.nonSpecific, timeUs: nowS * 1e6 });
    }
    for (const name of ['ahead', 'no']) {
      assert.equal(running.quality(name), uncertain.nonSpecific);
      assert.ok((running.readings.get(name)?.timeUs ?? 0) > (nowS + 1) * 1e6);
    }
    assert.equal(running.quality('gone'), bad.nonSpecific);
  });

  test('whose server has a clock that is off have the time of this one, and are uncertain', async () => {
    const serverS = Math.floor(Date.now() / 1000) - 7200;
    server.pages.set('/s', { body: { v: 1, t: serverS }, headers: { date: new Date(serverS * 1000).toUTCString() } });
    const running = await start({ v: { address: '/s#/v', properties: { timePointer: '/t' } } });
    await until('it is read', () => running.readings.size === 1);
    assert.equal(running.quality('v'), uncertain.nonSpecific);
    assert.ok((running.readings.get('v')?.timeUs ?? 0) > (serverS + 60) * 1e6);
  });

  test('follow a file that changes twice in a second, though its server has one tag for both', async () => {
    let v = 1;
    server.onOther = ({ headers }) => {
      const etag = '"6553f100-7"'; // the second and the size, as widespread servers have it
      if (headers['if-none-match'] === etag) return { status: 304, headers: { etag } };
      return { body: { v }, headers: { etag } };
    };
    const running = await start({ v: { address: '/s#/v' } });
    await until('it is read', () => running.value('v') === 1);
    v = 2;
    await until('it follows', () => running.value('v') === 2);
  });
});

describe('a path that fails', () => {
  const cases: [string, Parameters<JsonServer['pages']['set']>[1], number, RegExp][] = [
    ['is not there', { status: 404 }, bad.configurationError, /404 Not Found/],
    ['is forbidden', { status: 403 }, bad.configurationError, /403 Forbidden/],
    [
      'leads elsewhere',
      { status: 302, headers: { location: 'http://elsewhere/' } },
      bad.configurationError,
      /leads to http:\/\/elsewhere/,
    ],
    ['has trouble', { status: 500 }, bad.deviceFailure, /500/],
    ['asks for patience', { status: 429 }, bad.deviceFailure, /429/],
    ['is no JSON', { body: '<html>' }, bad.deviceFailure, /no JSON/],
    ['is empty', { status: 204 }, bad.deviceFailure, /no JSON/],
    ['is compressed', { body: 1, headers: { 'content-encoding': 'gzip' } }, bad.deviceFailure, /compressed with gzip/],
    ['is too large', { body: 'x'.repeat(2000) }, bad.configurationError, /more than 1024 bytes/],
    ['says unasked that nothing has changed', { status: 304 }, bad.configurationError, /304/],
  ];
  for (const [what, page, expected, error] of cases) {
    test(`since it ${what} turns its points bad, and no others`, async () => {
      server.pages.set('/good', { body: 1 });
      server.pages.set('/failing', page);
      const running = await start({ a: { address: '/good' }, b: { address: '/failing#/b' } }, { maxBodyBytes: '1024' });
      await until('both are read', () => running.readings.size === 2);
      assert.deepEqual([running.quality('a'), running.quality('b')], [good, expected]);
      assert.match(running.explain('b')?.error ?? '', error);
      server.pages.set('/failing', { body: { b: 5 } });
      await until('it comes back', () => running.value('b') === 5 && running.quality('b') === good);
    });
  }

  test('since it does not answer turns its points bad, and no others, and comes back', async () => {
    server.pages.set('/good', { body: 1 });
    server.pages.set('/failing', { isSilent: true });
    const running = await start({ a: { address: '/good' }, b: { address: '/failing' } }, { timeoutMs: '100' });
    await until('it is bad', () => running.quality('b') === bad.communicationFailure);
    assert.equal(running.quality('a'), good);
    server.pages.set('/failing', { body: 5 });
    await until('it comes back', () => running.value('b') === 5);
    assert.equal(running.lost, undefined);
  });
});

describe('the server', () => {
  test('that drops its connections is asked again over new ones, and nobody notices', async () => {
    server.pages.set('/', { body: 1 });
    const running = await start({ a: { address: '/' } });
    for (let round = 0; round < 20; round++) {
      const before = running.batches.length;
      server.dropConnections();
      await until('it is read again', () => running.batches.length > before);
    }
    assert.equal(running.lost, undefined);
  });

  test('that goes away ends the link', async () => {
    server.pages.set('/', { body: 1 });
    const running = await start({ a: { address: '/' } });
    await until('it is read', () => running.readings.size > 0);
    await server.stop();
    await until('the link is lost', () => running.lost !== undefined);
    assert.ok(running.lost instanceof NotConnected);
    assert.match(String(running.lost), /\/ is down: .*ECONNREFUSED/);
    assert.equal(running.quality('a'), bad.communicationFailure);
  });

  test('that is not there cannot be connected to', async () => {
    const { url } = server;
    await server.stop();
    link = new TestLink({ baseUrl: url });
    link.setPoints({ a: { address: '/' } });
    await assert.rejects(link.start(), NotConnected);
    link.setPoints({}, true);
    await assert.rejects(link.start(), NotConnected);
  });

  test('is watched though nothing is read from it, where commands are', async () => {
    link = new TestLink({ baseUrl: server.url });
    link.setPoints({}, true);
    await link.start();
    await until('it is asked for a sign of life', () => server.reads.length > 2);
    await server.stop();
    await until('the link is lost', () => link?.lost !== undefined);
  });
});

describe('a command', () => {
  test('is sent once, and accepted when the server says so', async () => {
    server.pages.set('/', { body: 1 });
    server.onOther = () => ({ status: 200 });
    const running = await start({ a: { address: '/' } });
    await running.write('PUT /pump#/speed', 'd', 1450);
    await running.write('POST /set?v={value}', 's', 'a b');
    await running.write('PATCH /count', 'l', -9223372036854775808n);
    const writes = server.asked.filter(({ method }) => method !== 'GET');
    assert.deepEqual(
      writes.map(({ method, url, body, headers }) => [method, url, body, headers['content-type']]),
      [
        ['PUT', '/pump', '{"speed":1450}', 'application/json'],
        ['POST', '/set?v=a%20b', '', undefined],
        ['PATCH', '/count', '-9223372036854775808', 'application/json'],
      ],
    );
  });

  test('that the server refuses is refused with its reason', async () => {
    server.pages.set('/', { body: 1 });
    server.onOther = () => ({ status: 409, body: 'interlock open' });
    const running = await start({ a: { address: '/' } });
    await assert.rejects(running.write('PUT /x', 'b', true), {
      name: 'refused',
      message: 'the server answers 409 Conflict: interlock open',
    });
  });

  test('that the server does not answer may have been carried out, and is not sent again', async () => {
    server.pages.set('/', { body: 1 });
    server.pages.set('/x', { isSilent: true });
    const running = await start({ a: { address: '/' } }, { timeoutMs: '100' });
    await assert.rejects(running.write('PUT /x', 'b', true), { name: 'unknown' });
    assert.equal(server.asked.filter(({ url }) => url === '/x').length, 1);
  });

  test('was surely not sent where nobody listens, and where there is no link', async () => {
    server.pages.set('/', { body: 1 });
    const running = await start({ a: { address: '/' } });
    await server.stop();
    await assert.rejects(running.write('PUT /x', 'b', true), { name: 'notSent' });
    await running.stop();
    await assert.rejects(running.write('PUT /x', 'b', true), { name: 'notSent' });
  });
});

describe('what a person sees', () => {
  test('explains a reading by what stands in the last answer', async () => {
    server.pages.set('/s', { body: '{"a":{"b":9223372036854775807},"on":true}' });
    const running = await start({
      b: { address: '/s#/a/b', datatype: 'l' },
      on: { address: '/s#/on', datatype: 'b' },
      a: { address: '/s#/a' },
      none: { address: '/s#/none', properties: { scanPeriod: '250' } },
    });
    await until('all are read', () => running.readings.size === 4);
    const { timeUs, ...b } = running.explain('b') ?? assert.fail();
    assert.ok(timeUs > 0);
    assert.deepEqual(b, {
      request: 'GET /s',
      raw: '9223372036854775807',
      value: 9223372036854775807n,
      error: undefined,
      device: '/s',
      scanPeriodMs: 20,
    });
    assert.equal(running.explain('on')?.value, true);
    assert.deepEqual(
      [running.explain('a')?.raw, running.explain('a')?.error],
      ['{"b":"9223372036854775807"}', 'it does not fit datatype d'],
    );
    assert.deepEqual(
      [running.explain('none')?.error, running.explain('none')?.scanPeriodMs],
      ['the answer has nothing there', 250],
    );
  });

  test('browses the paths, and the JSON below them page by page', async () => {
    server.pages.set('/s', {
      body: '{"pump":[{"on":true,"speed":5}],"big":9223372036854775807,"text":"x","none":null}',
    });
    const running = await start({ a: { address: '/s#/text', datatype: 's' } }, { browsePaths: '/,/t' });
    assert.deepEqual(
      (await running.browse()).items.map(({ path }) => path),
      ['/', '/t', '/s'],
    );
    const { items } = await running.browse('/s');
    assert.deepEqual(
      items.map(({ title, path, measurement }) => [title, path, measurement?.address, measurement?.datatype]),
      [
        ['pump', '/s#/pump', undefined, undefined],
        ['big', undefined, '/s#/big', 'l'],
        ['text', undefined, '/s#/text', 's'],
        ['none', undefined, undefined, undefined],
      ],
    );
    const first = await running.browse('/s#/pump/0', undefined, 1);
    assert.deepEqual([first.items[0]?.measurement?.name, first.cursor], ['pump.0.on', '1']);
    const second = await running.browse('/s#/pump/0', first.cursor, 1);
    assert.deepEqual([second.items[0]?.measurement?.name, second.cursor], ['pump.0.speed', undefined]);
    await assert.rejects(running.browse('/s#/nowhere'), { name: 'Refused' });
    await assert.rejects(running.browse('/gone'), { name: 'Refused', message: /404/ });
    await assert.rejects(running.browse('nonsense'), { name: 'Refused' });
  });

  test('goes on with the scans while a path is browsed that does not answer', async () => {
    server.pages.set('/a', { body: 1 });
    server.pages.set('/silent', { isSilent: true });
    const running = await start({ a: { address: '/a' } }, { requestsAtOnce: '1' });
    await until('it is read', () => running.value('a') === 1);
    let isBrowsing = true;
    const browsing = assert.rejects(running.browse('/silent'), { name: 'Refused', message: /no answer/ });
    const ended = browsing.finally(() => {
      isBrowsing = false;
    });
    const before = running.batches.length;
    await until('it is read again and again', () => running.batches.length >= before + 5);
    assert.ok(isBrowsing);
    await ended;
  });
});
