import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Datatype } from '@telltale/schema';
import type { PointKind } from '@telltale/stack-kit';
import { declaredWell } from '@telltale/stack-kit/testing';
import http from './stack.ts';

const connector = http.connector ?? assert.fail();
const provider = http.provider ?? assert.fail();
const baseUrl = 'http://plc';

describe('the stack', () => {
  declaredWell(http, new URL('../README.md', import.meta.url));

  test('says which variables are wrong, or contradict each other', () => {
    const faults = (vars: Record<string, string>) =>
      connector.readVariables({ baseUrl, ...vars }).faults.map(({ field }) => field);
    assert.deepEqual(faults({}), []);
    assert.deepEqual(faults({ user: 'a', password: 'b', keyHeader: 'X-Key', key: 'c', headers: 'X-A: 1\nX-B: 2' }), []);
    for (const wrong of [
      'plc',
      'ftp://plc',
      'http://',
      'http://a:b@plc',
      'http://plc?x=1',
      'http://plc#x',
      'http://pl c',
    ]) {
      assert.deepEqual(faults({ baseUrl: wrong }), ['baseUrl'], wrong);
    }
    assert.deepEqual(faults({ user: 'a' }), ['password']);
    assert.deepEqual(faults({ password: 'a' }), ['user']);
    assert.deepEqual(faults({ user: 'a', password: 'b', token: 'c' }), ['token']);
    assert.deepEqual(faults({ key: 'c' }), ['keyHeader']);
    assert.deepEqual(faults({ keyHeader: 'X Key', key: 'c' }), ['keyHeader']);
    for (const headers of ['nonsense', 'Host: x', 'Authorization: x', 'Content-Length: 0', 'X: \u0001', ': x']) {
      assert.deepEqual(faults({ headers }), ['headers'], headers);
    }
    assert.deepEqual(faults({ caFile: 'ca.pem' }), ['caFile']);
    assert.deepEqual(faults({ baseUrl: 'https://plc', caFile: '../ca.pem' }), ['caFile']);
    assert.deepEqual(faults({ baseUrl: 'https://plc', caFile: 'ca.pem' }), []);
    assert.deepEqual(faults({ dangerouslyTrustAnyCertificate: 'true' }), ['dangerouslyTrustAnyCertificate']);
    const served = (vars: Record<string, string>) => provider.readVariables(vars).faults.map(({ field }) => field);
    assert.deepEqual(served({ host: '0.0.0.0' }), ['allowedClients']);
    assert.deepEqual(served({ host: '0.0.0.0', token: 'x' }), []);
    assert.deepEqual(served({ host: '0.0.0.0', allowedClients: '10.0.0.0/8' }), []);
  });

  test('hides what is secret', () => {
    const { parameters } = connector.describe().description;
    const secrets = Object.keys(parameters).filter((name) => parameters[name]?.secret);
    assert.deepEqual(secrets, ['password', 'token', 'key']);
  });
});

describe('an address of the connector', () => {
  const wrong = (kind: PointKind, address: string, properties: Record<string, string> = {}) =>
    connector.checkAddress(kind, address, { datatype: 'd', properties });

  test('is a path with a JSON pointer', () => {
    for (const address of ['/', '/a', '/a#', '/a#/', '/a?b=c&d=%20#/e/0', '/a#/ö ~0~1 {}', '/a:b@c;d=e,f']) {
      assert.equal(wrong('measurement', address), undefined, address);
    }
    for (const address of ['a', 'http://other/a', '/a b', '/a#b', '/a#/~', '/ä', '/a\n', '/{x}', '/a"', '/a<b>']) {
      assert.notEqual(wrong('measurement', address), undefined, address);
    }
  });

  test('of a command has a method, and says where the value goes', () => {
    for (const address of ['PUT /a', 'POST /a#/b', 'PATCH /a?b={value}']) {
      assert.equal(wrong('command', address), undefined, address);
    }
    for (const address of ['/a', 'GET /a', 'put /a', 'PUT  /a', 'PUT /{other}']) {
      assert.notEqual(wrong('command', address), undefined, address);
    }
    assert.equal(wrong('command', 'PUT /a', { body: 'x={value}' }), undefined);
    assert.match(
      wrong('command', 'PUT /a', { body: 'x' }) ?? '',
      /neither the property body nor the path has \{value\}/,
    );
    assert.match(wrong('command', 'PUT /a#/b', { body: '{value}' }) ?? '', /cannot be combined with the property body/);
  });

  test('has properties that are looked at as well', () => {
    assert.match(wrong('measurement', '/a', { scanPeriod: '1' }) ?? '', /scanPeriod/);
    assert.match(wrong('measurement', '/a', { timePointer: 'time' }) ?? '', /timePointer/);
    assert.match(wrong('measurement', '/a', { qualityPointer: '/~' }) ?? '', /qualityPointer/);
    assert.equal(wrong('measurement', '/a', { timePointer: '/t', qualityPointer: '/q', scanPeriod: '500' }), undefined);
  });
});

describe('an address of the exporter', () => {
  const wrong = (address: string, datatype: Datatype = 'd', properties: Record<string, string> = {}) =>
    provider.checkAddress('measurement', address, { datatype, properties });

  test('is a name of a metric, with labels', () => {
    for (const address of ['a', 'a:b_c9', 'a{}', 'a{b="c"}', 'a{b="c",d="e,}"}', 'a{b="\\"\\\\\\n"}', 'a{b="ö 😀"}']) {
      assert.equal(wrong(address), undefined, address);
    }
    for (const address of [
      '9a',
      'a b',
      'a{',
      'a{b}',
      'a{b=c}',
      'a{b="c"',
      'a{b="c",}',
      'a{b="c" d="e"}',
      'a{b="\\x"}',
      'ä',
    ]) {
      assert.notEqual(wrong(address), undefined, address);
    }
    assert.match(wrong('a{b="1",b="2"}') ?? '', /label b occurs twice/);
    assert.match(wrong('a{__b="1"}') ?? '', /for Prometheus itself/);
  });

  test('has the suffix of its kind', () => {
    assert.equal(wrong('a_total', 'l', { metricType: 'counter' }), undefined);
    assert.match(wrong('a', 'l', { metricType: 'counter' }) ?? '', /a_total/);
    assert.match(wrong('a_total', 'l') ?? '', /only a counter/);
    assert.match(wrong('a_total', 'b', { metricType: 'counter' }) ?? '', /boolean cannot be a counter/);
    assert.match(wrong('a', 'd', { metricType: 'histogram' }) ?? '', /gauge or counter/);
    assert.equal(wrong('a_info', 's'), undefined);
    assert.match(wrong('a_info', 'd') ?? '', /only a text/);
    assert.match(wrong('a{value="x"}', 's') ?? '', /label value holds the text/);
  });
});
