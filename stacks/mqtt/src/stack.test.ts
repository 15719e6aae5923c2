import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Datatype } from '@telltale/schema';
import type { PointKind } from '@telltale/stack-kit';
import { declaredWell } from '@telltale/stack-kit/testing';
import { type BrokerVariables, brokerName, brokersOf } from './broker-variables.ts';
import mqtt from './stack.ts';

const connector = mqtt.connector ?? assert.fail();
const provider = mqtt.provider ?? assert.fail();

const check = (kind: PointKind, address: string, datatype: Datatype, properties: Record<string, string> = {}) =>
  connector.checkAddress(kind, address, { datatype, properties });

describe('the MQTT stack', () => {
  declaredWell(mqtt, new URL('../README.md', import.meta.url));

  test('is a stack whose settings have defaults, all of them', () => {
    assert.deepEqual(connector.readVariables({}).faults, []);
    assert.deepEqual(provider.readVariables({}).faults, []);
  });
});

describe('what is wrong with a point is reported', () => {
  const cases: [PointKind, string, Datatype, Record<string, string>, RegExp | undefined][] = [
    ['measurement', 'a#/v', 'd', { time: '/t', timeFormat: 's', quality: '$.q', staleAfter: '5000' }, undefined],
    ['measurement', 'a#/v', 'd', { timeFormat: 'h' }, /timeFormat is h; it must be one of iso/],
    ['measurement', 'a#/v', 'd', { staleAfter: '-1' }, /staleAfter/],
    ['measurement', 'a#/v', 'd', { time: 'ts' }, /property time/],
    ['measurement', 'a', 'd', { time: '/ts' }, /only a measurement of a JSON payload/],
    ['measurement', 'a#/v', 'd', { where: '/id' }, /must have the form \/id=7/],
    ['measurement', 'a#int16', 's', {}, /int16 is not a text/],
    ['measurement', 'a#/v', 'd', { missing: 'constructor' }, /one of bad, keep/],
    ['command', 'a/+', 'd', {}, /wildcards/],
    ['command', 'a#float32', 's', {}, /not a text/],
    ['command', 'a', 'd', { qos: '3' }, /qos is 3/],
    ['command', 'a', 'd', { payload: '{"v":{valu}}' }, /placeholder \{valu\} is unknown/],
    ['command', 'a', 'd', { payload: '{"v":{value}}', ackTopic: 'b#/r', ackId: '/id' }, /ackId/],
    ['command', 'a', 'd', { payload: '{"v":{value},"id":"{id}"}', ackTopic: 'b#/r', ackId: '/id' }, undefined],
    ['command', 'a', 'd', { ackTopic: 'b/+' }, /ackTopic/],
    ['command', 'a', 'd', { ackTopic: 'b#uint8' }, /ackTopic/],
  ];
  for (const [kind, address, datatype, properties, fault] of cases) {
    test(`${kind} ${address} ${JSON.stringify(properties)}`, () => {
      const reported = check(kind, address, datatype, properties);
      if (fault === undefined) assert.equal(reported, undefined);
      else assert.match(reported ?? '', fault);
    });
  }

  test('an element and a cell of the provider have addresses of their form, and no template; commands are neither', () => {
    const check = (kind: PointKind, address: string, properties: Record<string, string>) =>
      provider.checkAddress(kind, address, { datatype: 'd', properties });
    for (const address of ['A[0]', 'Well 1#A[12]', 'A[x][0]']) {
      assert.equal(check('measurement', address, { part: 'element' }), undefined);
    }
    assert.equal(check('measurement', 'Well 1#T[0]/a/b', { part: 'cell' }), undefined);
    for (const wrong of ['A', 'A[]', 'A[-1]', 'A[01]', 'A[1000000]', '[0]', 'A[0]/x']) {
      assert.match(check('measurement', wrong, { part: 'element' }) ?? '', /such as Currents\[2\]/, wrong);
    }
    for (const wrong of ['T[0]', 'T[0]/', 'T/x']) {
      assert.match(check('measurement', wrong, { part: 'cell' }) ?? '', /such as Recipe\[0\]\/Water/, wrong);
    }
    assert.match(check('measurement', 'D#T[0]/a+b', { part: 'cell' }) ?? '', /wildcards/);
    assert.match(check('measurement', 'A[0]', { part: '__proto__' }) ?? '', /element or cell is expected/);
    assert.match(check('measurement', 'A[0]/x', { part: 'cell', template: 'T' }) ?? '', /not both/);
    assert.match(check('command', 'A[0]', { part: 'element' }) ?? '', /commands cannot be elements/);
  });

  test('a device of the provider is one level of a topic', () => {
    const check = (address: string) => provider.checkAddress('measurement', address, { datatype: 'd' });
    assert.equal(check('Well 2#Flow/Main'), undefined);
    for (const wrong of ['#Flow', 'a/b#Flow', 'Well 2#', 'a#b#c', 'a#+', 'plant/#']) assert.ok(check(wrong), wrong);
    const reported = provider.checkAddress('measurement', 'a', { datatype: 'd', properties: { device: 'a/b' } });
    assert.match(reported ?? '', /a name without/);
    const forward = provider.checkAddress('measurement', 'a', { datatype: 'd', properties: { forward: 'yes' } });
    assert.match(forward ?? '', /true or false/);
  });
});

test('variables that contradict each other are refused by name', () => {
  const fields = (vars: Record<string, string>) => connector.readVariables(vars).faults.map(({ field }) => field);
  assert.deepEqual(fields({ cleanStart: 'false' }), ['clientId']);
  assert.deepEqual(fields({ cleanStart: 'false', clientId: 'x', qos: '2' }), ['qos']);
  assert.deepEqual(fields({ tls: 'true', keyFile: 'a.key' }), ['certFile']);
  assert.deepEqual(fields({ caFile: 'ca.pem' }), ['tls']);
  assert.deepEqual(fields({ password: 'x' }), ['user']);
  assert.deepEqual(fields({ time: 'float32' }), ['time']);
  for (const otherBrokers of ['a:0', 'a:65536', 'a, b, c, d', 'a b', '[::1', '127.0.0.1', 'b, b:1883', 'mqtt://b']) {
    assert.deepEqual(fields({ otherBrokers }), ['otherBrokers'], otherBrokers);
  }
  assert.deepEqual(fields({ webSocketPath: 'mqtt' }), ['webSocketPath']);
  assert.deepEqual(fields({ statusTopic: 'a/+' }), ['statusTopic']);
  assert.deepEqual(fields({ onlinePayload: 'x', offlinePayload: 'x' }), ['offlinePayload']);
  const served = (vars: Record<string, string>) => provider.readVariables(vars).faults.map(({ field }) => field);
  assert.deepEqual(served({ format: 'sparkplug' }), ['group', 'node']);
  assert.deepEqual(served({ topic: 'x', payload: '{x}', commandValue: 'x' }), ['topic', 'payload', 'commandValue']);
  assert.deepEqual(served({ commandTopic: '{address}' }), ['commandTopic']);
});

test('brokers are named by host and port, and shown as addresses', () => {
  const { values } = connector.readVariables({
    host: 'one',
    port: '8883',
    tls: 'true',
    transport: 'websocket',
    otherBrokers: 'two, three.example:1884, [fd00::1]:1885',
  });
  const variables = values as BrokerVariables;
  assert.deepEqual(
    brokersOf(variables).map((broker) => brokerName({ ...variables, ...broker })),
    ['wss://one:8883/mqtt', 'wss://two:8883/mqtt', 'wss://three.example:1884/mqtt', 'wss://[fd00::1]:1885/mqtt'],
  );
});
