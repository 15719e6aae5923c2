// The connector against the agent of net-snmp.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Datatype, quality } from '@telltale/schema';
import { missingPeers } from '@telltale/stack-kit/testing';
import { RunningConnector, type Sample } from './running-connector.ts';
import { peerBase, SnmpdPeer } from './snmpd-peer.ts';

const skip = missingPeers('snmpd', '/usr/bin/python3') ?? false;
const at = (index: string) => `${peerBase}.${index}`;

const ciphers = [
  { name: 'u1', auth: 'MD5', priv: 'DES', vars: { authProtocol: 'md5', privProtocol: 'des' } },
  { name: 'u2', auth: 'SHA', priv: 'AES', vars: { authProtocol: 'sha', privProtocol: 'aes' } },
  { name: 'u3', auth: 'SHA-224', priv: 'AES-256', vars: { authProtocol: 'sha224', privProtocol: 'aes256' } },
  { name: 'u4', auth: 'SHA-256', priv: 'AES', vars: { authProtocol: 'sha256', privProtocol: 'aes' } },
  { name: 'u5', auth: 'SHA-384', priv: 'AES-256', vars: { authProtocol: 'sha384', privProtocol: 'aes256' } },
  { name: 'u6', auth: 'SHA-512', priv: 'AES-256-C', vars: { authProtocol: 'sha512', privProtocol: 'aes256c' } },
  { name: 'u7', auth: 'MD5', priv: 'AES-256', vars: { authProtocol: 'md5', privProtocol: 'aes256' } },
  { name: 'u8', auth: 'SHA', priv: 'AES-256-C', vars: { authProtocol: 'sha', privProtocol: 'aes256c' } },
];

describe('against snmpd', { skip }, () => {
  let peer: SnmpdPeer;

  before(async () => {
    peer = await SnmpdPeer.start({
      objects: [
        { oid: at('1.0'), type: 'integer', value: '-42', writable: true },
        { oid: at('2.0'), type: 'counter', value: '4294967295' },
        { oid: at('3.0'), type: 'gauge', value: '3000000000', writable: true },
        { oid: at('4.0'), type: 'timeticks', value: '4000000000' },
        { oid: at('5.0'), type: 'counter64', value: '9223372036854775807' },
        { oid: at('6.0'), type: 'counter64', value: '18446744073709551615' },
        { oid: at('7.0'), type: 'string', value: 'ready', writable: true },
        { oid: at('8.0'), type: 'octet', value: '00 1A 2B FF 00 07' },
        { oid: at('9.0'), type: 'ipaddress', value: '192.0.2.7' },
        { oid: at('10.0'), type: 'objectid', value: '.1.3.6.1.4.1.8072.3' },
        { oid: at('11.0'), type: 'string', value: '21.5' },
        { oid: at('12.0'), type: 'integer', value: '2', writable: true },
        ...Array.from({ length: 60 }, (_, row) => ({
          oid: at(`20.${row + 1}`),
          type: 'gauge',
          value: `${1000 + row}`,
        })).filter((_, row) => row !== 9),
      ],
      users: [
        ...ciphers.map(({ name, auth, priv }) => ({ name, auth, authKey: 'first key', priv, privKey: 'second key' })),
        { name: 'signing', auth: 'SHA-256', authKey: 'first key' },
      ],
      settings: ['createUser nobody', 'rouser nobody noauth'],
    });
  });
  after(() => peer?.stop());

  const base = () => ({ hosts: `127.0.0.1:${peer.port}`, community: 'writing', scanPeriodMs: '50', timeoutMs: '2000' });
  const started = async (
    t: { after(call: () => unknown): void },
    vars: Readonly<Record<string, string>>,
    measurements: readonly Sample[],
    commands: readonly Sample[] = [],
  ) => {
    const running = new RunningConnector(vars);
    t.after(() => running.stop());
    running.setPoints(measurements, commands);
    await running.start();
    return running;
  };

  test('reads, sets and browses with version 1: one object that is missing leaves the others', async (t) => {
    const running = await started(
      t,
      { ...base(), version: '1' },
      [
        { name: 'number', address: at('1.0'), datatype: 'i' },
        { name: 'missing', address: at('99.0'), datatype: 'i' },
        { name: 'too long', address: at('5.0'), datatype: 'l' },
        ...['1', '2', '3', '4', '5'].map((row) => ({ name: row, address: at(`20.${row}`), datatype: 'l' as const })),
      ],
      [{ name: 'set', address: at('3.0:unsigned'), datatype: 'l' }],
    );
    for (const row of ['1', '2', '3', '4', '5']) {
      await running.until(row, ({ value, quality: q }) => value === 999n + BigInt(row) && q === quality.good);
    }
    await running.until('number', ({ value, quality: q }) => value === -42 && q === quality.good);
    for (const name of ['missing', 'too long']) {
      await running.until(name, (reading) => reading.quality === quality.bad.configurationError);
    }
    await running.write('set', 7n);
    assert.equal(peer.get(at('3.0')), '7');
    peer.set(at('3.0'), '3000000000');
    const { signal } = new AbortController();
    const rest = await running.connector.browse?.({ path: at('20'), cursor: undefined, limit: 100 }, signal);
    assert.equal(rest?.items.length, 59);
    const end = await running.connector.browse?.({ path: at('12'), cursor: undefined, limit: 2 }, signal);
    assert.deepEqual([end?.items.length, end?.cursor], [1, undefined]);
  });

  test('reads agents with accounts of their own', async (t) => {
    const accounts = [
      'old: version=1 community=reading',
      'joe: user=u4 authKey="first key" privKey="second key"',
      'sig: user=signing securityLevel=authNoPriv authKey="first key"',
    ].join('\n');
    const place = `127.0.0.1:${peer.port}`;
    const hosts = `a=${place}, b=old@${place}, c=joe@${place}, d=sig@${place}`;
    const points = ['a', 'b', 'c', 'd'].map((agent): Sample => {
      return { name: agent, address: `${agent}/${at('1.0')}`, datatype: 'i' };
    });
    const running = await started(t, { ...base(), hosts, accounts }, points, [
      { name: 'b', address: `b/${at('3.0:unsigned')}`, datatype: 'l' },
    ]);
    for (const { name } of points) await running.until(name, ({ value }) => value === -42);
    await assert.rejects(running.write('b', 5n), { name: 'refused', message: 'the agent answers noSuchName' });
  });

  test('reads every type into every datatype that holds it, and says of the others that they do not', async (t) => {
    const none = Symbol('none');
    const expected: readonly (readonly [string, Datatype, unknown])[] = [
      ['1.0', 'i', -42],
      ['1.0', 'l', -42n],
      ['1.0', 'f', -42],
      ['1.0', 'd', -42],
      ['1.0', 's', '-42'],
      ['2.0', 'l', 4294967295n],
      ['2.0', 'd', 4294967295],
      ['3.0', 'l', 3000000000n],
      ['4.0', 'd', 4000000000],
      ['5.0', 'l', 9223372036854775807n],
      ['5.0', 's', '9223372036854775807'],
      ['6.0', 'l', none],
      ['6.0', 'd', 2 ** 64],
      ['6.0', 's', '18446744073709551615'],
      ['7.0', 's', 'ready'],
      ['7.0', 'd', none],
      ['8.0', 's', '00:1a:2b:ff:00:07'],
      ['9.0', 's', '192.0.2.7'],
      ['9.0', 'i', none],
      ['10.0', 's', '1.3.6.1.4.1.8072.3'],
      ['11.0', 'd', 21.5],
      ['11.0', 'f', 21.5],
      ['11.0', 'l', none],
      ['12.0:truth', 'b', 0],
      ['12.0', 'q', 2],
    ];
    const name = (address: string, datatype: string) => `${datatype} ${address}`;
    const samples = expected.map(([index, datatype]) => {
      return { name: name(index, datatype), address: at(index), datatype };
    });
    const own = [
      { name: 'descr', address: 'sysDescr.0', datatype: 's' as const },
      { name: 'load', address: 'UCD-SNMP-MIB::laLoadFloat.1', datatype: 'd' as const },
      { name: 'load as text', address: 'laLoad.1', datatype: 'd' as const },
      { name: 'no object', address: '1.3.6.1.4.1.99999.1.0', datatype: 'i' as const },
      { name: 'no instance', address: 'sysUpTime.7', datatype: 'i' as const },
      { name: 'no agent', address: 'other/sysUpTime.0', datatype: 'l' as const },
    ];
    const running = await started(t, base(), [...samples, ...own]);
    for (const [index, datatype, value] of expected) {
      const reading = await running.until(name(index, datatype), () => true);
      const wanted = value === none ? [undefined, quality.bad.sensorFailure] : [value, quality.good];
      assert.deepEqual([reading.value, reading.quality], wanted, name(index, datatype));
    }
    assert.match(String((await running.until('descr', ({ value }) => value !== undefined)).value), /Linux/);
    assert.ok(Number((await running.until('load', ({ value }) => value !== undefined)).value) > 0);
    assert.equal((await running.until('load as text', () => true)).quality, quality.good);
    for (const missing of ['no object', 'no instance', 'no agent']) {
      assert.equal((await running.until(missing, () => true)).quality, quality.bad.configurationError, missing);
    }
    const trace = running.connector.explain?.(running.point('i 1.0'));
    assert.equal(trace?.raw, 'INTEGER d6');
    assert.equal(trace?.value, -42);
    assert.match(trace?.request ?? '', /^GET 1\.3\.6\.1\.4\.1\.8072.* among /);
    assert.match(running.connector.explain?.(running.point('no object'))?.error ?? '', /noSuchObject/);
  });

  test('reads sixty rows with GETBULK in two requests, a missing row bad alone, the same as with GET', async (t) => {
    const rows = Array.from({ length: 60 }, (_, row) => ({
      name: `row ${row + 1}`,
      address: at(`20.${row + 1}`),
      datatype: 'l' as const,
    }));
    for (const [bulk, requestsAtOnce] of [
      ['true', '1'],
      ['false', '1'],
      ['false', '4'],
    ] as const) {
      const running = await started(t, { ...base(), bulk, requestsAtOnce, scanPeriodMs: '3600000' }, rows);
      for (const [row, { name }] of rows.entries()) {
        const { value, quality: q } = await running.until(name, () => true);
        const wanted = row === 9 ? [undefined, quality.bad.configurationError] : [BigInt(1000 + row), quality.good];
        assert.deepEqual([value, q], wanted, name);
      }
      assert.equal(running.connector.detail?.().scanGroups?.[0]?.requests, 2);
      const trace = running.connector.explain?.(running.point('row 5'));
      assert.match(trace?.request ?? '', bulk === 'true' ? /^GETBULK/ : /^GET /);
    }
  });

  test('follows a value that changes, and stamps it with the time of the server', async (t) => {
    const running = await started(t, base(), [{ name: 'x', address: at('3.0'), datatype: 'l' }]);
    await running.until('x', ({ value }) => value === 3000000000n);
    const beforeUs = Date.now() * 1000;
    peer.set(at('3.0'), '7');
    const { timeUs } = await running.until('x', ({ value }) => value === 7n);
    peer.set(at('3.0'), '3000000000');
    assert.ok(timeUs >= beforeUs);
  });

  test('sets objects, and hands on what the agent says to it', async (t) => {
    const commands = [
      { name: 'integer', address: at('1.0'), datatype: 'i' as const },
      { name: 'gauge', address: `${at('3.0')}:unsigned`, datatype: 'd' as const },
      { name: 'text', address: at('7.0'), datatype: 's' as const },
      { name: 'truth', address: `${at('12.0')}:truth`, datatype: 'b' as const },
      { name: 'wrong type', address: `${at('1.0')}:text`, datatype: 'i' as const },
      { name: 'read only', address: at('2.0'), datatype: 'i' as const },
      { name: 'nothing', address: at('77.0'), datatype: 'i' as const },
    ];
    const running = await started(t, base(), [], commands);
    await running.write('integer', 17);
    await running.write('gauge', 2000000000);
    await running.write('text', 'on duty');
    await running.write('truth', true);
    assert.deepEqual(
      ['1.0', '3.0', '7.0', '12.0'].map((index) => peer.get(at(index))),
      ['17', '2000000000', 'on duty', '1'],
    );
    await assert.rejects(running.write('gauge', 0.5), { name: 'refused', message: /not a whole number/ });
    await assert.rejects(running.write('gauge', -1), { name: 'refused', message: /out of range/ });
    await assert.rejects(running.write('wrong type', 5), { name: 'refused', message: /wrongType/ });
    await assert.rejects(running.write('read only', 5), { name: 'refused', message: /notWritable/ });
    await assert.rejects(running.write('nothing', 5), { name: 'refused', message: /notWritable|noCreation/ });
    await assert.rejects(running.write('integer', 666), { name: 'refused', message: /wrongValue/ });
    peer.set(at('1.0'), '-42');
    peer.set(at('3.0'), '3000000000');
    peer.set(at('7.0'), 'ready');
    peer.set(at('12.0'), '2');
  });

  test('refuses a write that the community may not', async (t) => {
    const running = await started(
      t,
      { ...base(), community: 'reading' },
      [],
      [{ name: 'x', address: at('1.0'), datatype: 'i' }],
    );
    await assert.rejects(running.write('x', 1), { name: 'refused', message: /noAccess/ });
    assert.equal(peer.get(at('1.0')), '-42');
  });

  for (const { name, auth, priv, vars } of ciphers) {
    test(`speaks version 3 with ${auth} and ${priv}, reads and sets`, async (t) => {
      const keys = { authKey: 'first key', privKey: 'second key' };
      const running = await started(
        t,
        { ...base(), version: '3', user: name, ...vars, ...keys },
        [{ name: 'x', address: at('11.0'), datatype: 'd' }],
        [{ name: 'w', address: at('1.0'), datatype: 'i' }],
      );
      await running.until('x', ({ value, quality: q }) => value === 21.5 && q === quality.good);
      await running.write('w', 23);
      assert.equal(peer.get(at('1.0')), '23');
      peer.set(at('1.0'), '-42');
    });
  }

  test('speaks version 3 that is only signed, and version 3 without any security', async (t) => {
    const point = { name: 'x', address: at('11.0'), datatype: 'd' as const };
    const signed = { version: '3', user: 'signing', securityLevel: 'authNoPriv', authKey: 'first key' };
    const running = await started(t, { ...base(), ...signed }, [point]);
    await running.until('x', ({ value }) => value === 21.5);
    const open = await started(t, { ...base(), version: '3', user: 'nobody', securityLevel: 'noAuthNoPriv' }, [point]);
    await open.until('x', ({ value }) => value === 21.5);
  });

  test('says what is wrong where the agent does not take the user', async () => {
    const wrong = [
      [{ user: 'stranger', authKey: 'first key', privKey: 'second key' }, /does not know the user/],
      [{ user: 'u4', authKey: 'wrong key!', privKey: 'second key' }, /signature wrong/],
      [{ user: 'signing', authKey: 'first key', privKey: 'second key' }, /level of security|user/],
    ] as const;
    for (const [vars, message] of wrong) {
      const running = new RunningConnector({ ...base(), version: '3', timeoutMs: '300', ...vars });
      running.setPoints([{ name: 'x', address: at('11.0'), datatype: 'd' }]);
      await assert.rejects(running.start(), { name: 'NotConnected', message });
      await running.stop();
    }
  });

  test('shows what the agent has, as points that can be taken as they are', async (t) => {
    const running = await started(t, base(), []);
    const browse = (path?: string, cursor?: string, limit = 25) =>
      running.connector.browse?.({ path, cursor, limit }, new AbortController().signal) ?? assert.fail();
    const top = await browse();
    assert.ok(top.items.some(({ path, title }) => path === '1.3.6.1.2.1.1' && title.startsWith('system')));
    const system = await browse('1.3.6.1.2.1.1', undefined, 3);
    assert.deepEqual(
      system.items.map(({ measurement }) => [measurement?.name, measurement?.address, measurement?.datatype]),
      [
        ['sysDescr_0', 'sysDescr.0', 's'],
        ['sysObjectID_0', 'sysObjectID.0', 's'],
        ['sysUpTime_0', 'sysUpTime.0', 'l'],
      ],
    );
    const rest = await browse('1.3.6.1.2.1.1', system.cursor, 2);
    assert.deepEqual(rest.items[0]?.command?.address, 'sysContact.0');
    const enterprises = await browse('1.3.6.1.4.1');
    assert.ok(enterprises.items.some(({ path }) => path === '1.3.6.1.4.1.8072'));
    const all: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await browse(peerBase, cursor, 30);
      all.push(...page.items.map(({ measurement }) => `${measurement?.address} ${measurement?.datatype}`));
      cursor = page.cursor;
      if (cursor === undefined) break;
    }
    assert.equal(all.length, 12 + 59);
    assert.equal(new Set(all).size, all.length);
    assert.ok(all.includes(`${at('8.0')}:hex s`) && all.includes(`${at('11.0')} d`) && all.includes(`${at('6.0')} l`));
    await assert.rejects(browse('noSuchName'), { name: 'Refused' });
  });

  test('asks a second agent though the first is silent, and turns only the first one’s points bad', async (t) => {
    const silent = await SnmpdPeer.start({ objects: [{ oid: at('1.0'), type: 'integer', value: '5' }] });
    t.after(() => silent.stop());
    const hosts = `one=127.0.0.1:${silent.port}, two=127.0.0.1:${peer.port}`;
    const running = await started(t, { ...base(), hosts, timeoutMs: '200' }, [
      { name: 'one', address: `one/${at('1.0')}`, datatype: 'i' },
      { name: 'two', address: `two/${at('1.0')}`, datatype: 'i' },
      { name: 'which', address: at('1.0'), datatype: 'i' },
    ]);
    await running.until('one', ({ value }) => value === 5);
    await running.until('two', ({ value }) => value === -42);
    await running.until('which', (reading) => reading.quality === quality.bad.configurationError);
    silent.process.freeze();
    await running.until('one', (reading) => reading.quality === quality.bad.communicationFailure);
    assert.match(running.connector.explain?.(running.point('one'))?.error ?? '', /no answer within 200 ms/);
    assert.equal(running.readings.get('two')?.quality, quality.good);
    const states = running.connector.detail?.().devices?.map(({ name, isUp }) => [name, isUp]);
    assert.deepEqual(states, [
      ['one', false],
      ['two', true],
    ]);
    silent.process.thaw();
    await running.until('one', (reading) => reading.quality === quality.good);
  });

  test('finds an agent of version 3 again that was started again, as itself or as another', async (t) => {
    const users = [{ name: 'u4', auth: 'SHA-256', authKey: 'first key', priv: 'AES', privKey: 'second key' }];
    const objects = [{ oid: at('1.0'), type: 'integer', value: '5' }];
    let other = await SnmpdPeer.start({ users, objects, engine: { id: '80001f88040a0b0c', boots: 7 } });
    t.after(() => other.stop());
    const { port } = other;
    const keys = { version: '3', user: 'u4', authKey: 'first key', privKey: 'second key' };
    // The other one keeps the link up meanwhile: nothing is begun again for it.
    const hosts = `a=127.0.0.1:${port}, b=127.0.0.1:${peer.port}`;
    const running = await started(t, { ...base(), hosts, timeoutMs: '300', ...keys }, [
      { name: 'x', address: `a/${at('1.0')}`, datatype: 'i' },
      { name: 'y', address: `b/${at('11.0')}`, datatype: 'd' },
    ]);
    let expected = 5;
    for (const engine of [
      { id: '80001f88040a0b0c', boots: 9 },
      { id: '80001f88040a0b0c', boots: 2 },
      { id: '80001f88040d0e0f', boots: 1 },
    ]) {
      await running.until('x', ({ value, quality: q }) => value === expected && q === quality.good);
      expected++;
      await other.stop();
      const value = `${expected}`;
      other = await SnmpdPeer.start({ users, objects: objects.map((each) => ({ ...each, value })), engine, port });
    }
    await running.until('x', ({ value, quality: q }) => value === expected && q === quality.good);
  });
});
