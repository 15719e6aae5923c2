// The real server over TLS: its own certificate, files that are replaced under load, versions and ciphers, headers.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { ConnectionOptions } from 'node:tls';
import { cleanupOf, type Scope, suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { WebSocket } from 'ws';
import { AccessDatabase } from '../packages/server/src/access/index.ts';
import { filesIn, newPair, writePair } from '../packages/server/test/made-files.ts';
import { openSocket, parseAnswer, readToEnd } from './raw-http.ts';
import { runServer, type ServerProcess, startServer } from './server-process.ts';
import { askTls, handshake } from './tls-client.ts';
import { until } from './until.ts';

const printOf = (pem: string) => new X509Certificate(pem).fingerprint256;

describe('with --tls alone', () => {
  const cleanup = suiteCleanup();
  const data = temporaryFolder(cleanup);
  const certFile = join(data, 'tls', 'certificate.pem');
  let server: ServerProcess;
  let ca: string;

  before(async () => {
    server = await startServer(cleanup, { data, args: ['--tls'] });
    ca = readFileSync(certFile, 'utf8');
  });

  test('the service makes its own certificate, for its owner alone, and prints the fingerprint', async () => {
    assert.match(server.url, /^https:\/\/127\.0\.0\.1:/);
    for (const file of [certFile, join(data, 'tls', 'key.pem')]) assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.ok(server.log.includes(`SHA-256 fingerprint ${printOf(ca)}`));
    assert.equal((await askTls(`${server.url}/healthz`, { ca })).status, 200);
    await assert.rejects(askTls(`${server.url}/healthz`, {}), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  });

  test('and keeps it over a restart', async (t) => {
    const folder = temporaryFolder(t);
    const first = await startServer(t, { data: folder, args: ['--tls'] });
    const made = readFileSync(join(folder, 'tls', 'certificate.pem'), 'utf8');
    await first.end();
    const again = await startServer(t, { data: folder, args: ['--tls'] });
    assert.ok(again.log.includes(printOf(made)));
    assert.equal((await askTls(`${again.url}/readyz`, { ca: made })).status, 200);
  });

  test('every answer has the headers that keep other pages out', async () => {
    const bare = async (head: string) => {
      const socket = await handshake(server.url, { ca });
      socket.write(head);
      return (await readToEnd(socket)).toLowerCase();
    };
    const expected = {
      'strict-transport-security': 'max-age=31536000',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
    };
    const { host } = new URL(server.url);
    for (const [method, path] of [
      ['GET', '/healthz'],
      ['GET', '/docs/'],
      ['GET', '/openapi.json'],
      ['GET', '/metrics'],
      ['GET', '/data/measurements'],
      ['GET', '/nothing'],
      ['HEAD', '/config/v2/alarms'],
      ['PATCH', '/config/v2/alarms'],
      ['PUT', '/data/commands/none?value=d1'],
    ] as const) {
      const { headers } = await askTls(server.url + path, { ca, method });
      for (const [name, value] of Object.entries(expected)) assert.equal(headers[name], value, `${method} ${path}`);
      assert.match(String(headers['content-security-policy']), /default-src 'none'.*frame-ancestors 'none'/);
    }
    for (const head of [
      'nonsense\r\n\r\n',
      `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
      `GET /nothing HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    ]) {
      const answer = await bare(head);
      for (const [name, value] of Object.entries(expected)) assert.ok(answer.includes(`${name}: ${value}\r\n`), head);
      assert.match(answer, /content-security-policy: default-src 'none'; frame-ancestors 'none'\r\n/);
    }
  });

  test('the channel is served as well', async (t) => {
    const socket = new WebSocket(`${server.url.replace('https', 'wss')}/data/ws`, { ca });
    cleanupOf(t).defer(() => socket.terminate());
    await once(socket, 'open');
    socket.send('{"request":"Heartbeat","id":1}');
    const [answer] = await once(socket, 'message');
    assert.deepEqual(JSON.parse(String(answer)), { request_id: 1, result: true });
  });

  test('who speaks HTTP without TLS, or nothing that is TLS, is closed, and it is counted', async () => {
    for (const text of ['GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n', '\0'.repeat(100), '\x16\x03\x01\xff\xff']) {
      const socket = await openSocket(server.url);
      const answer = readToEnd(socket);
      socket.end(text, 'latin1');
      assert.doesNotMatch(await answer, /HTTP\/1\.1/);
    }
    const { text } = await askTls(`${server.url}/metrics`, { ca });
    assert.match(text, /telltale_http_connections_closed_total\{reason="handshake"\} [3-9]/);
  });

  test('when the certificate expires is a metric', async () => {
    const { text } = await askTls(`${server.url}/metrics`, { ca });
    const seconds = Number(/^telltale_tls_certificate_expiry_timestamp_seconds (\S+)$/m.exec(text)?.[1]);
    assert.equal(seconds, Date.parse(new X509Certificate(ca).validTo) / 1000);
  });
});

describe('versions and ciphers', () => {
  const cleanup = suiteCleanup();
  const data = temporaryFolder(cleanup);
  let server: ServerProcess;
  let ca: string;
  /** A client that would take anything. */
  const lax = { ciphers: 'ALL:@SECLEVEL=0', minVersion: 'TLSv1', maxVersion: 'TLSv1.3' } as const;
  const agreed = async (options: ConnectionOptions) => {
    const socket = await handshake(server.url, { ca, ...lax, ...options }).catch((error: Error) => error);
    if (socket instanceof Error) return undefined;
    const found = { version: socket.getProtocol(), cipher: socket.getCipher().name, alpn: socket.alpnProtocol };
    socket.destroy();
    return found;
  };

  before(async () => {
    server = await startServer(cleanup, { data, args: ['--tls'] });
    ca = readFileSync(join(data, 'tls', 'certificate.pem'), 'utf8');
  });

  test('TLS 1.2 and 1.3 are spoken, nothing older', async () => {
    assert.equal((await agreed({}))?.version, 'TLSv1.3');
    assert.equal((await agreed({ maxVersion: 'TLSv1.2' }))?.version, 'TLSv1.2');
    for (const version of ['TLSv1', 'TLSv1.1'] as const) {
      assert.equal(await agreed({ minVersion: version, maxVersion: version }), undefined, version);
    }
  });

  test('of TLS 1.2, only ciphers with forward secrecy and authenticated encryption are agreed on', async () => {
    const { getCiphers } = await import('node:tls');
    const taken: string[] = [];
    for (const name of getCiphers().filter((each) => !each.startsWith('tls_'))) {
      const ciphers = `${name.toUpperCase()}:@SECLEVEL=0`;
      const found = await agreed({ ciphers, maxVersion: 'TLSv1.2' });
      if (found !== undefined) taken.push(found.cipher);
    }
    assert.deepEqual(taken.toSorted(), [
      'ECDHE-ECDSA-AES128-GCM-SHA256',
      'ECDHE-ECDSA-AES256-GCM-SHA384',
      'ECDHE-ECDSA-CHACHA20-POLY1305',
    ]);
  });

  test('HTTP/1.1 is the protocol: who offers only another one is refused', async () => {
    assert.equal((await agreed({ ALPNProtocols: ['h2', 'http/1.1'] }))?.alpn, 'http/1.1');
    assert.equal(await agreed({ ALPNProtocols: ['h2'] }), undefined);
    assert.notEqual(await agreed({}), undefined);
  });

  test('a client cannot agree anew on an open connection', async () => {
    const socket = await handshake(server.url, { ca, maxVersion: 'TLSv1.2' });
    socket.on('error', () => undefined);
    const refused = await new Promise((resolve) => {
      socket.once('close', () => resolve(true));
      socket.renegotiate({}, (error) => resolve(error !== null));
    });
    assert.equal(refused, true);
    socket.destroy();
  });

  test('weak groups are not agreed on', async () => {
    for (const ecdhCurve of ['X25519', 'P-256', 'P-384']) {
      assert.notEqual(await agreed({ ecdhCurve, minVersion: 'TLSv1.3' }), undefined, ecdhCurve);
    }
    for (const ecdhCurve of ['secp224r1', 'secp256k1', 'P-521']) {
      assert.equal(await agreed({ ecdhCurve, minVersion: 'TLSv1.3' }), undefined, ecdhCurve);
    }
  });
});

describe('with files', () => {
  async function serve(t: Scope) {
    const files = filesIn(temporaryFolder(t));
    const first = newPair();
    writePair(files, first);
    const args = ['--tls-cert', files.certFile, '--tls-key', files.keyFile];
    const server = await startServer(t, { data: temporaryFolder(t), args });
    const servedPrint = async (ca: string) => {
      const socket = await handshake(server.url, { ca }).catch(() => undefined);
      const { fingerprint256 } = socket?.getPeerCertificate() ?? {};
      socket?.destroy();
      return fingerprint256;
    };
    return { files, first, server, servedPrint };
  }

  test('new ones are served without a restart, and no connection or request is lost', async (t) => {
    const { files, first, server, servedPrint } = await serve(t);
    const second = newPair();
    const ca = [first.certificate, second.certificate];
    const channel = new WebSocket(`${server.url.replace('https', 'wss')}/data/ws`, { ca });
    await once(channel, 'open');
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    cleanupOf(t).defer(() => {
      channel.terminate();
      agent.destroy();
    });
    let isOver = false;
    let answered = 0;
    const asking = Array.from({ length: 8 }, async (_, at) => {
      while (!isOver) {
        const { status } = await askTls(`${server.url}/data/measurements`, at < 4 ? { ca, agent } : { ca });
        assert.equal(status, 200);
        answered++;
      }
    });
    await until('requests are answered', async () => answered > 20);
    writePair(files, second);
    await until('it is served', async () => (await servedPrint(second.certificate)) === printOf(second.certificate));
    const then = answered;
    await until('requests go on', async () => answered > then + 20);
    isOver = true;
    await Promise.all(asking);
    assert.equal(channel.readyState, WebSocket.OPEN);
    channel.send('{"request":"Heartbeat","id":1}');
    await once(channel, 'message');
    await assert.rejects(handshake(server.url, { ca: first.certificate }));
    const { text } = await askTls(`${server.url}/metrics`, { ca: second.certificate });
    assert.match(text, /telltale_tls_reloads_total\{result="good"\} [1-9]/);
  });

  test('that do not fit together change nothing: the old pair is served on, with a warning, a metric and a line', async (t) => {
    const { files, first, server, servedPrint } = await serve(t);
    const ca = first.certificate;
    writeFileSync(files.keyFile, newPair().key);
    await until('it is told', async () => server.log.includes('the old certificate is served on'));
    assert.equal(await servedPrint(ca), printOf(ca));
    const ready = await askTls(`${server.url}/readyz`, { ca });
    assert.equal(ready.status, 200);
    assert.match(ready.text, /is not that of the certificate/);
    assert.match((await askTls(`${server.url}/metrics`, { ca })).text, /^telltale_tls_files_unusable 1$/m);
    writeFileSync(files.keyFile, first.key);
    await until('it is over', async () =>
      /^telltale_tls_files_unusable 0$/m.test((await askTls(`${server.url}/metrics`, { ca })).text),
    );
  });

  test('that cannot be used are a reason not to start', async (t) => {
    const files = filesIn(temporaryFolder(t));
    writePair(files, newPair());
    writeFileSync(files.keyFile, newPair().key);
    const { code, stderr } = await runServer([
      ...['--data', temporaryFolder(t), '--port', '0'],
      ...['--tls-cert', files.certFile, '--tls-key', files.keyFile],
    ]);
    assert.equal(code, 1);
    assert.match(stderr, /^telltale: the key in .*key\.pem is not that of the certificate in .*certificate\.pem\n$/);
  });
});

test('an address beyond loopback is served where there is a user and TLS, under the address that was asked', async (t) => {
  const data = temporaryFolder(t);
  await (await startServer(t, { data })).end();
  const store = new AccessDatabase({ folder: data, onFailure: assert.fail });
  await store.open();
  const value = { grants: [{ role: 'administrator' }], origin: 'local' };
  await store.change([{ kind: 'user', key: 'anna', value }]);
  await store.close(5000);
  const server = await startServer(t, {
    data,
    args: ['--host', '0.0.0.0', '--tls', '--public-url', 'https://plant.example'],
  });
  const { port } = new URL(server.url);
  const ca = readFileSync(join(data, 'tls', 'certificate.pem'), 'utf8');
  const own = Object.values(networkInterfaces()).flatMap((all = []) => all.filter(({ family }) => family === 'IPv4'));
  for (const { address } of own) {
    const url = `https://${address}:${port}`;
    assert.equal((await askTls(`${url}/healthz`, { ca })).status, 200, address);
    assert.equal((await askTls(`${url}/data/measurements`, { ca })).status, 401, address);
    for (const [host, status] of [
      ['plant.example', 200],
      ['evil.example', 403],
    ] as const) {
      const socket = await handshake(url, { ca });
      socket.write(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      assert.equal(parseAnswer(await readToEnd(socket)).status, status, host);
    }
  }
});
