import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Batch, ProblemError, type Value } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { command, hostsOfTests, openGate, point, problemOf } from '../../test/host-bench.ts';
import { packPoints } from './protocol.ts';
import { writeProblem } from './write-problem.ts';

const { setUp } = hostsOfTests();

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

describe('a write to a thread that is busy is answered when its time is over:', () => {
  async function startBusy(properties: Record<string, string> = {}) {
    const clock = new ManualClock();
    const bench = await setUp({ clock });
    const { host, events, until } = bench;
    host.start('connector', { name: 'a', stackName: 'trial', vars: {}, properties });
    const commands = [command(10, 'gate'), command(11, 'good')];
    host.putPoints('connector', 'a', packPoints({ measurements: [point(1)], commands }));
    host.pointsDone('connector', 'a');
    await until(() => events.includes('a 1=1'));
    const handed = problemOf(host.write('a', 10, 1));
    await bench.untilBlocked();
    return { ...bench, clock, handed };
  }

  test('one that the stack has may have been taken; one that it has not got is not sent, then or later', async () => {
    const { host, events, clock, handed } = await startBusy();
    const behind = problemOf(host.write('a', 11, 7));
    const together = [problemOf(host.write('a', 10, 8)), problemOf(host.write('a', 11, 9))];
    await new Promise(setImmediate); // they are on their way
    clock.advance(5000);
    assert.match(await handed, /^write-timeout: .*no answer within 5000 ms.*may have taken/);
    for (const each of [behind, ...together]) {
      assert.match(await each, /^write-timeout: .*its thread was busy for 5000 ms. Nothing was sent/);
    }
    openGate();
    await host.write('a', 11, 10);
    assert.deepEqual(
      events.filter((event) => event.startsWith('a 1=')),
      ['a 1=1', 'a 1=10'],
    );
  });

  test('after the time of its own connector, where that has one', async () => {
    const { host, clock, handed } = await startBusy({ writeTimeout: '700' });
    const behind = problemOf(host.write('a', 11, 7));
    await new Promise(setImmediate); // it is on its way
    clock.advance(700);
    assert.match(await handed, /^write-timeout: .*no answer within 700 ms/);
    assert.match(await behind, /^write-timeout: .*Nothing was sent/);
    openGate();
  });

  test('those that wait in it count until it is done with them, answered or not', async () => {
    const { host, clock, handed } = await startBusy();
    const many = Array.from({ length: 999 }, () => problemOf(host.write('a', 11, 7)));
    await new Promise(setImmediate); // they are on their way
    clock.advance(5000);
    await Promise.all([handed, ...many]);
    assert.match(await problemOf(host.write('a', 11, 8)), /^write-refused: .*1000 writes are waiting/);
    openGate();
    await host.confirm([{ role: 'connector', name: 'a' }]);
    await host.write('a', 11, 9);
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
