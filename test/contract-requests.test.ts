// What the contract says of requests where clients were surprised: signs, encodings, numbers and names in a query, and
// bodies without a type.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Simulation } from '@telltale/schema';
import { nameOfProblem } from './config-client.ts';
import { put } from './live-plant.ts';
import { LiveServer } from './live-server.ts';
import { sendRaw } from './raw-http.ts';

const live = new LiveServer({
  begin: () =>
    live.apply([
      put('commands', 'whole', { datatype: 'i' }),
      put('commands', 'text', { datatype: 's' }),
      put('measurements', 'point', { datatype: 'd' }),
    ]),
});
const { data, config } = live;

const shown = async (name: string) => (await data.read<{ vt: [string] }>(`/commands/${name}`)).vt[0];

describe('a value in a query', () => {
  test('has plus signs, and no spaces in numbers', async () => {
    await data.done('PUT', '/commands/whole?value=i+1');
    assert.equal(await shown('whole'), 'i1');
    await data.refused('invalid-value', 'PUT', '/commands/whole?value=i%201');
    await data.refused('invalid-value', 'PUT', '/measurements/point?value=d%201');
    await data.done('PUT', '/commands/text?value=sa+b%20c%2Bd');
    assert.equal(await shown('text'), 'sa+b c+d');
  });

  test('that is not UTF-8 is 400, as in a path', async () => {
    for (const value of ['s%FF', 's%C3%28', 's%ED%A0%80', 's%zz', 's%']) {
      await data.refused('invalid-query', 'PUT', `/commands/text?value=${value}`);
    }
    await data.refused('malformed-request', 'GET', '/commands/%FF');
  });
});

describe('a query', () => {
  test('may have parameters that begin with _', async () => {
    assert.deepEqual(Object.keys(await data.read('/commands/?names=whole&_=1700000000&_nocache')), ['whole']);
    assert.deepEqual(await config.read('/measurements/names?_=1'), await config.read('/measurements/names'));
    await data.refused('invalid-query', 'GET', '/commands/?nocache=1');
  });

  test('has as many names as fit the header', async () => {
    const names = Array.from({ length: 3500 }, (_, at) => String(at).padStart(64, 'n'));
    for (const path of ['/measurements/', '/commands/', '/alarms/', '/function-modules/']) {
      assert.deepEqual(await data.read(`${path}?names=${names}`), {});
      assert.deepEqual(await config.read(`${path}?names=${names}`), {});
    }
    const archived = await data.read<object>(`/archive/measurements/?names=${names},point&t_since=-1`);
    assert.deepEqual(Object.keys(archived), ['point']);
  });

  test('has numbers with exponents, and of any length', async () => {
    const untilOf = async () => (await data.read<Record<string, Simulation>>('/simulations')).point?.until;
    for (const seconds of ['1e3', '1.5E+3', `0001000.${'0'.repeat(500)}1`]) {
      await data.done('PUT', `/measurements/point?value=d1&valid-for=${seconds}`);
      assert.ok(Array.isArray(await untilOf()), seconds);
    }
    for (const seconds of ['1e10', '9'.repeat(30), '9'.repeat(5000), '1e999']) {
      await data.done('PUT', `/measurements/point?value=d1&valid-for=${seconds}`);
      assert.equal(await untilOf(), null, seconds);
    }
    await data.done('DELETE', '/measurements/point');
    assert.deepEqual(await data.read('/archive/measurements/point/1.7e9/1.7000001e9?resample=1e2&limit=1'), {
      point: [],
    });
  });
});

describe('a body', () => {
  const send = (type: string | undefined, body: string) => {
    const head = ['PUT /config/v2/alarms/untyped HTTP/1.1', 'Host: localhost', `Content-Length: ${body.length}`];
    const types = type === undefined ? [] : [`Content-Type: ${type}`];
    return sendRaw(live.process.url, [...head, 'Connection: close', ...types], body);
  };

  test('without a Content-Type is JSON; a form is 415', async () => {
    const body = '{"name":"untyped","severity":3}';
    assert.equal((await send(undefined, body)).status, 204);
    assert.deepEqual(await config.read('/alarms/untyped'), { name: 'untyped', severity: 3 });
    assert.equal(nameOfProblem(await send(undefined, '{')), 'malformed-json');
    for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain']) {
      assert.equal(nameOfProblem(await send(type, body)), 'unsupported-media-type');
    }
  });
});
