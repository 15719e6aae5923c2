// The provider before the tools of net-snmp.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { quality } from '@telltale/schema';
import { type WriteResult, written } from '@telltale/stack-kit';
import { missingPeers, until } from '@telltale/stack-kit/testing';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { encodeCommunityMessage } from '../src/message.ts';
import { encodePdu, encodeVarbinds, pduType } from '../src/pdu.ts';
import { encodeValue } from '../src/snmp-value.ts';
import stack from '../src/stack.ts';
import { base, RunningProvider, type Served, tool, operator as user, operatorFlags as v3 } from './running-provider.ts';

const skip = missingPeers('snmpget', 'snmpset', 'snmpwalk', 'snmpbulkwalk') ?? false;
const communities = { community: 'reading', writeCommunity: 'writing' };

describe('before the tools of net-snmp', { skip }, () => {
  test('serves every datatype with its quality, time and name', async (t) => {
    const measurements = [
      { address: '1.0', datatype: 'b' as const, value: true, said: 'INTEGER: 1' },
      { address: '2.0:truth', datatype: 'b' as const, value: false, said: 'INTEGER: 2' },
      { address: '3.0', datatype: 'q' as const, value: 3, said: 'INTEGER: 3' },
      { address: '4.0', datatype: 'i' as const, value: -2147483648, said: 'INTEGER: -2147483648' },
      { address: '5.0', datatype: 'l' as const, value: 2n ** 63n - 1n, said: 'Counter64: 9223372036854775807' },
      { address: '6.0:text', datatype: 'l' as const, value: -(2n ** 63n), said: 'STRING: "-9223372036854775808"' },
      { address: '7.0:counter32', datatype: 'l' as const, value: 2n ** 32n + 5n, said: 'Counter32: 5' },
      { address: '8.0:unsigned', datatype: 'd' as const, value: 3e9 + 0.4, said: 'Gauge32: 3000000000' },
      { address: '9.0', datatype: 'f' as const, value: Math.fround(0.1), said: 'STRING: "0.1"' },
      { address: '10.0', datatype: 'd' as const, value: 1e-7, said: 'STRING: "0.0000001"' },
      { address: '11.0:float', datatype: 'f' as const, value: 1.5, said: 'Opaque: Float: 1.500000' },
      { address: '12.0:timeticks', datatype: 'l' as const, value: 100n, said: 'Timeticks: (100) 0:00:01.00' },
      { address: '13.0', datatype: 's' as const, value: 'open', said: 'STRING: "open"' },
    ];
    const running = await RunningProvider.start(communities, measurements);
    t.after(() => running.stop());
    for (const { address, value } of measurements) running.publish(address, value);
    for (const { address, said } of measurements) {
      const index = address.split(':')[0];
      const oids = [1, 2, 3, 4].map((column) => `${base}.${column}.${index}`);
      const lines = (await running.ask('get', ...oids)).trim().split('\n');
      assert.deepEqual(lines, [
        `.${oids[0]} = ${said}`,
        `.${oids[1]} = Gauge32: 192`,
        `.${oids[2]} = STRING: "2023-11-14T22:13:20.123456Z"`,
        `.${oids[3]} = STRING: "point_${measurements.findIndex((each) => each.address === address)}"`,
      ]);
    }
  });

  test('shows no value of bad quality, unless that is asked for, and always the quality', async (t) => {
    for (const badQuality of ['noSuchInstance', 'lastValue']) {
      const running = await RunningProvider.start({ ...communities, badQuality }, [{ address: '1.0', datatype: 'd' }]);
      t.after(() => running.stop());
      const both = () => running.ask('get', `${base}.1.1.0`, `${base}.2.1.0`);
      assert.match(await both(), /No Such Instance[\s\S]*Gauge32: 8\n/);
      running.publish('1.0', 21.5);
      assert.match(await both(), /"21.5"[\s\S]*Gauge32: 192\n/);
      running.publish('1.0', undefined, quality.bad.communicationFailure);
      assert.match(await both(), badQuality === 'lastValue' ? /"21.5"[\s\S]*: 24\n/ : /No Such Instance[\s\S]*: 24\n/);
    }
  });

  test('has no value of a command that was never written, whatever is shown of bad ones', async (t) => {
    for (const badQuality of ['noSuchInstance', 'lastValue']) {
      const variables = { ...communities, badQuality };
      const running = await RunningProvider.start(variables, [], [{ address: '1.0', datatype: 'i' }]);
      t.after(() => running.stop());
      running.publish('1.0', 7);
      assert.match(await running.ask('walk', `${base}.1`), /INTEGER: 7\n/);
      running.publish('1.0', 0, quality.bad.notConnected, 0);
      assert.match(await running.ask('get', `${base}.1.1.0`, `${base}.2.1.0`), /No Such Instance[\s\S]*Gauge32: 8\n/);
      assert.doesNotMatch(await running.ask('walk', `${base}.1`), /INTEGER/);
    }
  });

  test('goes on serving what it has of a point when others come', async (t) => {
    const points: Served[] = [{ address: '1.0', datatype: 'd' }];
    const running = await RunningProvider.start(communities, points);
    t.after(() => running.stop());
    running.publish('1.0', 21.5);
    running.setPoints([...points, { address: '2.0', datatype: 'd' }]);
    assert.match(await running.ask('get', `${base}.1.1.0`, `${base}.2.1.0`), /"21.5"[\s\S]*Gauge32: 192\n/);
    running.setPoints([{ address: '1.0', datatype: 'i' }]);
    assert.match(await running.ask('get', `${base}.1.1.0`, `${base}.2.1.0`), /No Such Instance[\s\S]*Gauge32: 8\n/);
  });

  test('is walked in order, by GETNEXT and by GETBULK alike, a thousand rows and more', async (t) => {
    const rows = Array.from({ length: 1500 }, (_, row) => ({ address: `7.${row + 1}`, datatype: 'i' as const }));
    const running = await RunningProvider.start(communities, [...rows].reverse());
    t.after(() => running.stop());
    for (const [row, { address }] of rows.entries()) running.publish(address, row);
    const walked = await running.ask('bulkwalk', `${base}.1`);
    assert.equal(walked.trim().split('\n').length, 1500);
    assert.match(walked, new RegExp(`\\.${base.replaceAll('.', '\\.')}\\.1\\.7\\.1500 = INTEGER: 1499\n`));
    assert.equal(await running.ask('walk', `${base}.1.7`), walked);
    assert.match(await running.ask('walk', '1.3.6.1.2.1.1'), /STRING: "Telltale"[\s\S]*"tested"[\s\S]*INTEGER: 72\n/);
    assert.equal((await running.ask('bulkwalk', '1.3.6.1')).split(' = ').length - 2, 4 * 1500 + 7 + 4 + 6);
    assert.match(await running.ask('get', `${base}.1.7.9999`), /No Such Instance/);
    assert.match(await running.ask('get', '1.3.6.1.4.1.99999.1.0'), /No Such Object/);
    assert.match(await running.ask('getnext', '2.5'), /No more variables|past the end/);
    assert.equal(running.provider.detail?.().clients, 1);
  });

  test('serves version 1: what it cannot show is skipped, and errors are those that it has', async (t) => {
    const running = await RunningProvider.start(
      communities,
      [
        { address: '1.0', datatype: 'i' },
        { address: '2.0', datatype: 'l' },
        { address: '3.0', datatype: 's' },
      ],
      [{ address: '20.0', datatype: 'i' }],
    );
    t.after(() => running.stop());
    running.publish('1.0', 5);
    running.publish('2.0', 6n);
    running.publish('3.0', 'text');
    const v1 = (command: string, community: string, ...args: readonly string[]) =>
      tool(`snmp${command}`, ['-v1', '-c', community, '-On', '-t', '2', '-r', '0', running.place, ...args]);
    const walked = await v1('walk', 'reading', `${base}.1`);
    assert.deepEqual(walked.trim().split('\n'), [`.${base}.1.1.0 = INTEGER: 5`, `.${base}.1.3.0 = STRING: "text"`]);
    // net-snmp asks again without the object that is blamed.
    await assert.rejects(
      v1('get', 'reading', `${base}.1.1.0`, `${base}.1.2.0`),
      /1\.1\.0 = INTEGER: 5\n[\s\S]*noSuchName[\s\S]*1\.2\.0/,
    );
    await v1('set', 'writing', `${base}.1.20.0`, 'i', '9');
    await assert.rejects(v1('set', 'writing', `${base}.1.20.0`, 's', 'nine'), /badValue/);
    await assert.rejects(v1('set', 'reading', `${base}.1.20.0`, 'i', '9'), /noSuchName/);
    assert.deepEqual(running.writes, [['20.0', 9]]);
  });

  test('serves several accounts, each with its own right to write', async (t) => {
    const accounts = [
      'panel: community=panel mayWrite=true',
      'joe: user=joe authKey="joe\'s first" privKey="joe\'s second" mayWrite=on',
      'ann: user=ann securityLevel=authNoPriv authKey="ann\'s first"',
    ].join(';');
    const running = await RunningProvider.start({ accounts }, [], [{ address: '20.0', datatype: 'i' }]);
    t.after(() => running.stop());
    const to = ['-On', '-t', '2', '-r', '0', running.place];
    const set = (value: number, ...as: readonly string[]) =>
      tool('snmpset', [...as, ...to, `${base}.1.20.0`, 'i', `${value}`]);
    const joe = ['-v3', '-u', 'joe', '-l', 'authPriv', '-a', 'SHA-256', '-A', "joe's first", '-x', 'AES', '-X'];
    await set(1, '-v2c', '-c', 'panel');
    await set(2, ...joe, "joe's second");
    const ann = ['-v3', '-u', 'ann', '-l', 'authNoPriv', '-a', 'SHA-256', '-A', "ann's first"];
    await assert.rejects(set(3, ...ann), /noAccess/);
    await assert.rejects(set(4, ...ann.with(2, 'joe')), /unsupported|level|authorization|Timeout/i);
    await assert.rejects(set(5, ...ann.with(2, 'eve')), /Unknown user name/);
    assert.deepEqual(
      running.writes.map(([, value]) => value),
      [1, 2],
    );
    assert.match(await tool('snmpget', [...ann, ...to, '1.3.6.1.2.1.1.1.0']), /Telltale/);
  });

  test('writes commands, and says no in the words of the standard', async (t) => {
    const commands = [
      { address: '1.0', datatype: 'i' as const },
      { address: '2.0:truth', datatype: 'b' as const },
      { address: '3.0', datatype: 'd' as const },
      { address: '4.0', datatype: 's' as const },
      { address: '5.0', datatype: 'l' as const },
      { address: '6.0', datatype: 'q' as const },
      { address: '7.0', datatype: 'i' as const },
      { address: '8.0', datatype: 'i' as const },
      { address: '10.0', datatype: 'i' as const },
    ];
    const writes: [string, unknown][] = [];
    const running = await RunningProvider.start(communities, [{ address: '9.0', datatype: 'i' }], commands, {
      write: async ({ address }, value) => {
        if (address === '7.0') return written.refused('interlock open');
        if (address === '8.0') return written.unknown('no answer, the device may have it');
        if (address === '10.0') return written.notSent('the connector is down');
        writes.push([address, value]);
        return written.accepted;
      },
    });
    t.after(() => running.stop());
    const at = (index: string) => `${base}.1.${index}`;
    await running.set(at('1.0'), 'i', '-5');
    await running.set(at('2.0'), 'i', '2');
    await running.set(at('3.0'), 's', '21.25');
    await running.set(at('3.0'), 'F', '1.5');
    await running.set(at('4.0'), 's', 'größer');
    await running.set(at('5.0'), 's', '9223372036854775807');
    await running.set(at('6.0'), 'i', '3', at('1.0'), 'i', '6');
    assert.deepEqual(writes, [
      ['1.0', -5],
      ['2.0:truth', false],
      ['3.0', 21.25],
      ['3.0', 1.5],
      ['4.0', 'größer'],
      ['5.0', 9223372036854775807n],
      ['6.0', 3],
      ['1.0', 6],
    ]);
    writes.length = 0;
    await assert.rejects(running.set(at('9.0'), 'i', '1'), /notWritable/);
    await assert.rejects(running.set(at('77.0'), 'i', '1'), /notWritable/);
    await assert.rejects(running.set(at('1.0'), 's', 'five'), /wrongType/);
    await assert.rejects(running.set(at('1.0'), 'u', '4000000000'), /wrongValue/);
    await assert.rejects(running.set(at('2.0'), 'i', '3'), /wrongValue/);
    await assert.rejects(running.set(at('3.0'), 's', 'warm'), /wrongValue/);
    await assert.rejects(running.set(at('4.0'), 'x', 'ff'), /wrongEncoding/);
    await assert.rejects(running.set(at('7.0'), 'i', '1'), /inconsistentValue/);
    await assert.rejects(running.set(at('8.0'), 'i', '1'), /undoFailed/);
    await assert.rejects(running.set(at('10.0'), 'i', '1'), /resourceUnavailable/);
    await assert.rejects(running.set(at('1.0'), 'i', '8', at('9.0'), 'i', '1'), /notWritable/);
    assert.deepEqual(writes, []);
    await assert.rejects(running.set(at('1.0'), 'i', '9', at('7.0'), 'i', '1'), /undoFailed/);
    await assert.rejects(
      tool('snmpset', ['-v2c', '-c', 'reading', '-On', '-t', '2', '-r', '0', running.place, at('1.0'), 'i', '1']),
      /noAccess/,
    );
    assert.deepEqual(writes, [['1.0', 9]]);
    assert.ok(running.logged.some((line) => line.includes('interlock open')));
  });

  test('carries out a write once, however often the client sends it', async (t) => {
    const writing = Promise.withResolvers<WriteResult>();
    let writes = 0;
    const running = await RunningProvider.start(communities, [], [{ address: '1.0', datatype: 'i' }], {
      write: () => {
        writes++;
        return writing.promise;
      },
    });
    t.after(() => running.stop());
    const socket = createSocket('udp4');
    t.after(() => socket.close());
    socket.connect(running.port, '127.0.0.1');
    await once(socket, 'connect');
    const varbinds = encodeVarbinds([encodeValue(`${base}.1.1.0`, 5, 'integer')]);
    const pdu = encodePdu({ type: pduType.set, requestId: 77, errorStatus: 0, errorIndex: 0 }, varbinds);
    const bytes = encodeCommunityMessage('2c', Buffer.from('writing'), pdu);
    const answers: Buffer[] = [];
    socket.on('message', (answer) => answers.push(answer));
    for (let sent = 0; sent < 3; sent++) socket.send(bytes);
    await until('it is written', () => writes > 0);
    writing.resolve(written.accepted);
    await until('it is answered', () => answers.length === 1);
    socket.send(bytes);
    await until('it is answered again', () => answers.length === 2);
    assert.equal(writes, 1);
    assert.deepEqual(answers[0], answers[1]);
  });

  test('serves version 3, keeps its identity across restarts, and turns away whoever is not the user', async (t) => {
    const folder = temporaryFolder(t);
    const point = [{ address: '1.0', datatype: 'i' as const }];
    const first = await RunningProvider.start(user, [], point, { folder });
    const options = ['-On', '-t', '2', '-r', '0'];
    first.publish('1.0', 7);
    const oid = `${base}.1.1.0`;
    assert.match(await tool('snmpget', [...v3, ...options, first.place, oid]), /INTEGER: 7/);
    await tool('snmpset', [...v3, ...options, first.place, oid, 'i', '8']);
    assert.deepEqual(first.writes, [['1.0', 8]]);
    const wrong = (from: string, to: string) => v3.map((word) => (word === from ? to : word));
    const get = (args: readonly string[]) => tool('snmpget', [...args, ...options, first.place, oid]);
    await assert.rejects(get(wrong('operator', 'stranger')), /Unknown user name/);
    await assert.rejects(get(wrong('first key', 'wrong key')), /Authentication failure/);
    await assert.rejects(get(wrong('second key', 'wrong key!')), /Decryption error|Timeout/);
    await assert.rejects(get(wrong('authPriv', 'authNoPriv')), /Unsupported security level/);
    await assert.rejects(get(wrong('authPriv', 'noAuthNoPriv')), /Unsupported security level/);
    await assert.rejects(first.ask('get', oid), /Timeout/);
    const counts = await tool('snmpwalk', [...v3, ...options, first.place, '1.3.6.1.6.3.15.1.1']);
    assert.match(counts, /15\.1\.1\.3\.0 = Counter32: 1\n/);
    assert.match(counts, /15\.1\.1\.5\.0 = Counter32: 1\n/);
    const engine = await tool('cat', [join(folder, 'snmp-engine.json')]);
    await first.stop();
    const second = await RunningProvider.start(user, [], point, { folder });
    const again = JSON.parse(await tool('cat', [join(folder, 'snmp-engine.json')]));
    await second.stop();
    assert.equal(again.engineId, JSON.parse(engine).engineId);
    assert.equal(again.boots, JSON.parse(engine).boots + 1);
  });

  test('speaks each hash and each cipher of version 3', async (t) => {
    const pairs = [
      ['md5', 'des', 'MD5', 'DES'],
      ['sha', 'aes', 'SHA', 'AES'],
      ['sha224', 'aes256', 'SHA-224', 'AES-256'],
      ['sha384', 'aes256c', 'SHA-384', 'AES-256-C'],
      ['sha512', 'aes256', 'SHA-512', 'AES-256'],
    ] as const;
    for (const [authProtocol, privProtocol, auth, priv] of pairs) {
      const running = await RunningProvider.start({ ...user, authProtocol, privProtocol });
      t.after(() => running.stop());
      const args = v3.map((word) => (word === 'SHA-256' ? auth : word === 'AES' ? priv : word));
      const said = await tool('snmpbulkwalk', [...args, '-On', '-t', '2', '-r', '0', running.place, '1.3.6.1.2.1.1']);
      assert.match(said, /"Telltale"/, `${auth} ${priv}`);
    }
  });
});

test('a port that somebody has is reported, and left alone', async (t) => {
  const socket = createSocket('udp4');
  t.after(() => socket.close());
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const port = `${socket.address().port}`;
  const message = /cannot listen on 127\.0\.0\.1 port [0-9]+: .*EADDRINUSE/;
  await assert.rejects(RunningProvider.start({ ...communities, port }), { name: 'NotConnected', message });
});

test('nobody is served beyond the machine unless it is said who', () => {
  const faults = (vars: Readonly<Record<string, string>>) =>
    stack.provider?.readVariables(vars).faults.map(({ field }) => field);
  assert.deepEqual(faults({}), ['community']);
  assert.deepEqual(faults({ community: 'x' }), []);
  assert.deepEqual(faults({ community: 'x', host: '0.0.0.0' }), ['allowedClients']);
  assert.deepEqual(faults({ community: 'x', host: '0.0.0.0', allowedClients: '10.0.0.0/8' }), []);
  assert.deepEqual(faults({ ...user, host: '0.0.0.0' }), []);
  assert.deepEqual(faults({ ...user, host: '0.0.0.0', securityLevel: 'authNoPriv' }), ['allowedClients']);
  assert.deepEqual(faults({ ...user, privKey: 'short' }), ['privKey']);
  assert.deepEqual(faults({ community: 'x', baseOid: '1.3.6.1.2.1' }), ['baseOid']);
});
