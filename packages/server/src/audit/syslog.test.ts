// Promises of messages to a syslog server, with real ones of every kind.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { ManualClock } from '@telltale/schema/testing';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { readSyslogTarget, Syslog, type SyslogTarget } from './syslog.ts';

const form = /^<109>1 2023-11-14T22:13:20\.000Z \S+ telltale \d+ head - \ufeff(.*)$/s;

class Log {
  readonly clock = new ManualClock();
  readonly faults: (string | undefined)[] = [];
  readonly syslog: Syslog;

  constructor(t: TestContext, target: SyslogTarget, ca?: string) {
    this.syslog = new Syslog({ target, clock: this.clock, ca, onFault: (reason) => this.faults.push(reason) });
    cleanupOf(t).defer(() => this.syslog.close());
  }
}

async function listening(t: TestContext, server: Server, port = 0): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  cleanupOf(t).defer(async () => {
    for (const socket of sockets) socket.destroy();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

/** The texts of so many messages, each with its length in front. */
async function messages(socket: AsyncIterable<Buffer>, count: number): Promise<string[]> {
  const found: string[] = [];
  let bytes = Buffer.alloc(0);
  for await (const chunk of socket) {
    bytes = Buffer.concat([bytes, chunk]);
    for (;;) {
      const space = bytes.indexOf(' ');
      const length = Number(bytes.toString('latin1', 0, Math.max(0, space)));
      if (space < 0 || bytes.length < space + 1 + length) break;
      found.push(form.exec(bytes.toString('utf8', space + 1, space + 1 + length))?.[1] ?? bytes.toString());
      bytes = bytes.subarray(space + 1 + length);
    }
    if (found.length >= count) break;
  }
  return found;
}

function certificate(t: TestContext): { key: Buffer; cert: Buffer } {
  const folder = temporaryFolder(t);
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=log', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  execFileSync('openssl', [...request, ...names, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  return { key: readFileSync(key), cert: readFileSync(cert) };
}

describe('a message', () => {
  test('over UDP is one datagram of RFC 5424', async (t) => {
    const server = createSocket('udp4').bind(0, '127.0.0.1');
    cleanupOf(t).defer(() => void server.close());
    await once(server, 'listening');
    const { syslog } = new Log(t, { protocol: 'udp', host: '127.0.0.1', port: server.address().port });
    const heard = once(server, 'message');
    syslog.send('head', '{"seq":1}');
    const [bytes] = (await heard) as [Buffer];
    assert.equal(form.exec(bytes.toString())?.[1], '{"seq":1}');
  });

  test('over TCP has its length in front, and those that wait for the server arrive in order when it is back', async (t) => {
    const first = createServer();
    const port = await listening(t, first);
    await new Promise((resolve) => first.close(resolve));
    const { syslog, clock, faults } = new Log(t, { protocol: 'tcp', host: '127.0.0.1', port });
    for (const text of ['a', 'ä', 'c\n1']) syslog.send('head', text);
    while (faults.length === 0) await new Promise(setImmediate);
    assert.match(faults[0] ?? '', /ECONNREFUSED/);
    const server = createServer();
    await listening(t, server, port);
    const connected = once(server, 'connection');
    clock.advance(1000);
    const [socket] = (await connected) as [Socket];
    assert.deepEqual(await messages(socket, 3), ['a', 'ä', 'c\n1']);
    assert.deepEqual([faults.at(-1), syslog.failure, syslog.pending], [undefined, undefined, 0]);
  });

  test('goes on over a new connection when the server has closed the old one', async (t) => {
    const server = createServer();
    const port = await listening(t, server);
    const { syslog, clock, faults } = new Log(t, { protocol: 'tcp', host: '127.0.0.1', port });
    const first = once(server, 'connection');
    syslog.send('head', 'one');
    const [socket] = (await first) as [Socket];
    assert.deepEqual(await messages(socket, 1), ['one']);
    socket.destroy();
    while (faults.length === 0) await new Promise(setImmediate);
    const second = once(server, 'connection');
    syslog.send('head', 'two');
    clock.advance(1000);
    const [again] = (await second) as [Socket];
    assert.deepEqual(await messages(again, 1), ['two']);
  });

  test('over TLS goes to a server whose certificate is trusted, and to no other', async (t) => {
    const own = certificate(t);
    const server = createTlsServer(own);
    const port = await listening(t, server);
    const target = { protocol: 'tls', host: 'localhost', port } as const;
    const distrusting = new Log(t, target);
    distrusting.syslog.send('head', 'secret');
    while (distrusting.faults.length === 0) await new Promise(setImmediate);
    assert.match(distrusting.faults[0] ?? '', /self.signed/);
    assert.equal(distrusting.syslog.pending, 1);
    const connected = once(server, 'secureConnection');
    const { syslog } = new Log(t, target, own.cert.toString());
    syslog.send('head', 'signed');
    const [socket] = (await connected) as [Socket];
    assert.deepEqual(await messages(socket, 1), ['signed']);
  });

  test('that was given just before the end still arrives', async (t) => {
    const server = createServer();
    const port = await listening(t, server);
    const { syslog } = new Log(t, { protocol: 'tcp', host: '127.0.0.1', port });
    const connected = once(server, 'connection');
    syslog.send('head', 'last');
    const closed = syslog.close();
    const [socket] = (await connected) as [Socket];
    assert.deepEqual(await messages(socket, 1), ['last']);
    await closed;
  });

  test('that waits is bounded: the oldest go, and are counted', (t) => {
    const { syslog } = new Log(t, { protocol: 'tcp', host: '127.0.0.1', port: 1 });
    for (let at = 0; at < 1010; at++) syslog.send('head', String(at));
    assert.deepEqual([syslog.pending, syslog.discarded], [1000, 10]);
  });
});

test('the address of a server says how, where and at which port', () => {
  assert.deepEqual(readSyslogTarget('tls://log.example'), { protocol: 'tls', host: 'log.example', port: 6514 });
  assert.deepEqual(readSyslogTarget('udp://[::1]:5140'), { protocol: 'udp', host: '::1', port: 5140 });
  assert.deepEqual(readSyslogTarget('tcp://10.0.0.1'), { protocol: 'tcp', host: '10.0.0.1', port: 601 });
  for (const bad of [
    '',
    'log.example',
    'http://log',
    'tcp://',
    'tcp://a:0',
    'tcp://a:70000',
    'tcp://a/b',
    'tcp://u@a',
  ]) {
    assert.equal(readSyslogTarget(bad), undefined, bad);
  }
});
