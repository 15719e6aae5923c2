import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Batch } from '@telltale/schema';
import { hostsOfTests, point, problemOf } from '../../test/host-bench.ts';
import type { InstanceStatus } from './instance-status.ts';
import { packPoints } from './protocol.ts';

const { setUp } = hostsOfTests();

const threadOf = (status: InstanceStatus | undefined) => status?.thread;

describe('instances in threads', () => {
  test('each goes to the thread with the least to do, by points where they are known, and stays there', async () => {
    const { host, start, until, status } = await setUp({ threads: 2 });
    start('a');
    start('b');
    start('c');
    assert.deepEqual(
      ['a', 'b', 'c'].map((name) => threadOf(status(name))),
      [1, 2, 1],
    );
    const many = Array.from({ length: 400 }, (_, at) => point(at));
    host.putPoints('connector', 'b', packPoints({ measurements: many, commands: [] }));
    host.pointsDone('connector', 'b');
    await until(() => status('b')?.points === 400);
    start('d');
    start('e');
    assert.deepEqual(
      ['d', 'e'].map((name) => threadOf(status(name))),
      [1, 1],
    );
    start('b');
    assert.equal(threadOf(status('b')), 2);
  });

  test('providers and connectors are apart where there are several threads; connectors have all that no provider needs', async () => {
    const { host, start, status } = await setUp({ threads: 4 });
    const serve = (name: string) => host.start('provider', { name, stackName: 'trial', vars: {}, properties: {} });
    const threads = (...names: string[]) => names.map((name) => threadOf(status(name)));
    serve('out');
    for (const name of ['a', 'b', 'c', 'd']) start(name);
    assert.deepEqual(threads('out', 'a', 'b', 'c', 'd'), [3, 1, 2, 4, 1]);
    serve('late');
    assert.deepEqual(threads('late'), [3], 'beside another provider rather than beside a connector');
  });

  test('where connectors have all threads already, a provider shares one of them; so it does where there is but one', async () => {
    for (const [count, expected] of [
      [2, [1, 2, 2, 1]],
      [1, [1, 1, 1, 1]],
    ] as const) {
      const { host, start, status } = await setUp({ threads: count });
      start('a');
      start('b');
      host.start('provider', { name: 'out', stackName: 'trial', vars: {}, properties: {} });
      start('c');
      assert.deepEqual(
        ['a', 'b', 'out', 'c'].map((name) => threadOf(status(name))),
        expected,
      );
    }
  });

  test('a thread begins when there is something to put into it, and takes what comes at once', async () => {
    const { host, start, until, events } = await setUp({ threads: 8 });
    assert.deepEqual(host.threads(), { running: 0, replaced: 0 });
    start('a');
    assert.equal(host.threads().running, 1);
    start('b');
    assert.equal(host.threads().running, 2);
    await until(() => events.includes('a 1=1') && events.includes('b 1=1'));
    assert.ok(!events.some((event) => event.startsWith('restarted')), 'nobody had to give its points twice');
  });

  test('one that is started again while its end takes long begins where it was, after its end', async () => {
    const { host, events, lines, start, until, status } = await setUp({ threads: 2 });
    start('a', 'stuck');
    start('b');
    start('c');
    await until(() => ['a', 'b', 'c'].every((name) => events.includes(`${name} 1=1`)));
    host.stop('connector', 'b');
    host.stop('connector', 'a');
    start('a');
    assert.equal(threadOf(status('a')), 1);
    await until(() => events.filter((event) => event === 'a 1=1').length === 2);
    const reported = lines.filter(({ connector }) => connector === 'a').map(({ msg }) => msg);
    assert.ok(reported.indexOf('down: stopped') < reported.lastIndexOf('up'));
  });
});

describe('what is reported of an instance', () => {
  test('counters, rates, round trips and what its stack reports, over the starts of its thread', async () => {
    const { host, hooks, until, start, give, status } = await setUp({});
    hooks.restarted = () => give('a', ['good']);
    start('a', 'good', ['good', 'exit']);
    await until(() => status('a')?.state === 'up');
    for (let value = 0; value < 20; value++) await host.write('a', 10, value);
    await until(() => (status('a')?.valuesPerSecond ?? 0) > 0 && (status('a')?.requestsPerSecond ?? 0) > 0);
    const { stackName, thread, counters, roundTrip, detail, points } = status('a') ?? assert.fail();
    assert.deepEqual([stackName, thread, points, counters.requests, counters.values], ['trial', 1, 3, 20, 21]);
    assert.ok(roundTrip !== undefined && roundTrip.p50Ms > 1.8 && roundTrip.p99Ms < 2.2, JSON.stringify(roundTrip));
    assert.deepEqual(
      detail.devices.map(({ name }) => name),
      ['good'],
    );
    await problemOf(host.write('a', 11, 1));
    const lost = status('a') ?? assert.fail();
    assert.deepEqual([lost.valuesPerSecond, lost.roundTrip, lost.detail.devices], [0, undefined, []]);
    await until(() => status('a')?.state === 'up');
    await host.write('a', 10, 1);
    await until(() => status('a')?.counters.requests === 21);
  });

  test('of a provider, what its clients asked, how often they had to wait, and what was lost', async () => {
    const { host, until, status } = await setUp({});
    host.start('provider', { name: 'out', stackName: 'trial', vars: { mode: 'crowded' }, properties: {} });
    host.pointsDone('provider', 'out');
    await until(() => (status('out')?.counters.unread ?? 0) > 0);
    const { requests, held, unread } = status('out')?.counters ?? assert.fail();
    assert.deepEqual([requests, held, unread], [1, 2, 3]);
  });

  test('each change of a state, and the end', async () => {
    const { host, until, start, failures } = await setUp({});
    const reported: string[] = [];
    const cancel = host.onState((role, name, status) => {
      if (status !== undefined) assert.deepEqual([status.role, status.name], [role, name]);
      reported.push(`${role} ${name} ${status?.state}`);
    });
    host.onState(() => {
      throw new Error('a mistake');
    });
    start('a');
    await until(() => reported.length === 2);
    start('f', 'fatal');
    await until(() => reported.length === 4);
    assert.equal(host.statusOf('connector', 'f')?.lastError?.text, 'never');
    host.stop('connector', 'a');
    cancel();
    host.stop('connector', 'f');
    assert.deepEqual(reported, [
      'connector a connecting',
      'connector a up',
      'connector f connecting',
      'connector f failed',
      'connector a undefined',
    ]);
    assert.equal(failures.length, 6);
    assert.equal(host.statusOf('connector', 'a'), undefined);
  });

  test('a detail that makes no sense is none', async () => {
    const { until, start, status } = await setUp({});
    start('a', 'wrong');
    await until(() => (status('a')?.valuesPerSecond ?? 0) > 0);
    assert.deepEqual(status('a')?.detail.devices, []);
  });
});

test('values for a provider reach it in whichever thread it is, as soon as it is started', async () => {
  const { host, lines, events, until, start } = await setUp({ threads: 2 });
  start('a');
  host.start('provider', { name: 'out', stackName: 'trial', vars: {}, properties: {} });
  host.pointsDone('provider', 'out');
  await until(() => events.includes('provider out up'));
  const batch = new Batch();
  batch.number(1, 5, 192, 0);
  host.publish('out', batch);
  await until(() => lines.some(({ provider, msg }) => provider === 'out' && msg.startsWith('refused')));
  assert.equal(host.statusOf('provider', 'out')?.thread, 2);
});
