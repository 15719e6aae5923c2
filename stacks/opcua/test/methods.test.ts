// Methods of a server as commands.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Datatype, Value } from '@telltale/schema';
import stack from '../src/stack.ts';
import { UaBench } from './ua-bench.ts';
import { UaDevice } from './ua-device.ts';

describe('a command with the address of a method', () => {
  let device: UaDevice;
  let bench: UaBench;
  before(async () => {
    device = await UaDevice.start();
    bench = new UaBench(device);
    bench.setPoints({});
    await bench.start();
  });
  after(async () => {
    assert.equal(await bench.stop(), undefined);
    await device.stop();
  });

  const called = () => device.order({ kind: 'calls' });
  const call = (method: string, datatype: Datatype, value: Value, properties: Record<string, string> = {}) =>
    bench.write(`Pump.${method}#()`, datatype, value, properties);

  test('calls it once, with the value in the type that the method takes', async () => {
    await call('SetSpeed', 'd', 12);
    assert.deepEqual(await called(), [['SetSpeed', 12]]);
    await assert.rejects(call('SetSpeed', 'd', 1e6), { name: 'refused', message: /Int16 and takes a whole number/ });
    assert.deepEqual(await called(), []);
  });

  test('calls one without arguments where the value says so', async () => {
    await call('Start', 'b', true);
    assert.deepEqual(await called(), [['Start']]);
    for (const value of [false, 0, '']) {
      await assert.rejects(call('Start', 'b', value), { name: 'refused', message: /calls nothing/ });
    }
    assert.deepEqual(await called(), []);
  });

  test('passes fixed arguments with the value among them', async () => {
    const properties = { arguments: '["fast", "18446744073709551615", [1.5, "$value"]]' };
    await call('Blend', 'd', 2.5, properties);
    assert.deepEqual(await called(), [['Blend', 'fast', [0xffff_ffff, 0xffff_ffff], [1.5, 2.5]]]);
    await assert.rejects(call('Blend', 'd', 1), { name: 'refused', message: /3 arguments \(Mode, Total, Parts\)/ });
    const few = { arguments: '["$value"]' };
    await assert.rejects(call('Blend', 'd', 1, few), { name: 'refused', message: /the property arguments has 1/ });
    const flat = { arguments: '["fast", 1, 2]' };
    await assert.rejects(call('Blend', 'd', 1, flat), { name: 'refused', message: /Parts is an array/ });
    assert.deepEqual(await called(), []);
  });

  test('ends as a write does: refused by the server, unknown, or never sent', async () => {
    await assert.rejects(call('Interlocked', 'b', true), { name: 'refused', message: /^BadInvalidState/ });
    await assert.rejects(call('Lost', 'b', true), { name: 'unknown', message: /^BadTimeout/ });
    assert.deepEqual(await called(), [['Interlocked'], ['Lost']], 'each once');
    await assert.rejects(call('Nothing', 'b', true), { name: 'refused', message: /has no method/ });
  });

  test('says of which object where several have the method', async () => {
    await assert.rejects(call('Shared', 'b', true), { name: 'refused', message: /set the property object/ });
    await call('Shared', 'b', true, { object: UaDevice.address('Pump2') });
    assert.deepEqual(await called(), [['Shared']]);
  });

  test('is checked when it is configured, and is no measurement', () => {
    const { connector = assert.fail() } = stack;
    const check = (kind: 'command' | 'measurement', properties: Record<string, string> = {}) =>
      connector.checkAddress(kind, 'ns=2;s=Pump.Start#()', { datatype: 'b', properties });
    assert.equal(check('command'), undefined);
    assert.equal(check('command', { arguments: '["$value", [1, true]]', object: 'ns=2;s=Pump' }), undefined);
    for (const wrong of ['', '5', '{}', '[null]', '[{}]', '[[[1]]]', '[1', JSON.stringify(Array(33).fill(1))]) {
      assert.match(check('command', { arguments: wrong }) ?? '', /property arguments is a JSON array/, wrong);
    }
    assert.match(check('command', { object: 'Pump' }) ?? '', /the property object/);
    assert.match(check('measurement') ?? '', /is no measurement/);
  });

  test('is found by browsing', async () => {
    const { signal } = new AbortController();
    const { items } = (await bench.connector.browse?.(
      { path: UaDevice.address('Pump'), cursor: undefined, limit: 100 },
      signal,
    )) ?? { items: [] };
    const start = items.find(({ title }) => title === 'Start') ?? assert.fail();
    assert.deepEqual(start.command, {
      name: 'Start',
      address: 'nsu=urn:telltale:test-device;s=Pump.Start#()',
      datatype: 'b',
      properties: { object: UaDevice.address('Pump') },
    });
    assert.equal(start.measurement, undefined);
  });
});
