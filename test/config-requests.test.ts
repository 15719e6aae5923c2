// What holds for every request of the configuration interface: paths, methods, types and sizes of bodies, texts.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { maxFaults } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { ConfigClient, nameOfProblem } from './config-client.ts';
import { sendRaw } from './raw-http.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const maxJsonBytes = 2_000_000;
const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
let server: ServerProcess;
const client = new ConfigClient(() => server);

before(async () => {
  server = await startServer(cleanup, { data: folder, args: ['--max-json-size', String(maxJsonBytes)] });
});

/** JSON as text with sorted keys: two objects are equal where these are, `__proto__` included. */
const canonical = (value: unknown): string =>
  value !== null && typeof value === 'object'
    ? `{${Object.entries(value)
        .map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`)
        .sort()
        .join(',')}}`
    : JSON.stringify(value);

test('keys of a map that mean something to JavaScript are kept as any other', async () => {
  const keys = ['__proto__', 'constructor', 'toString', '10', '9', ' ', 'a/b~c', 'ключ', '"'];
  const map = `{${keys.map((key) => `${JSON.stringify(key)}:${JSON.stringify(`of ${key}`)}`).join(',')}}`;
  const measurement = `{"name":"keys","datatype":"d","providerAddresses":${map},"properties":${map}}`;
  const connector = `{"name":"keys","vars":${map},"properties":${map}}`;
  const functionModule = `{"name":"keys","termToKill":0,"queryTimeout":0,"properties":${map},"env":${map}}`;
  const sent = { measurements: measurement, connectors: connector, 'function-modules': functionModule };
  for (const [family, raw] of Object.entries(sent)) {
    await client.done('PUT', `/${family}/keys`, { raw });
    assert.equal(canonical(await client.read(`/${family}/keys`)), canonical(JSON.parse(raw)));
    await client.done('DELETE', `/${family}/keys`);
  }
});

test('texts come back as they were sent; those that could not are refused', async () => {
  const texts = [
    '',
    ' ',
    '\u0001\b\t\n\u2028',
    '\ud83d\ude00',
    '\ufeff',
    '\uffff',
    '</script>',
    "'; DROP TABLE alarms; --",
    'a'.repeat(65536),
  ];
  for (const description of texts) {
    await client.put('/alarms/text', { name: 'text', severity: 1, description });
    assert.deepEqual(await client.read('/alarms/text'), { name: 'text', severity: 1, description });
  }
  for (const text of ['a\u0000b', '\ud800', '\udc00\ud800']) {
    const body = { name: 'text', severity: 1, description: text, properties: { [text]: 'x' } };
    assert.deepEqual(await client.faulty('invalid-body', 'PUT', '/alarms/text', { body }), [
      '/description',
      '/properties',
    ]);
  }
  await client.done('DELETE', '/alarms/text');
});

test('of unknown fields up to 20 are named, and nothing is stored', async () => {
  for (const count of [1, 7, 20, 21, 100]) {
    const unknown = Array.from({ length: count }, (_, at) => `field${at}`);
    const body = { name: 'many', severity: 1, ...Object.fromEntries(unknown.map((field) => [field, 1])) };
    const paths = await client.faulty('invalid-body', 'PUT', '/alarms/many', { body });
    const named = unknown.slice(0, maxFaults).map((field) => `/${field}`);
    assert.deepEqual(paths, named);
  }
  await client.refused('unknown-object', 'GET', '/alarms/many');
});

test('names= refuses each impossible name, a repeated parameter and an unknown one', async () => {
  const { errors } = await client.refused('invalid-query', 'GET', '/alarms/?names=good,b-d,,%20');
  assert.deepEqual(
    errors?.map(({ path }) => path),
    ['names', 'names', 'names'],
  );
  assert.match(errors?.[0]?.message ?? '', /"b-d"/);
  const many = Array.from({ length: 30_000 }, (_, index) => `n${index}`);
  assert.deepEqual(await client.read(`/alarms/?names=${many}`), {});
  assert.deepEqual(await client.faulty('invalid-query', 'GET', '/alarms/?names=a&names=b'), ['names']);
  assert.deepEqual(await client.faulty('invalid-query', 'GET', '/alarms/?name=a'), ['name']);
  assert.deepEqual(await client.faulty('invalid-query', 'GET', '/alarms/?constructor=a'), ['constructor']);
  await client.refused('invalid-query', 'GET', '/alarms/names?names=a');
  await client.refused('invalid-query', 'GET', '/alarms/x?names=a');
});

test('a path works with and without its trailing slash, and with slashes doubled', async () => {
  await client.put('//measurements///slashed/', { name: 'slashed', datatype: 'b' });
  for (const path of ['/measurements', '/measurements/', '//measurements//', '/measurements?names=slashed']) {
    assert.deepEqual(await client.read(path), { slashed: { name: 'slashed', datatype: 'b' } }, path);
  }
  for (const path of ['/measurements/names', '/measurements/names/', '/measurements//names']) {
    assert.deepEqual(await client.read(path), ['slashed'], path);
  }
  const doubled = await fetch(`${server.url}//config//v2//measurements//slashed`);
  assert.equal(doubled.status, 200);
  await client.done('DELETE', '/measurements//slashed/');
});

test('HEAD answers as GET does, without the body', async () => {
  await client.put('/alarms/head', { name: 'head', severity: 1 });
  for (const path of [
    '/alarms',
    '/alarms/names',
    '/alarms/head',
    '/alarms/nobody',
    '/alarms?names=-',
    '/cfgdb/render',
  ]) {
    const [got, head] = [await client.ask('GET', path), await client.ask('HEAD', path)];
    const seen = ({ status, headers }: typeof got) => [
      status,
      headers.get('content-type'),
      headers.get('content-length'),
    ];
    assert.deepEqual(seen(head), seen(got), path);
    assert.equal(head.text, '');
  }
  await client.done('DELETE', '/alarms/head');
});

test('a path that does not exist is 404', async () => {
  for (const path of ['', '/', '/alarm/x', '/alarms/x/y', '/Alarms/x', '/cfgdb', '/constructor/names', '/..%2f']) {
    await client.refused('unknown-path', 'GET', path);
    await client.refused('unknown-path', 'PUT', path, { body: {} });
  }
});

test('a URL that cannot be decoded is 400', async () => {
  await client.refused('malformed-request', 'GET', '/alarms/%');
  await client.refused('malformed-request', 'PUT', '/alarms/%E0%A4%A', { body: {} });
});

test('methods of other protocols are 405 where there is something, too', async () => {
  for (const method of ['TRACE', 'PROPFIND', 'REPORT', 'QUERY', 'LINK']) {
    const head = [
      `${method} /config/v2/alarms/x HTTP/1.1`,
      'Host: localhost',
      'Content-Type: a/b',
      'Connection: close',
    ];
    const answer = await sendRaw(server.url, head);
    assert.equal(nameOfProblem(answer), 'method-not-allowed', method);
  }
});

test('a body of another type is 415, and of none is JSON', async () => {
  for (const type of [
    'text/plain',
    'application/jsonp',
    'application/json2',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
    'json',
  ]) {
    await client.refused('unsupported-media-type', 'PUT', '/alarms/a', { raw: '{"name":"a","severity":1}', type });
  }
  const head = ['PUT /config/v2/alarms/a HTTP/1.1', 'Host: localhost', 'Content-Length: 2', 'Connection: close'];
  assert.equal(nameOfProblem(await sendRaw(server.url, head, '{}')), 'invalid-body');
  for (const type of ['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/json ;charset="utf-8"']) {
    await client.done('PUT', '/alarms/a', { raw: '{"name":"a","severity":1}', type });
  }
  await client.done('DELETE', '/alarms/a');
});

test('an object over 1 MiB is 413, and the one below it is kept', async () => {
  const size = (length: number) => ({ name: 'large', severity: 1, description: 'x'.repeat(length) });
  const frame = JSON.stringify(size(0)).length;
  await client.refused('object-too-large', 'PUT', '/alarms/large', { body: size((1 << 20) - frame + 1) });
  await client.put('/alarms/large', size((1 << 20) - frame));
  assert.deepEqual(await client.read('/alarms/large'), size((1 << 20) - frame));
  await client.done('DELETE', '/alarms/large');
});

test('a body over the limit is 413 before it is read, or where it grows too long, and the limit is named', async () => {
  const head = ['PUT /config/v2/alarms/a HTTP/1.1', 'Host: localhost', 'Content-Type: application/json'];
  const announced = await sendRaw(server.url, [...head, `Content-Length: ${maxJsonBytes + 1}`, 'Connection: close']);
  assert.equal(nameOfProblem(announced), 'body-too-large');
  assert.match(announced.text, /2000000 bytes.*--max-json-size/);
  const chunk = `${(1 << 20).toString(16)}\r\n${' '.repeat(1 << 20)}\r\n`;
  const grown = await sendRaw(
    server.url,
    [...head, 'Transfer-Encoding: chunked', 'Connection: close'],
    chunk.repeat(3),
  );
  assert.equal(nameOfProblem(grown), 'body-too-large');
  const spaces = ' '.repeat(maxJsonBytes - 25);
  await client.done('PUT', '/alarms/a', { raw: `{"name":"a","severity":1}${spaces}` });
  await client.refused('body-too-large', 'PUT', '/alarms/a', { raw: `{"name":"a","severity":1}${spaces} ` });
  await client.done('DELETE', '/alarms/a');
});

test('a URL or headers over the limit are 431', async () => {
  await client.refused('headers-too-large', 'GET', `/alarms/?names=${'a,'.repeat(150_000)}`);
  const head = ['GET /config/v2/alarms HTTP/1.1', 'Host: localhost', `X-Long: ${'x'.repeat(300_000)}`];
  assert.equal(nameOfProblem(await sendRaw(server.url, head)), 'headers-too-large');
});

test('every answer given here is in the reference of the service', async () => {
  assert.deepEqual(await client.undocumented(), []);
});
