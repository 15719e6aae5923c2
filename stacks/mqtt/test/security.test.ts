import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { HostedConnector, until } from '@telltale/stack-kit/testing';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import stack from '../src/stack.ts';
import { LinkedConnector } from './linked-connector.ts';
import { LinkedProvider } from './linked-provider.ts';
import { Mosquitto, makeCertificates, withoutMosquitto, withoutOpenssl } from './mosquitto.ts';

const lastUsable = 0x44;

describe('a broker that wants a password', { skip: withoutMosquitto }, () => {
  const start = () =>
    Mosquitto.start({
      config: (folder) => {
        execFileSync('mosquitto_passwd', ['-c', '-b', join(folder, 'users'), 'plant', 'correct horse']);
        writeFileSync(join(folder, 'acl'), 'user plant\ntopic readwrite open/#\n');
        return ['allow_anonymous false', `password_file ${join(folder, 'users')}`, `acl_file ${join(folder, 'acl')}`];
      },
      clientArgs: () => ['-u', 'plant', '-P', 'correct horse'],
    });

  for (const version of ['3.1.1', '5']) {
    test(`MQTT ${version}: gets it; a wrong one is asked again only after a while`, async (t) => {
      const broker = await start();
      t.after(() => broker.stop());
      const vars = { port: `${broker.port}`, user: 'plant', password: 'correct horse', version };
      await broker.pub('open/a', '1', '-r');
      const c = new LinkedConnector({ vars });
      t.after(() => c.stop());
      c.setPoints([{ name: 'a', address: 'open/a' }], [{ name: 'closed', address: 'closed/a' }]);
      await c.start();
      await c.shows('a', 1, lastUsable);
      if (version === '5') await assert.rejects(c.write('closed', 1), { name: 'refused', message: /not authorized/ });
      const wrong = new LinkedConnector({ vars: { ...vars, password: 'wrong' } });
      wrong.setPoints([]);
      await assert.rejects(wrong.start(), { name: 'BackOff', message: /[Nn]ot authorized/ });
    });
  }
});

describe('an encrypted connection', { skip: withoutOpenssl }, () => {
  const start = (lines: string[] = []) =>
    Mosquitto.start({
      config: (folder) => {
        makeCertificates(folder);
        const files = ['cafile ca.pem', 'certfile broker.pem', 'keyfile broker.key'];
        return ['allow_anonymous true', ...files.map((line) => line.replace(' ', ` ${folder}/`)), ...lines];
      },
      clientArgs: (folder) => [
        '--cafile',
        `${folder}/ca.pem`,
        '--cert',
        `${folder}/client.pem`,
        '--key',
        `${folder}/client.key`,
      ],
    });

  test('reads and writes, with a certificate of its own where the broker wants one', async (t) => {
    const broker = await start(['require_certificate true']);
    t.after(() => broker.stop());
    const { folder, port } = broker;
    const vars = { host: 'localhost', port: `${port}`, tls: 'true', caFile: 'ca.pem' };
    const c = new LinkedConnector({ vars: { ...vars, certFile: 'client.pem', keyFile: 'client.key' }, folder });
    t.after(() => c.stop());
    const heard = await broker.sub('tls/#');
    t.after(() => heard.stop());
    await broker.pub('tls/a', '1', '-r');
    c.setPoints([{ name: 'a', address: 'tls/a' }], [{ name: 'set', address: 'tls/set' }]);
    await c.start();
    await c.shows('a', 1, lastUsable);
    await c.write('set', 5);
    assert.equal(await c.stop(), undefined);
    const p = new LinkedProvider({ vars: { ...vars, certFile: 'client.pem', keyFile: 'client.key' }, folder });
    p.setPoints([]);
    await p.start();
    assert.equal(await p.stop(), undefined);
    const without = new LinkedConnector({ vars, folder });
    without.setPoints([]);
    await assert.rejects(without.start(), { name: 'NotConnected' });
  });

  test('waits for its files, whole, and comes up by itself when they are there', async (t) => {
    const broker = await start(['require_certificate true']);
    t.after(() => broker.stop());
    const folder = temporaryFolder(t);
    const files = { caFile: 'ca.pem', certFile: 'client.pem', keyFile: 'client.key' };
    const hosted = new HostedConnector({
      role: stack.connector ?? assert.fail(),
      vars: { host: 'localhost', port: `${broker.port}`, tls: 'true', ...files },
      folder,
      measurements: [{ address: 'tls/a', datatype: 'd' }],
    });
    t.after(() => hosted.stop());
    hosted.setPoints();
    for (const file of Object.values(files)) {
      await until(`${file} is missed`, () => hosted.lastError.includes(`cannot read ${join(folder, file)}: ENOENT`));
      assert.notEqual(hosted.state, 'failed');
      const whole = readFileSync(join(broker.folder, file));
      // As long as somebody copies it there.
      writeFileSync(join(folder, file), whole.subarray(0, whole.length / 2));
      await until('half of it is no use', () => !hosted.lastError.includes(`${file}: ENOENT`));
      assert.notEqual(hosted.state, 'failed');
      if (file === 'client.key') {
        await until('it says so', () => /certificates in .* cannot be used/.test(hosted.lastError));
      }
      writeFileSync(join(folder, file), whole);
    }
    for (const file of Object.values(files)) copyFileSync(join(broker.folder, file), join(folder, file));
    await until('it is up', () => hosted.state === 'up');
  });

  test('is not made to a broker whose certificate is not trusted, or is for another name', async (t) => {
    const broker = await start();
    t.after(() => broker.stop());
    const vars = { port: `${broker.port}`, tls: 'true' };
    const refused = async (more: Record<string, string>, message: RegExp, folder = broker.folder) => {
      const c = new LinkedConnector({ vars: { ...vars, ...more }, folder });
      c.setPoints([]);
      await assert.rejects(c.start(), { name: 'NotConnected', message });
    };
    await refused({}, /certificate/);
    await refused({ caFile: 'ca.pem', serverName: 'elsewhere.example' }, /does not match certificate's altnames/);
    await refused({ caFile: 'missing.pem' }, /cannot read .*missing.pem: ENOENT/);
    copyFileSync(join(broker.folder, 'client.pem'), join(broker.folder, 'other.pem'));
    await refused({ caFile: 'other.pem' }, /certificate/);
    const c = new LinkedConnector({ vars: { ...vars, caFile: 'ca.pem' }, folder: broker.folder });
    t.after(() => c.stop());
    c.setPoints([]);
    await c.start();
  });
});
