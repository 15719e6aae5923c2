// The connector against a server in a process of its own.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Datatype, quality, systemClock, type Value } from '@telltale/schema';
import { HostedConnector, until } from '@telltale/stack-kit/testing';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { CertificateFolder } from '../src/certificate-folder.ts';
import stack from '../src/stack.ts';
import { UaBench } from './ua-bench.ts';
import { UaDevice } from './ua-device.ts';

const { address } = UaDevice;

describe('a connector', () => {
  let device: UaDevice;
  before(async () => {
    device = await UaDevice.start();
  });
  after(() => device.stop());

  async function running(
    points: Parameters<UaBench['setPoints']>[0],
    variables: Record<string, string>,
    use: (bench: UaBench) => Promise<void>,
    clock = systemClock,
  ) {
    await new UaBench(device, variables, clock).running(points, use);
  }

  test('reads and writes every type that a point has a datatype for, exactly', async () => {
    const cases: [string, Datatype, Value, (number | bigint | string)?][] = [
      ['Open', 'b', true, 1],
      ['AnySByte', 'i', -128],
      ['AnyByte', 'q', 3],
      ['AnyInt16', 'i', -32768],
      ['AnyUInt16', 'i', 65535],
      ['Count', 'i', -(2 ** 31)],
      ['AnyUInt32', 'l', 4294967295n],
      ['Total', 'l', -9007199254740993n],
      ['AnyUInt64', 'l', 9223372036854775807n],
      ['AnyFloat', 'f', 0.10000000149011612],
      ['Level', 'd', 0.1],
      ['Label', 's', 'läuft'],
      ['AnyDateTime', 's', '2026-05-01T12:00:00.123456Z'],
      ['AnyGuid', 's', '09087e75-8e5e-499b-954f-f2a9603db28a'],
      ['AnyByteString', 's', '00ff7f'],
      ['AnyLocalizedText', 's', 'running'],
    ];
    const points = Object.fromEntries(cases.map(([node, datatype]) => [node, { datatype }]));
    await running(points, {}, async (bench) => {
      for (const [node, datatype, value] of cases) await bench.write(node, datatype, value);
      for (const [node, , value, read] of cases) await bench.reads(node, read ?? (value as string), quality.good);
    });
  });

  test('reads one element of an array or a matrix, and writes it alone', async () => {
    const points = {
      first: { datatype: 'd' as const, node: 'Temperatures;[0]' },
      third: { datatype: 'd' as const, node: 'Temperatures;[2]' },
      whole: { datatype: 'd' as const, node: 'Temperatures' },
      beyond: { datatype: 'd' as const, node: 'Temperatures;[9]' },
      ofMatrix: { datatype: 'd' as const, node: 'Grid;[1,2]' },
    };
    await running(points, {}, async (bench) => {
      await bench.reads('third', 3);
      await bench.write('Temperatures;[2]', 'd', 7.5);
      await bench.reads('third', 7.5);
      assert.equal(bench.readings.get('first')?.value, 1);
      await bench.has('whole', quality.bad.configurationError);
      await bench.has('beyond', quality.bad.configurationError);
      assert.deepEqual(await device.order({ kind: 'get', node: address('Temperatures') }), [1, 2, 7.5, 4]);
      await bench.reads('ofMatrix', 6);
      await bench.write('Grid;[1,2]', 'd', 8.5);
      await bench.reads('ofMatrix', 8.5);
      assert.deepEqual(await device.order({ kind: 'get', node: address('Grid') }), [1, 2, 3, 4, 5, 8.5]);
    });
  });

  test('brings the status of a value as a quality, and the time of its source', async () => {
    await running({ Flow: { datatype: 'd' } }, {}, async (bench) => {
      await bench.reads('Flow', 7, quality.good);
      const at = new Date(Date.now() - 5000);
      const status = (value: string) => device.order({ kind: 'status', node: address('Flow'), value, type: at });
      await status('UncertainSensorNotAccurate');
      const { timeUs, value } = await bench.has('Flow', quality.uncertain.sensorNotAccurate);
      assert.deepEqual([timeUs, value], [at.getTime() * 1000, 7]);
      await status('BadSensorFailure');
      assert.equal((await bench.has('Flow', quality.bad.sensorFailure)).value, undefined);
      assert.match(bench.connector.explain?.({ id: 0 } as never)?.error ?? '', /BadSensorFailure/);
      await status('Good');
      await bench.reads('Flow', 7, quality.good);
    });
  });

  test('does not take the times of a server whose clock is wrong', async () => {
    const use = async (bench: UaBench) => {
      const { timeUs } = await bench.has('Level', quality.uncertain.nonSpecific);
      assert.ok(timeUs > (Date.now() + 3_500_000) * 1000, 'the time of the reading is that of the connector');
    };
    const ahead = { ...systemClock, now: () => systemClock.now() + 3_600_000_000 };
    await running({ Level: { datatype: 'd' } }, {}, use, ahead);
  });

  test('knows a namespace by its URI, and turns points of unknown ones bad', async () => {
    const points = {
      known: { datatype: 'd' as const, address: 'nsu=urn:telltale:test-device;s=Flow' },
      unknown: { datatype: 'd' as const, address: 'nsu=urn:nobody;s=Flow' },
    };
    await running(points, {}, async (bench) => {
      await bench.reads('known', 7);
      await bench.has('unknown', quality.bad.configurationError);
      assert.match(bench.connector.explain?.({ id: 1 } as never)?.error ?? '', /no namespace urn:nobody/);
    });
  });

  test('leaves a deadband to the server, and does without where the node can have none', async () => {
    const points = { Setpoint: { datatype: 'd' as const }, Label: { datatype: 's' as const } };
    await device.order({ kind: 'set', node: address('Setpoint'), value: 100 });
    await running(points, { deviceDeadband: '5' }, async (bench) => {
      await bench.reads('Setpoint', 100);
      await device.order({ kind: 'set', node: address('Setpoint'), value: 102 });
      await device.order({ kind: 'set', node: address('Label'), value: 'seen' });
      await bench.reads('Label', 'seen');
      await device.order({ kind: 'set', node: address('Setpoint'), value: 200 });
      await bench.reads('Setpoint', 200);
      assert.equal(bench.values.get('Setpoint')?.length, 2);
    });
  });

  test('says what type a node takes where a value does not fit, and sends nothing', async () => {
    await running({}, {}, async (bench) => {
      await assert.rejects(bench.write('Speed', 'd', 1.5), {
        name: 'Refused',
        message: /type Int32 and takes a whole/,
      });
      await assert.rejects(bench.write('Nowhere', 'd', 1.5), { name: 'Refused', message: /BadNodeIdUnknown/ });
      await assert.rejects(bench.write('Locked', 'i', 1), { name: 'Refused', message: /^BadNotWritable: / });
    });
  });

  test('does not call refused what a device behind the server may have', async () => {
    await running({}, {}, async (bench) => {
      await assert.rejects(bench.write('Gateway', 'd', 1.5), { name: 'Error', message: /^BadTimeout: / });
    });
  });

  test('reads by itself where subscriptions are not wanted', async () => {
    const points = { Level: { datatype: 'd' as const }, Nowhere: { datatype: 'd' as const } };
    await running(points, { subscriptions: 'false', scanPeriodMs: '20' }, async (bench) => {
      await device.order({ kind: 'set', node: address('Level'), value: 11.5 });
      await bench.reads('Level', 11.5, quality.good);
      await device.order({ kind: 'set', node: address('Level'), value: 12.5 });
      await bench.reads('Level', 12.5, quality.good);
      await bench.has('Nowhere', quality.bad.configurationError);
      assert.equal(bench.connector.detail?.().scanGroups?.[0]?.periodMs, 20);
      assert.equal(bench.connector.explain?.({ id: 0, properties: {} } as never)?.scanPeriodMs, 20);
    });
  });

  test('monitors thousands of nodes, made in slices', async () => {
    await device.order({ kind: 'many', value: 3000 });
    const names = Array.from({ length: 3000 }, (_, at) => `Item${at}`);
    const points = Object.fromEntries(names.map((name) => [name, { datatype: 'd' as const }]));
    await running(points, {}, async (bench) => {
      await until('all values are there', () => bench.readings.size === 3000);
      for (const [at, name] of names.entries()) assert.equal(bench.readings.get(name)?.value, at);
    });
  });

  test('shows what the server has: folders, variables with unit and access, elements of arrays', async () => {
    await running({}, {}, async ({ connector }) => {
      const { signal } = new AbortController();
      const look = (path?: string, cursor?: string, limit = 100) =>
        connector.browse?.({ path, cursor, limit }, signal) ?? assert.fail();
      const plant = (await look()).items.find(({ title }) => title === 'Plant');
      assert.ok(plant?.path !== undefined && plant.measurement === undefined);
      const { items } = await look(plant.path, undefined, 1000);
      const item = (wanted: string) => items.find(({ title }) => title === wanted) ?? assert.fail(wanted);
      const uri = 'nsu=urn:telltale:test-device';
      const level = { name: 'Level', address: `${uri};s=Level`, datatype: 'd', description: 'Level of the tank' };
      assert.deepEqual(item('Level').measurement, level);
      assert.deepEqual(item('Level').command, level);
      assert.equal(item('Locked').command, undefined);
      assert.equal(item('Flow').measurement?.eu, 'm³/h');
      assert.equal(item('Total').measurement?.datatype, 'l');
      assert.equal(item('Silent').measurement?.datatype, 'f', 'though it has no value yet');
      const elements = await look(item('Temperatures').path, undefined, 3);
      assert.deepEqual(
        elements.items.map(({ measurement }) => measurement?.address),
        [0, 1, 2].map((at) => `${uri};s=Temperatures;[${at}]`),
      );
      assert.equal((await look(item('Temperatures').path, elements.cursor, 3)).items.length, 1);
      const first = await look(plant.path, undefined, 5);
      assert.equal(first.items.length, 5);
      const second = await look(plant.path, first.cursor, 5);
      assert.equal(second.items[0]?.title, items[5]?.title);
      await assert.rejects(look('ns=1;s=Nowhere'), { name: 'Refused', message: /BadNodeIdUnknown/ });
      await assert.rejects(look('nowhere'), { name: 'Refused' });
      await assert.rejects(look(plant.path, 'bm90aGluZw'), { name: 'Refused' });
    });
  });
});

describe('a server that can do less', () => {
  test('monitors what it can, and is read for the rest', async (t) => {
    const device = await UaDevice.start({ maxMonitoredItemsPerSubscription: 2 });
    t.after(() => device.stop());
    const bench = new UaBench(device, { scanPeriodMs: '20' });
    bench.setPoints({
      Level: { datatype: 'd' },
      Flow: { datatype: 'd' },
      Count: { datatype: 'i' },
      Label: { datatype: 's' },
    });
    await bench.start();
    await bench.reads('Flow', 7);
    await device.order({ kind: 'set', node: address('Count'), value: 5 });
    await device.order({ kind: 'set', node: address('Level'), value: 6 });
    await bench.reads('Count', 5, quality.good);
    await bench.reads('Level', 6, quality.good);
    assert.equal(bench.connector.detail?.().scanGroups?.[0]?.points, 2);
    assert.ok(bench.log.some((line) => line.includes('2 points are read instead')));
    assert.equal(await bench.stop(), undefined);
  });
});

describe('a secured link', () => {
  let device: UaDevice;
  before(async () => {
    device = await UaDevice.start();
  });
  after(() => device.stop());

  const named = { securityMode: 'best' };
  const secured = { ...named, userName: 'joe', password: 'secret' };
  const trust = ({ folder }: UaBench) => {
    const [name = assert.fail('nothing was rejected'), ...others] = readdirSync(join(folder, 'rejected'));
    assert.deepEqual(others, []);
    renameSync(join(folder, 'rejected', name), join(folder, 'trusted', name));
  };

  test('is refused while nobody trusts the server, and made when its certificate was moved', async () => {
    const bench = new UaBench(device, secured);
    bench.setPoints({ Flow: { datatype: 'd' } });
    for (let round = 0; round < 2; round++) {
      await assert.rejects(bench.start(), { name: 'NotConnected', message: /BadCertificateUntrusted/ });
      await bench.connector.close();
    }
    assert.match(bench.log.join('\n'), /to trust it, telltale certificates trust [0-9a-f]{16}/);
    trust(bench);
    await bench.start();
    await bench.reads('Flow', 7, quality.good);
    assert.equal(await bench.stop(), undefined);
  });

  for (const [mode, policy] of [
    ['Sign', 'Basic256Sha256'],
    ['SignAndEncrypt', 'Aes128_Sha256_RsaOaep'],
    ['SignAndEncrypt', 'Aes256_Sha256_RsaPss'],
  ] as const) {
    test(`works with ${mode} and ${policy}`, async () => {
      const bench = new UaBench(device, { ...secured, securityMode: mode, securityPolicy: policy });
      await assert.rejects(bench.start(), { name: 'NotConnected' });
      trust(bench);
      bench.setPoints({ Flow: { datatype: 'd' } });
      await bench.start();
      await bench.write('Flow', 'd', 7);
      await bench.reads('Flow', 7, quality.good);
      assert.equal(await bench.stop(), undefined);
    });
  }

  test('reports nobody the password where someone keeps the better security of the server from it', async (t) => {
    // In between: everything that the server offers in the clear is made to look as if it were only signed.
    const between = createServer((socket) => {
      const server = createConnection(device.port, '127.0.0.1');
      t.after(() => server.destroy());
      for (const each of [socket, server]) each.on('error', () => {});
      socket.pipe(server);
      let isClear = false;
      server.on('data', (bytes: Buffer) => {
        isClear ||= bytes.toString('latin1', 0, 3) === 'OPN' && bytes.includes('SecurityPolicy#None');
        socket.write(isClear ? onlySigned(bytes) : bytes);
      });
      server.on('close', () => socket.destroy());
    }).listen(0, '127.0.0.1');
    await once(between, 'listening');
    t.after(() => between.close());
    const { port } = between.address() as AddressInfo;
    const activated = async () => ((await device.order({ kind: 'asked' })) as { activated: number }).activated;
    const before = await activated();
    const bench = new UaBench({ port }, { ...secured, securityPolicy: 'Basic256Sha256' });
    await assert.rejects(bench.start(), { name: 'NotConnected', message: /BadCertificateUntrusted/ });
    trust(bench);
    await assert.rejects(bench.start(), { name: 'NotConnected', message: /tampered with/ });
    assert.equal(await activated(), before);
    await bench.stop();
  });

  test('is open to a user with a certificate, whom the server knows', async () => {
    for (const name of ['joe', 'mallory']) {
      const bench = new UaBench(device, { ...named, userCertificate: `${name}.pem` });
      await assert.rejects(bench.start(), { name: 'NotConnected', message: /BadCertificateUntrusted/ });
      trust(bench);
      await assert.rejects(bench.start(), { name: 'NotConnected', message: /cannot read the certificate of the user/ });
      const folder = join(bench.folder, 'user');
      const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
      const user = new CertificateFolder({
        folder,
        applicationUri: 'urn:user',
        applicationName: name,
        clock: systemClock,
        log,
      });
      await user.initialize();
      renameSync(user.ownFiles.certificate, join(folder, `${name}.pem`));
      renameSync(user.ownFiles.privateKey, join(folder, `${name}.pem.key`));
      bench.setPoints({ Flow: { datatype: 'd' } });
      if (name === 'joe') {
        await bench.start();
        await bench.reads('Flow', 7, quality.good);
      } else await assert.rejects(bench.start(), { name: 'BackOff', message: /refuses the user/ });
      assert.equal(await bench.stop(), undefined);
    }
  });

  test('waits for the certificates that it needs, and comes up by itself when they are there', async (t) => {
    const [folder, made] = [temporaryFolder(t), temporaryFolder(t)];
    const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
    const options = { folder: made, applicationUri: 'urn:user', applicationName: 'joe', clock: systemClock, log };
    const user = new CertificateFolder(options);
    await user.initialize();
    const endpointUrl = `opc.tcp://127.0.0.1:${device.port}`;
    const address = UaDevice.address('Flow');
    const hosted = new HostedConnector({
      role: stack.connector ?? assert.fail(),
      vars: { endpointUrl, ...named, userCertificate: 'joe.pem', publishingIntervalMs: '50', samplingIntervalMs: '20' },
      folder,
      measurements: [{ address, datatype: 'd' }],
    });
    t.after(() => hosted.stop());
    const lacks = (what: RegExp) => until(String(what), () => what.test(hosted.lastError));
    hosted.setPoints();
    await lacks(/BadCertificateUntrusted/);
    for (const name of readdirSync(join(folder, 'rejected'))) {
      renameSync(join(folder, 'rejected', name), join(folder, 'trusted', name));
    }
    await lacks(/cannot read the certificate of the user: ENOENT/);
    mkdirSync(join(folder, 'user'), { recursive: true });
    const { certificate, privateKey } = user.ownFiles;
    const whole = readFileSync(certificate);
    copyFileSync(privateKey, join(folder, 'user', 'joe.pem.key'));
    writeFileSync(join(folder, 'user', 'joe.pem'), whole.subarray(0, whole.length / 2));
    await until('half of it is no use', () => !hosted.lastError.includes('ENOENT'));
    assert.notEqual(hosted.state, 'failed');
    copyFileSync(certificate, join(folder, 'user', 'joe.pem'));
    await until('it is read', () => hosted.points.get(address)?.value === 7, { deadlineMs: 60_000 });
  });

  test('is refused to a user with a wrong password, who is not tried again at once', async () => {
    const wrong = { securityMode: 'None', dangerouslyTrustAnyServer: 'true', password: 'wrong' };
    const bench = new UaBench(device, { ...secured, ...wrong });
    await assert.rejects(bench.start(), { name: 'BackOff', message: /refuses the user/ });
    assert.match(bench.log.join('\n'), /the password is sent to any server/);
    await bench.stop();
  });
});

/** The mode stands before the length and the text of the policy. */
function onlySigned(bytes: Buffer): Buffer {
  const uri = 'http://opcfoundation.org/UA/SecurityPolicy#';
  for (let at = bytes.indexOf(uri); at >= 0; at = bytes.indexOf(uri, at + 1)) {
    if (at >= 8 && bytes.readUInt32LE(at - 8) === 3) bytes.writeUInt32LE(2, at - 8);
  }
  return bytes;
}

describe('a server that lies', () => {
  test('harms nobody with nonsense in the same segment as its greeting', async (t) => {
    const greeting = Buffer.alloc(28);
    greeting.write('ACKF', 'latin1');
    greeting.writeUInt32LE(greeting.length, 4);
    for (const at of [12, 16]) greeting.writeUInt32LE(65_536, at);
    const nonsense = Buffer.from('MSGF\xff\xff\xff\xff\0\0\0\0', 'latin1');
    const server = createServer((socket) => {
      socket.on('error', () => {}).once('data', () => socket.write(Buffer.concat([greeting, nonsense])));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    const bench = new UaBench(server.address() as AddressInfo, { timeoutMs: '300' });
    await assert.rejects(bench.start(), { name: 'NotConnected' });
    await bench.stop();
  });
});
