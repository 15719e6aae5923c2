// Certificates of clients over TLS: who counts, who is told why not, and that a revocation ends what is open.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { cleanupOf, type Scope, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { WebSocket } from 'ws';
import { AccessDatabase } from '../packages/server/src/access/index.ts';
import type { Pair } from '../packages/server/src/tls/self-signed.ts';
import { Authority } from '../packages/server/test/authority.ts';
import { filesIn, newPair, writePair } from '../packages/server/test/made-files.ts';
import { startServer } from './server-process.ts';
import { askTls } from './tls-client.ts';
import { until } from './until.ts';

const fingerprintOf = ({ certificate }: Pair) =>
  new X509Certificate(certificate).fingerprint256.replaceAll(':', '').toLowerCase();

/** A service with one user, and panels that may read. */
async function serve(
  t: Scope,
  entries: readonly { key: string; value: unknown }[],
  authority = new Authority('plant'),
) {
  const folder = temporaryFolder(t);
  const data = temporaryFolder(t);
  const open = await startServer(t, { data });
  const operations = ['pump1_speed', 'tank1_level'].map((name) => {
    return { operation: 'put', family: 'measurements', name, object: { name, datatype: 'd' } };
  });
  assert.equal((await open.send('POST', '/cfgdb/txn?render=1', { operations })).status, 204);
  await open.end();
  const store = new AccessDatabase({ folder: data, onFailure: assert.fail });
  await store.open();
  const user = { kind: 'user', key: 'anna', value: { grants: [{ role: 'administrator' }], origin: 'local' } };
  await store.change([user, ...entries.map((each) => ({ kind: 'certificate', ...each }))]);
  await store.close(1000);
  const files = filesIn(folder);
  const own = newPair();
  writePair(files, own);
  const [caFile, crlFile] = [join(folder, 'ca.pem'), join(folder, 'crl.pem')];
  writeFileSync(caFile, authority.certificate);
  writeFileSync(crlFile, authority.revoke());
  const args = ['--tls-cert', files.certFile, '--tls-key', files.keyFile];
  const server = await startServer(t, {
    data,
    args: [...args, '--tls-client-ca', caFile, '--tls-client-crl', crlFile],
  });
  const ca = own.certificate;
  const ask = async (client?: Pair, path = '/data/measurements') => {
    const { status, text } = await askTls(server.url + path, { ca, cert: client?.certificate, key: client?.key });
    return { status, detail: (JSON.parse(text || '{}') as { detail?: string }).detail ?? '', text };
  };
  return { server, ca, ask, crlFile, authority };
}

const grants = [{ role: 'viewer' }];

describe('a client with a certificate', () => {
  test('is who its fingerprint or its subject says, and nobody without an entry', async (t) => {
    const authority = new Authority('plant');
    const [one, two, stranger] = ['panel 1', 'panel 2', 'panel 3'].map((title) => authority.issue(title)) as [
      Pair,
      Pair,
      Pair,
    ];
    const entries = [
      { key: 'panel1', value: { fingerprint: fingerprintOf(one), grants } },
      { key: 'panel2', value: { subject: 'CN=panel 2', grants } },
    ];
    const { ask } = await serve(t, entries, authority);
    for (const client of [one, two]) assert.equal((await ask(client)).status, 200);
    assert.match((await ask(one, '/access/me')).text, /"identity":"certificate\/panel1"/);
    assert.match((await ask(two, '/access/me')).text, /"identity":"certificate\/panel2"/);
    for (const client of [stranger, undefined]) assert.equal((await ask(client)).status, 401);
    assert.equal((await ask(one, '/config/v2/alarms')).status, 403);
  });

  test('is refused with the reason where it has expired, is not valid yet, or is of another authority', async (t) => {
    const authority = new Authority('plant');
    const hourMs = 3_600_000;
    const now = Date.now();
    const expired = authority.issue('panel', { fromMs: now - 3 * hourMs, untilMs: now - hourMs });
    const early = authority.issue('panel', { fromMs: now + hourMs, untilMs: now + 3 * hourMs });
    const foreign = new Authority('plant').issue('panel');
    const entries = [{ key: 'panel', value: { subject: 'CN=panel', grants } }];
    const { ask } = await serve(t, entries, authority);
    for (const [client, reason] of [
      [expired, /it has expired/],
      [early, /it is not valid yet/],
      [foreign, /no authority of --tls-client-ca has signed it/],
      [newPair(), /no authority of --tls-client-ca has signed it/],
    ] as const) {
      const { status, detail } = await ask(client);
      assert.equal(status, 401);
      assert.match(detail, reason);
    }
    assert.equal((await ask(authority.issue('panel'))).status, 200);
  });

  test('that is revoked gets in no more, and its channel is closed; others go on', async (t) => {
    const authority = new Authority('plant');
    const [good, bad] = [authority.issue('panel'), authority.issue('panel')];
    const entries = [{ key: 'panel', value: { subject: 'CN=panel', grants } }];
    const { server, ca, ask, crlFile } = await serve(t, entries, authority);
    const connect = async ({ certificate: cert, key }: Pair) => {
      const socket = new WebSocket(`${server.url.replace('https', 'wss')}/data/ws`, { ca, cert, key });
      cleanupOf(t).defer(() => socket.terminate());
      await once(socket, 'open');
      return socket;
    };
    const [staying, leaving] = [await connect(good), await connect(bad)];
    for (const client of [good, bad]) assert.equal((await ask(client)).status, 200);
    const closed = once(leaving, 'close');
    writeFileSync(crlFile, authority.revoke(bad.certificate));
    await closed;
    await until('it is refused', async () => (await ask(bad)).status === 401);
    assert.match((await ask(bad)).detail, /it has been revoked/);
    assert.equal((await ask(good)).status, 200);
    staying.send('{"request":"Heartbeat","id":1}');
    await once(staying, 'message');
  });

  test('sees the part of the plant that it is granted, and the rest as what is not there', async (t) => {
    const entries = [{ key: 'panel', value: { subject: 'CN=panel', grants: [{ role: 'operator', prefix: 'pump1' }] } }];
    const { ask, authority } = await serve(t, entries);
    const panel = authority.issue('panel');
    assert.deepEqual(Object.keys(JSON.parse((await ask(panel)).text)), ['pump1_speed']);
    const [hidden, unknown] = [
      await ask(panel, '/data/measurements/tank1_level'),
      await ask(panel, '/data/measurements/no'),
    ];
    assert.equal(hidden.status, 404);
    assert.equal(hidden.text.replace('tank1_level', 'no'), unknown.text);
  });

  test('that expires ends what is open with it', async (t) => {
    const authority = new Authority('plant');
    const entries = [{ key: 'panel', value: { subject: 'CN=panel', grants } }];
    const { server, ca, ask } = await serve(t, entries, authority);
    const nowMs = Date.now();
    const short = authority.issue('panel', { fromMs: nowMs - 60_000, untilMs: nowMs + 8000 });
    const channel = `${server.url.replace('https', 'wss')}/data/ws`;
    const socket = new WebSocket(channel, { ca, cert: short.certificate, key: short.key });
    cleanupOf(t).defer(() => socket.terminate());
    await once(socket, 'open');
    await once(socket, 'close');
    assert.match((await ask(short)).detail, /it has expired/);
  });
});
