import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { NotConnected } from '@telltale/stack-kit';
import { HostedConnector, until } from '@telltale/stack-kit/testing';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import stack from '../src/stack.ts';
import { JsonServer } from './json-server.ts';
import { TestLink } from './test-link.ts';

describe('over TLS', { skip: spawnSync('openssl', ['version']).status === 0 ? false : 'openssl is missing' }, () => {
  let folder = '';
  let secure: JsonServer;
  let link: TestLink | undefined;
  beforeEach(async (t) => {
    folder = temporaryFolder(t);
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'ca.pem')];
    const names = ['-subj', '/CN=plc', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const made = spawnSync('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
      ...['-keyout', key, '-out', cert, ...names],
    ]);
    assert.equal(made.status, 0, String(made.stderr));
    secure = await JsonServer.start({ key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') });
    secure.pages.set('/', { body: 5 });
  });
  afterEach(async () => {
    await link?.stop();
    link = undefined;
    await secure.stop();
  });

  function secured(variables: Record<string, string>): TestLink {
    link = new TestLink({ baseUrl: `https://127.0.0.1:${secure.port}`, ...variables }, { folder });
    link.setPoints({ a: { address: '/' } });
    return link;
  }

  test('a server is believed by the authority in the folder, and commands go the same way', async () => {
    const running = secured({ caFile: 'ca.pem' });
    await running.start();
    await until('it is read', () => running.value('a') === 5);
    secure.onOther = () => ({ status: 204 });
    await running.write('PUT /x', 'i', 7);
    assert.equal(secure.asked.find(({ url }) => url === '/x')?.body, '7');
  });

  test('a server that nobody vouches for gets nothing', async () => {
    const running = secured({ token: 'secret' });
    await assert.rejects(
      running.start(),
      (error) => error instanceof NotConnected && /certificate/.test(error.message),
    );
    await assert.rejects(running.write('PUT /x', 'i', 7), { name: 'notSent' });
    assert.deepEqual(secure.asked, []);
  });

  test('a missing file of the authority is reported at once', async () => {
    await assert.rejects(secured({ caFile: 'other.pem' }).start(), NotConnected);
  });

  test('a missing file of the authority is waited for, whole: the connector comes up by itself when it is there', async (t) => {
    const hosted = new HostedConnector({
      role: stack.connector ?? assert.fail(),
      vars: { baseUrl: `https://127.0.0.1:${secure.port}`, caFile: 'later.pem', scanPeriodMs: '20' },
      folder,
      measurements: [{ address: '/', datatype: 'd' }],
    });
    t.after(() => hosted.stop());
    hosted.setPoints();
    await until('it is missed', () => /cannot read caFile: ENOENT/.test(hosted.lastError));
    const whole = readFileSync(join(folder, 'ca.pem'));
    writeFileSync(join(folder, 'later.pem'), whole.subarray(0, whole.length / 2));
    await until('half of it is no use', () => !hosted.lastError.includes('ENOENT'));
    assert.notEqual(hosted.state, 'failed');
    copyFileSync(join(folder, 'ca.pem'), join(folder, 'later.pem'));
    await until('it is read', () => hosted.points.get('/')?.value === 5);
  });

  test('any certificate is taken only where that was asked for, and the log says so', async () => {
    const running = secured({ dangerouslyTrustAnyCertificate: 'true' });
    await running.start();
    await until('it is read', () => running.value('a') === 5);
    assert.match(running.warnings.join(), /certificates are not verified/);
  });
});
