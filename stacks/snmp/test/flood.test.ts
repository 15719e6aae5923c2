// Clients of a provider that send without pause and read nothing, in a process of their own: more than any thread can hear.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@telltale/schema';
import { RequestMeter } from '@telltale/stack-kit/host';
import { until } from '@telltale/stack-kit/testing';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import { provider as world } from './conformance-provider.ts';
import { RunningProvider } from './running-provider.ts';

const program = fileURLToPath(new URL('./flood-main.ts', import.meta.url));
const answers = 5;
/** However busy the machine is with other tests. */
const deadlineMs = 120_000;

test('beside a flood of GETBULK another client gets its answers, and what is lost is counted', async (t) => {
  const meter = new RequestMeter(() => systemClock.monotonicMs());
  const variables = { community: 'reading', writeCommunity: 'writing' };
  const running = await RunningProvider.start(variables, world.measurements, [], { meter });
  cleanupOf(t).defer(() => running.stop());
  running.publish('1.0', 11);
  const client = await world.connectClient({ host: '127.0.0.1', port: running.port });
  t.after(() => client.close());
  const args = [program, `${running.port}`, (world.greedy as Buffer).toString('hex')];
  const flood = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => flood.kill('SIGKILL'));
  await until('the flood has begun', () => meter.counts.unread > 1000, { deadlineMs });
  let seen = 0;
  const ask = async () => {
    // It asks again where a datagram was lost on its way.
    const answer = await client.read('1.0').catch(() => undefined);
    if (answer?.value === 11) seen++;
    return seen === answers;
  };
  await until('it has its answers', ask, { deadlineMs });
  flood.stdin.end();
  const [text] = await once(flood.stdout.setEncoding('utf8'), 'data');
  const sent = Number(text);
  const counted = () => meter.counts.requests + meter.counts.unread;
  // Elsewhere the system does not tell what it drops.
  if (process.platform === 'linux') {
    await until('each was served or counted', () => counted() >= sent, { deadlineMs });
  }
  assert.ok(meter.counts.requests > answers);
  t.diagnostic(`${sent} sent, ${JSON.stringify(meter.counts)}`);
});
