import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { parseCertificate, type StackDescription, storeRejected, thumbprintOf } from '@telltale/stack-kit';
import { ovenCertificate, pressCertificate } from '@telltale/stack-kit/testing';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { pino } from 'pino';
import { Certificates } from './certificates.ts';

const dayMs = 86_400_000;
const press = parseCertificate(Buffer.from(pressCertificate)) ?? assert.fail();
const thumbprint = thumbprintOf(press);

const parameters = {
  caFile: { title: 'CA', type: 'string', required: false, certificate: 'authority' },
  certFile: { title: 'Client', type: 'string', required: false, certificate: 'own' },
  host: { title: 'Host', type: 'string', required: false },
} as const;
const described = { description: { parameters } } as unknown as StackDescription;

/** One connector, `press`, that is down, and one provider, `panel`, that is up. */
function rig(t: TestContext, vars: Record<string, string> = {}, nowMs = Date.UTC(2026, 5, 1)) {
  const folder = temporaryFolder(t);
  const clock = new ManualClock(nowMs * 1000);
  const lines: { level: number; msg: string }[] = [];
  const log = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const restarted: string[] = [];
  const instance = (name: string) => ({ name, stackName: 'test', vars, properties: {} });
  const certificates = new Certificates({
    folder,
    clock,
    log,
    stacks: { connector: new Map([['test', described]]), provider: new Map([['test', described]]) },
    host: {
      instances: () => [
        { role: 'connector', instance: instance('press'), isUp: false },
        { role: 'provider', instance: instance('panel'), isUp: true },
      ],
      restart: (role, name, reason) => restarted.push(`${role} ${name}: ${reason}`),
      confirm: () => Promise.resolve(),
    },
  });
  const put = (path: string, content: string) => {
    const file = join(folder, 'stacks', path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, content);
  };
  const reject = (owner: string) => {
    const refusal = { address: '10.0.0.9', reason: 'it is self-signed', firstMs: 1000, lastMs: 2000, count: 3 };
    return storeRejected(join(folder, 'stacks', owner), press, refusal);
  };
  return { folder, clock, lines, restarted, certificates, put, reject };
}

describe('the certificates of the service', () => {
  test('are listed with what they are used for: own, of authorities, trusted and rejected', async (t) => {
    const { certificates, put, reject } = rig(t, { certFile: 'client.pem', caFile: 'ca.pem', host: 'client.pem' });
    put('connector-press/client.pem', `${ovenCertificate}${pressCertificate}`);
    put('connector-press/ca.pem', `${ovenCertificate}${pressCertificate}`);
    put('provider-panel/own/certificate.pem', pressCertificate);
    put('provider-panel/trusted/anything', ovenCertificate);
    put('provider-panel/trusted/readme', 'nothing');
    await reject('connector-press');
    const found = await certificates.list();
    assert.deepEqual(
      found.map(({ state, role, name, use, subject }) => `${state} ${role}/${name} ${use} ${subject}`),
      [
        'trusted connector/press authority CN=oven',
        'trusted connector/press authority CN=press 1',
        'own connector/press client CN=oven',
        'rejected connector/press peer CN=press 1',
        'own provider/panel application CN=press 1',
        'trusted provider/panel peer CN=oven',
      ],
    );
    const [rejected] = await certificates.list('rejected');
    assert.deepEqual(rejected, {
      thumbprint,
      sha1: press.fingerprint.replaceAll(':', '').toLowerCase(),
      state: 'rejected',
      role: 'connector',
      name: 'press',
      use: 'peer',
      subject: 'CN=press 1',
      issuer: 'CN=press 1',
      'self-signed': true,
      names: ['press.example'],
      addresses: rejected?.addresses,
      'valid-from': [Date.UTC(2026, 0, 1) / 1000, 0],
      'valid-until': [Date.UTC(2027, 0, 1) / 1000, 0],
      'days-left': 214,
      file: join('stacks', 'connector-press', 'rejected', `${thumbprint}.pem`),
      refused: { address: '10.0.0.9', reason: 'it is self-signed', first: [1, 0], last: [2, 0], count: 3 },
    });
  });

  test('are trusted for whoever refused them, or for one alone; who waits is restarted, who is up is not', async (t) => {
    const { certificates, reject, restarted } = rig(t);
    await reject('connector-press');
    await reject('provider-panel');
    const states = async () => (await certificates.list()).map(({ name, state }) => `${name} ${state}`);
    await certificates.trust(thumbprint, 'provider/panel');
    assert.deepEqual(await states(), ['press rejected', 'panel trusted']);
    assert.deepEqual(restarted, []);
    await certificates.trust(thumbprint.toUpperCase());
    await certificates.trust(press.fingerprint.replaceAll(':', ''));
    assert.deepEqual(await states(), ['press trusted', 'panel trusted']);
    assert.deepEqual(restarted, ['connector press: a certificate was trusted']);
    await assert.rejects(certificates.delete(thumbprint), { problem: 'wrong-certificate', message: /reject it first/ });
    await Promise.all([certificates.reject(thumbprint), certificates.reject(thumbprint)]);
    assert.deepEqual(await states(), ['press rejected', 'panel rejected']);
    assert.deepEqual(restarted.slice(1), [
      'connector press: the trust in a certificate was taken back',
      'provider panel: the trust in a certificate was taken back',
    ]);
    await certificates.delete(thumbprint);
    assert.deepEqual(await states(), []);
    for (const operation of ['trust', 'reject', 'delete', 'renew'] as const) {
      await assert.rejects(certificates[operation](thumbprint), { problem: 'unknown-object' });
    }
  });

  test('of authorities that complete chains are listed as issuers, and deleted, but neither trusted nor rejected', async (t) => {
    const { certificates, put, restarted, folder } = rig(t);
    put('provider-panel/issuers/root.pem', pressCertificate);
    const [issuer, ...others] = await certificates.list('issuer');
    assert.deepEqual(
      [issuer?.thumbprint, issuer?.use, issuer?.name, others.length],
      [thumbprint, 'authority', 'panel', 0],
    );
    for (const operation of ['trust', 'reject', 'renew'] as const) {
      await assert.rejects(certificates[operation](thumbprint), { problem: 'wrong-certificate' });
    }
    await certificates.delete(thumbprint);
    assert.deepEqual(await certificates.list(), []);
    assert.deepEqual(readdirSync(join(folder, 'stacks', 'provider-panel', 'issuers')), []);
    assert.deepEqual(restarted, ['provider panel: the certificate of an authority was deleted']);
  });

  test('are made anew on order where the service has made them itself, with the same key', async (t) => {
    const { certificates, put, restarted, folder } = rig(t);
    put('provider-panel/own/certificate.pem', pressCertificate);
    put('provider-panel/own/private-key.pem', 'key');
    await assert.rejects(certificates.trust(thumbprint), {
      problem: 'wrong-certificate',
      message: /is not one that a peer has presented/,
    });
    await certificates.renew(thumbprint);
    assert.deepEqual(restarted, ['provider panel: its certificate is renewed']);
    const left = readdirSync(join(folder, 'stacks', 'provider-panel', 'own')).toSorted();
    assert.deepEqual(left, ['certificate-before.pem', 'private-key.pem']);
  });

  test('that expire within 30 days are told once a day, and louder when they have expired', async (t) => {
    const { certificates, clock, lines, put, reject } = rig(t, {}, Date.UTC(2026, 10, 30));
    put('provider-panel/own/certificate.pem', pressCertificate);
    await reject('connector-press');
    await certificates.list();
    assert.deepEqual([lines, certificates.warnings], [[], []]);
    clock.advance(3 * dayMs);
    await certificates.list();
    const shown = thumbprint.slice(0, 16);
    const text = (when: string) =>
      `the certificate ${shown} (its own, CN=press 1) ${when}, on 2027-01-01: telltale certificates renew ${shown}`;
    assert.deepEqual(certificates.warnings, [`provider panel: ${text('expires in 29 days')}`]);
    for (let hour = 0; hour < 23; hour++) {
      clock.advance(dayMs / 24);
      await certificates.list();
    }
    assert.deepEqual(
      lines.map(({ level, msg }) => [level, msg]),
      [[40, text('expires in 29 days')]],
    );
    clock.advance(dayMs / 24);
    await certificates.list();
    assert.equal(lines.length, 2);
    clock.advance(30 * dayMs);
    await certificates.list();
    assert.equal(lines.at(-1)?.level, 50);
    assert.match(lines.at(-1)?.msg ?? '', /expired on 2027-01-01/);
    put('provider-panel/own/certificate.pem', ovenCertificate);
    await certificates.list();
    assert.deepEqual(certificates.warnings, []);
  });

  test('are looked at every minute, until it is closed', async (t) => {
    const { certificates, clock, put } = rig(t);
    certificates.begin();
    await certificates.list();
    assert.equal(certificates.known.length, 0);
    put('provider-panel/own/certificate.pem', pressCertificate);
    while (clock.pending === 0) await new Promise(setImmediate);
    clock.advance(60_000);
    while (certificates.known.length === 0) await new Promise(setImmediate);
    await certificates.close();
    assert.equal(clock.pending, 0);
  });
});
