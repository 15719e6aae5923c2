import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { systemClock } from '@telltale/schema';
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

for (const [line, before] of [
  ['alarms ack a b', { operation: 'acknowledge', alarms: ['a'] }],
  ['simulate --stop a b', { stopped: ['a'] }],
] as const) {
  test(`${line}: where the second fails, the first is told as done`, async (t) => {
    const texts = { out: '', err: '' };
    const stream = (to: 'out' | 'err') => ({
      write: (text: string | Uint8Array) => {
        texts[to] += text;
        return true;
      },
      once: () => undefined,
    });
    const code = await run(line.split(' '), {
      out: stream('out'),
      err: stream('err'),
      input: Readable.from([]),
      environment: { TELLTALE_URL: await serve(t) },
      version: '1.2.3',
      clock: systemClock,
      signal: new AbortController().signal,
    });
    assert.deepEqual([code, JSON.parse(texts.out)], [1, before]);
    assert.equal(texts.err, 'telltale: Broken. The disk is full.\n');
  });
}
