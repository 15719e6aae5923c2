import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { Batch, ProblemError, type Value } from '@telltale/schema';
import { command, type HostSetup, point, problemOf, startHost } from '../../test/host-bench.ts';
import { packPoints } from './protocol.ts';
import { writeProblem } from './write-problem.ts';

const running: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of running.splice(0).reverse()) await each.close();
});

async function setUp(setup?: HostSetup) {
  const bench = await startHost(setup);
  running.push({ close: () => bench.host.close(2000) });
  return bench;
}

/** Of a connector that takes several at once, with commands 10 to 12, and `mute` 13. */
async function startMany(mode = 'many') {
  const bench = await setUp({ writeTimeoutMs: 500 });
  const { host, events, lines, until } = bench;
  host.start('connector', { name: 'a', stackName: 'trial', vars: { mode }, properties: {} });
  const commands = [10, 11, 12].map((id) => command(id, 'good')).concat(command(13, 'mute'));
  host.putPoints('connector', 'a', packPoints({ measurements: [point(1)], commands }));
  host.pointsDone('connector', 'a');
  await until(() => events.includes('a 1=1'));
  const together = () => lines.flatMap(({ msg }) => (msg.startsWith('together ') ? [msg] : []));
  return { ...bench, together };
}

describe('writes of one connector', () => {
  test('that are begun together reach its stack together, and each has its own outcome', async () => {
    const { host, together } = await startMany();
    const outcomes = await Promise.all([
      problemOf(host.write('a', 10, 1).then(() => Promise.reject(new ProblemError('not-allowed', 'accepted')))),
      problemOf(host.write('a', 11, 2)),
      problemOf(host.write('a', 12, 3)),
    ]);
    assert.deepEqual(together(), ['together 10=1,11=2,12=3']);
    assert.match(outcomes[0] ?? '', /accepted/);
    assert.match(outcomes[1] ?? '', /^write-refused: .*too much/);
    assert.match(outcomes[2] ?? '', /^write-timeout: .*silence.*may have taken/);
  });

  test('that are begun one after the other reach it one by one', async () => {
    const { host, together } = await startMany();
    for (const id of [10, 11, 12]) await host.write('a', id, 1);
    assert.deepEqual(together(), []);
  });

  test('are answered each in its time, where the stack takes them one by one: none waits for a slow one', async () => {
    const { host } = await startMany('good');
    const slow = problemOf(host.write('a', 13, 1));
    const order: string[] = [];
    await Promise.all([
      slow.then(() => order.push('slow')),
      host.write('a', 10, 1).then(() => order.push('quick')),
      host.write('a', 11, 1).then(() => order.push('quick')),
    ]);
    assert.deepEqual(order, ['quick', 'quick', 'slow']);
    assert.match(await slow, /^write-timeout: .*may have taken/);
  });
});

test('writes that a client of a provider makes together are begun together, and each has its own outcome', async () => {
  const asked: Value[] = [];
  const { host, lines, events, until } = await setUp({
    async providerWrite(value) {
      asked.push(value);
      if (value === 2) throw new ProblemError('out-of-range', 'It is too much.');
      if (value === 3) throw writeProblem('plc', { kind: 'timeout', reason: 'silence', sent: true });
    },
  });
  host.start('provider', { name: 'out', stackName: 'trial', vars: { mode: 'many' }, properties: {} });
  const commands = [3, 4, 5].map((id) => command(id, 'good'));
  host.putPoints('provider', 'out', packPoints({ measurements: [], commands }));
  host.pointsDone('provider', 'out');
  await until(() => events.includes('provider out up'));
  const batch = new Batch();
  for (const value of [1, 2, 3, 4]) batch.number(1, value, 192, 0);
  host.publish('out', batch);
  const reported = 'accepted,refused,unknown,refused'; // the last is of a command that it does not serve
  await until(() => lines.some(({ msg }) => msg === reported));
  assert.deepEqual(asked, [1, 2, 3]);
});
