import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Datatype, parseExactJson, type Value } from '@telltale/schema';
import { written } from '@telltale/stack-kit';
import fc from 'fast-check';
import { judgeAnswer, requestOf } from './command-request.ts';

function sent(address: string, datatype: Datatype, value: Value, properties: Record<string, string> = {}) {
  const request = asked(address, datatype, value, properties);
  if (typeof request === 'string') throw new Error(request);
  return request;
}

function asked(address: string, datatype: Datatype, value: Value, properties: Record<string, string> = {}) {
  return requestOf({ id: 1, name: 'written', address, datatype, properties, last: undefined }, value);
}

const answer = (status: number, body = '') => ({
  status,
  statusText: `${status} Something`,
  headers: {},
  body: Buffer.from(body),
  isFramed: true,
});

describe('a command', () => {
  test('is the whole body, or stands at its pointer, in JSON', () => {
    assert.deepEqual(sent('PUT /pump#/setpoint/speed', 'd', 1450.5), {
      method: 'PUT',
      path: '/pump',
      body: '{"setpoint":{"speed":1450.5}}',
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(sent('POST /valve', 'b', true).body, 'true');
    assert.equal(sent('POST /valve#', 'b', false).body, 'false');
    assert.equal(sent('PATCH /x#/a~1b', 's', 'say "hi"\n').body, '{"a/b":"say \\"hi\\"\\n"}');
    assert.equal(sent('PUT /x#/__proto__', 'l', 9223372036854775807n).body, '{"__proto__":9223372036854775807}');
    assert.equal(sent('PUT /x', 'd', 1e-7).body, '0.0000001');
    assert.equal(sent('PUT /x', 'f', Math.fround(0.1)).body, '0.1');
  });

  test('goes into a template, or into the path', () => {
    const template = sent('POST /rpc', 's', '$& {value}', { body: '{"set": {value}, "again": {value}}' });
    assert.equal(template.body, '{"set": "$& {value}", "again": "$& {value}"}');
    const query = sent('POST /set?v={value}&w={value}', 's', 'a b&c=d/{value}');
    assert.deepEqual(
      [query.path, query.body, query.headers],
      ['/set?v=a%20b%26c%3Dd%2F%7Bvalue%7D&w=a%20b%26c%3Dd%2F%7Bvalue%7D', '', {}],
    );
    const text = sent('POST /x', 'i', 5, { body: 'speed={value}', contentType: 'application/x-www-form-urlencoded' });
    assert.deepEqual([text.body, text.headers['content-type']], ['speed=5', 'application/x-www-form-urlencoded']);
  });

  test('that cannot be sent is refused before anything is sent', () => {
    assert.equal(typeof asked('GET /x', 'b', true), 'string');
    assert.match(String(asked('PUT /x', 'b', true, { contentType: 'a\r\nb: c' })), /contentType/);
  });

  test('is always JSON that reads back as the same value', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.boolean(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
        (value) => {
          const datatype = typeof value === 'string' ? 's' : typeof value === 'boolean' ? 'b' : 'l';
          const read = parseExactJson(sent('PUT /x', datatype, value).body);
          assert.deepEqual(typeof value === 'bigint' ? BigInt(read as number) : read, value);
        },
      ),
    );
  });
});

describe('an answer to a command', () => {
  test('of 2xx accepts it', () => {
    for (const status of [200, 201, 202, 204]) assert.deepEqual(judgeAnswer(answer(status)), written.accepted);
  });

  test('that says no refuses it, with what it says', () => {
    for (const status of [301, 400, 401, 403, 404, 409, 422, 429, 501]) {
      assert.deepEqual(
        judgeAnswer(answer(status, 'interlock\r\n\u0000open')),
        written.refused(`the server answers ${status} Something: interlock open`),
      );
    }
  });

  test('of a server that failed, or leads on, leaves open whether it was carried out', () => {
    for (const status of [302, 303, 408, 500, 502, 503, 504, 599, 600, 999]) {
      const result = judgeAnswer(answer(status));
      assert.deepEqual(result, written.unknown(`the server answers ${status} Something`));
    }
  });
});
