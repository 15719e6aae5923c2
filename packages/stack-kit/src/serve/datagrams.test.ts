import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { networkInterfaces } from 'node:os';
import { describe, type TestContext, test } from 'node:test';
import { systemClock } from '@telltale/schema';
import { freePort } from '../testing/free-port.ts';
import { until } from '../testing/until.ts';
import { bindDatagrams } from './datagrams.ts';

const skip = process.platform !== 'linux' && 'only Linux tells what it drops';
const withoutIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((each) => each?.address === '::1')
  ? false
  : 'this machine has no IPv6';

/** More than any system stores of them. */
const [sent, bytes] = [20_000, 1000];
const program = `
const { createSocket } = require('node:dgram');
const [type, host, port] = process.argv.slice(1);
const socket = createSocket(type);
let left = ${sent};
const send = (error) => {
  if (error) throw error;
  if (left-- > 0) socket.send(Buffer.alloc(${bytes}), Number(port), host, send);
  else socket.close();
};
send();
`;

/** What comes while the thread is busy: this one waits for the sender. */
async function flood(t: TestContext, host: string): Promise<void> {
  const port = await freePort();
  let dropped = 0;
  let heard = 0;
  const meter = { unread: (count: number) => (dropped += count) };
  const socket = await bindDatagrams({ host, port, clock: systemClock, meter });
  t.after(() => socket.close());
  socket.on('message', () => heard++);
  const type = host.includes(':') ? 'udp6' : 'udp4';
  execFileSync(process.execPath, ['-e', program, type, host, `${port}`]);
  await until('each was heard or counted', () => heard + dropped === sent, { deadlineMs: 60_000 });
  assert.ok(heard > 0 && dropped > 0, `${heard} heard, ${dropped} dropped`);
}

describe('datagrams that the system drops', { skip }, () => {
  test('are counted', (t) => flood(t, '127.0.0.1'));

  test('are counted over IPv6 as well', { skip: withoutIpv6 }, (t) => flood(t, '::1'));
});

test('a port that is taken is an error', async (t) => {
  const options = { host: '127.0.0.1', port: await freePort(), clock: systemClock, meter: { unread: () => {} } };
  const socket = await bindDatagrams(options);
  t.after(() => socket.close());
  await assert.rejects(bindDatagrams(options), /EADDRINUSE/);
});
