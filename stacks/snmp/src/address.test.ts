import assert from 'node:assert/strict';
import { test } from 'node:test';
import { declaredWell } from '@telltale/stack-kit/testing';
import { parseAddress, parseHosts } from './address.ts';
import stack from './stack.ts';

const check = (kind: 'measurement' | 'command', address: string, datatype: 'b' | 'i' | 'l' | 'd' | 's') =>
  stack.connector?.checkAddress(kind, address, { datatype });

test('an address names an object by number or by name, of one agent or of several', () => {
  const parsed = (address: string) => parseAddress(address);
  const uptime = { isTrap: false, agent: undefined, oid: '1.3.6.1.2.1.1.3.0', form: undefined };
  assert.deepEqual(parsed('1.3.6.1.2.1.1.3.0'), uptime);
  assert.deepEqual(parsed('.1.3.6.1.2.1.1.3.0'), uptime);
  assert.deepEqual(parsed('sysUpTime.0'), uptime);
  assert.deepEqual(parsed('SNMPv2-MIB::sysUpTime.0'), uptime);
  assert.deepEqual(parsed('switch-2/sysUpTime.0'), { ...uptime, agent: 'switch-2' });
  assert.deepEqual(parsed('trap:a/IF-MIB::ifPhysAddress.3:hex'), {
    isTrap: true,
    agent: 'a',
    oid: '1.3.6.1.2.1.2.2.1.6.3',
    form: 'hex',
  });
});

test('what is wrong with an address is said before anything runs', () => {
  assert.equal(check('measurement', 'ifInOctets.3', 'l'), undefined);
  assert.match(check('measurement', 'ifInOctets', 'l') ?? '', /names no instance/);
  assert.equal(check('measurement', 'trap:linkDown', 'l'), undefined);
  assert.match(check('measurement', 'noSuchName.3', 'l') ?? '', /not among the names/);
  assert.match(check('measurement', '3.5.6', 'l') ?? '', /not an address/);
  assert.match(check('measurement', '1.99.6', 'l') ?? '', /not an object identifier/);
  assert.match(check('measurement', '1.3.4294967296', 'l') ?? '', /not an object identifier/);
  assert.match(check('measurement', '1.3.6:hex', 'i') ?? '', /:hex is for the raw datatype s/);
  assert.match(check('measurement', '1.3.6:truth', 'd') ?? '', /:truth is for the raw datatype b/);
  assert.match(check('command', 'trap:1.3.6', 'i') ?? '', /not an address/);
  assert.equal(check('command', '1.3.6.1', 'i'), undefined);
  assert.match(check('command', '1.3.6.1', 'd') ?? '', /add one of text, float/);
  assert.match(check('command', '1.3.6.1:ip', 'd') ?? '', /does not go with/);
  assert.match(check('measurement', '__proto__/1.3.6', 'i') ?? 'right', /right/);
  assert.match(
    stack.connector?.checkAddress('measurement', '1.3.6.1', { datatype: 'i', properties: { scanPeriod: '1' } }) ?? '',
    /scanPeriod/,
  );
});

test('a provider’s address is numbers, and a type that goes with the datatype', () => {
  const served = (address: string, datatype: 'b' | 'i' | 's' | 'd') =>
    stack.provider?.checkAddress('measurement', address, { datatype });
  assert.equal(served('7.1', 'i'), undefined);
  assert.equal(served('7.1:counter32', 'i'), undefined);
  assert.match(served('7.01', 'i') ?? '', /no zeros before it/);
  assert.match(served('7.4294967296', 'i') ?? '', /0 to 4294967295/);
  assert.match(served('7.1:float', 's') ?? '', /does not go with/);
  assert.match(served('seven', 's') ?? '', /not an address/);
});

declaredWell(stack, new URL('../README.md', import.meta.url));

test('hosts are one, or several with names', () => {
  assert.deepEqual(parseHosts('192.0.2.1', 161), [
    { name: '192.0.2.1', account: undefined, host: '192.0.2.1', port: 161 },
  ]);
  assert.deepEqual(parseHosts('a=192.0.2.1, b=joe@[2001:db8::7]:1161 ,c=::1', 161), [
    { name: 'a', account: undefined, host: '192.0.2.1', port: 161 },
    { name: 'b', account: 'joe', host: '2001:db8::7', port: 1161 },
    { name: 'c', account: undefined, host: '::1', port: 161 },
  ]);
  for (const wrong of ['', 'a=', 'a b', '1.2.3.4, 1.2.3.5', 'a=x, a=y', 'x:0', 'x:70000', '1=x, 2=y', 'a=b=c:', 'x,']) {
    assert.throws(() => parseHosts(wrong, 161), wrong);
  }
  const many = Array.from({ length: 257 }, (_, at) => `h${at}=192.0.2.1`).join();
  assert.throws(() => parseHosts(many, 161), /at most 256/);
});
