import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { systemClock } from '@telltale/schema';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { run } from './run.ts';

/** A service that knows the names a and b, and carries nothing out that concerns b. */
async function serve(t: TestContext): Promise<string> {
  const server = createServer(({ method, url = '' }, response) => {
    if (method === 'GET') response.end('{"a": {"name": "a"}, "b": {"name": "b"}}');
    else if (/\/b\b/.test(url)) response.writeHead(500).end('{"title": "Broken", "detail": "The disk is full."}');
    else response.writeHead(204).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Outside {
  readonly url?: string;
  readonly input?: Readable;
  readonly signal?: AbortSignal;
  /** The standard output. */
  readonly write?: () => boolean;
}

async function cli(line: string, outside: Outside = {}): Promise<{ code: number; out: string; err: string }> {
  const { url = 'http://127.0.0.1:1', input = Readable.from([]), signal = new AbortController().signal } = outside;
  const texts = { out: '', err: '' };
  const stream = (to: 'out' | 'err') => ({
    write: (text: string | Uint8Array) => {
      texts[to] += text;
      return true;
    },
    once: () => undefined,
  });
  const code = await run(line.split(' '), {
    out: { ...stream('out'), ...(outside.write && { write: outside.write }) },
    err: stream('err'),
    input,
    environment: { TELLTALE_URL: url },
    version: '1.2.3',
    clock: systemClock,
    signal,
  });
  return { code, ...texts };
}

for (const [line, before] of [
  ['alarms ack a b', { operation: 'acknowledge', alarms: ['a'] }],
  ['simulate --stop a b', { stopped: ['a'] }],
] as const) {
  test(`${line}: where the second fails, the first is reported as done`, async (t) => {
    const { code, out, err } = await cli(line, { url: await serve(t) });
    assert.deepEqual([code, JSON.parse(out)], [1, before]);
    assert.equal(err, 'telltale: Broken. The disk is full.\n');
  });
}

for (const line of ['archive import -', 'config import -']) {
  test(`${line} ends at the first signal, while it waits for its input`, async () => {
    const ending = new AbortController();
    const input = new Readable({
      read() {
        ending.abort();
        this.push(null); // had the signal not been heard, it would end well
      },
    });
    const { code, err } = await cli(line, { input, signal: ending.signal });
    assert.deepEqual([code, err], [130, 'telltale: interrupted; what was already sent may have been carried out.\n']);
  });
}

test('what the system does not let be read or written is reported with its name, and is no fault of telltale', async (t) => {
  const folder = temporaryFolder(t);
  const badInput = () =>
    new Readable({
      read() {
        this.destroy(Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' }));
      },
    });
  for (const [line, reason] of [
    [`archive import ${folder}`, `${folder} cannot be read: it is a folder.`],
    [`config import ${folder}`, `${folder} cannot be read: it is a folder.`],
    ['archive import -', 'The standard input cannot be read: EIO: i/o error, read.'],
    ['config import -', 'The standard input cannot be read: EIO: i/o error, read.'],
  ] as const) {
    const { code, err } = await cli(line, { input: badInput() });
    assert.deepEqual([code, err], [1, `telltale: ${reason}\n`], line);
  }
});

test('an error of the system that no command expects is reported in its words', async () => {
  const refusing = () => {
    throw Object.assign(new Error('EIO: i/o error, write'), { code: 'EIO', syscall: 'write' });
  };
  const { code, err } = await cli('--version', { write: refusing });
  assert.deepEqual([code, err], [1, 'telltale: EIO: i/o error, write.\n']);
});
