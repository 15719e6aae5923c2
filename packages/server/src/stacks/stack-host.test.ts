import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Batch, ProblemError, systemClock, type Value } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { command, hostsOfTests, point, problemOf } from '../../test/host-bench.ts';
import { LineDevice } from '../../test/line-device.ts';
import { HeldDeadline } from '../threads/index.ts';
import { packPoints } from './protocol.ts';
import { writeProblem } from './write-problem.ts';

const { running, setUp } = hostsOfTests();

describe('with a device on a socket', () => {
  test('readings come, writes are answered, a loss is reported after the readings, and the link comes back', async () => {
    const device = await LineDevice.start({ level: 21.5 });
    running.push(device);
    const { host, events, until, status } = await setUp();
    const vars = { port: device.port };
    host.start('connector', { name: 'plc', stackName: 'line_device', vars, properties: { writeTimeout: '200' } });
    host.putPoints('connector', 'plc', packPoints({ measurements: [point(5, 'level')], commands: [] }));
    host.putPoints(
      'connector',
      'plc',
      packPoints({ measurements: [], commands: [command(6, 'valve'), command(7, 'silent')] }),
    );
    host.pointsDone('connector', 'plc');
    await until(() => events.includes('plc 5=21.5'));
    await host.write('plc', 6, 50);
    assert.match(await problemOf(host.write('plc', 6, 101)), /^write-refused: .*plc.*too much/);
    assert.match(await problemOf(host.write('plc', 7, 1)), /^write-timeout: .*may have taken/);
    device.hangUp();
    await until(() => events.filter((event) => event === 'plc 5=21.5').length === 2);
    assert.deepEqual(events, [
      'connector plc up',
      'plc 5=21.5',
      'connector plc down the device hung up',
      'connector plc up',
      'plc 5=21.5',
    ]);
    assert.deepEqual(
      device.heard.filter((line) => line.startsWith('write')),
      ['write 1 valve=50', 'write 2 valve=101', 'write 3 silent=1'],
    );
    await until(() => status('plc')?.counters.values === 2);
    const { writesAccepted, writesRefused, writesTimedOut, connects } = status('plc')?.counters ?? assert.fail();
    assert.deepEqual([writesAccepted, writesRefused, writesTimedOut, connects], [1, 1, 1, 2]);
  });
});

describe('under a lease', () => {
  const notLeading = 'this node does not lead the site';

  test('nothing connects before this node leads; then it writes while the lease is valid, and reads on without it', async () => {
    const device = await LineDevice.start({ level: 21.5 });
    running.push(device);
    const held = new HeldDeadline(systemClock);
    const { host, events, until, status } = await setUp({ lease: held.buffer });
    const vars = { port: device.port };
    host.start('connector', { name: 'plc', stackName: 'line_device', vars, properties: {} });
    const commands = [command(6, 'valve'), command(7, 'silent')];
    host.putPoints('connector', 'plc', packPoints({ measurements: [point(5, 'level')], commands }));
    host.pointsDone('connector', 'plc');
    await host.confirm([{ role: 'connector', name: 'plc' }]);
    assert.deepEqual([status('plc')?.state, status('plc')?.lastError?.text], ['down', notLeading]);
    assert.match(await problemOf(host.write('plc', 6, 1)), /^connector-down: .*does not lead the site/);

    held.extend(3, systemClock.monotonicMs() + 60_000);
    host.setEpoch(3);
    await until(() => events.includes('plc 5=21.5'));
    await host.write('plc', 6, 50);
    held.end();
    assert.match(await problemOf(host.write('plc', 6, 51)), /^connector-down: .*does not lead the site any more/);
    device.send('level', 22);
    await until(() => events.includes('plc 5=22'));

    held.extend(4, systemClock.monotonicMs() + 60_000);
    assert.match(await problemOf(host.write('plc', 6, 52)), /^connector-down: .*does not lead the site any more/);
    host.setEpoch(4);
    await until(() => status('plc')?.state === 'up');
    const writing = problemOf(host.write('plc', 7, 1));
    await until(() => device.heard.includes('write 1 silent=1'));
    held.end();
    assert.match(await writing, /^write-timeout: .*may have taken/);
    await until(() => events.includes(`connector plc down ${notLeading} any more`));

    host.setEpoch(undefined);
    assert.deepEqual([status('plc')?.state, status('plc')?.lastError?.text], ['down', notLeading]);
    const writes = device.heard.filter((line) => line.startsWith('write'));
    assert.deepEqual(writes, ['write 1 valve=50', 'write 1 silent=1']);
  });
});

describe('instances', () => {
  test('one that cannot be loaded or made has failed with the reason; the others run', async () => {
    const { host, events, until, start, status } = await setUp();
    start('unmade', 'unmade');
    start('fatal', 'fatal');
    for (const [name, stackName, vars] of [
      ['unloadable', 'unloadable', { host: 'x' }],
      ['variables', 'unloadable', {}],
      ['unknown', '__proto__', {}],
    ] as const) {
      host.start('connector', { name, stackName, vars, properties: {} });
      host.pointsDone('connector', name);
    }
    host.start('provider', { name: 'roleless', stackName: 'line_device', vars: {}, properties: {} });
    host.pointsDone('provider', 'roleless');
    start('good');
    const reasons = {
      unmade: /^cannot be made$/,
      fatal: /^never$/,
      unloadable: /^a library is missing$/,
      variables: /^variable host is required$/,
      unknown: /^there is no stack __proto__; .*broken\.ts cannot be loaded: broken while it is loaded/,
      roleless: /has no provider/,
    };
    for (const [name, reason] of Object.entries(reasons)) {
      await until(() => status(name)?.state === 'failed');
      assert.match(status(name)?.lastError?.text ?? '', reason);
    }
    await until(() => events.includes('good 1=1'));
  });

  test('nothing runs before its points are whole; then they come once, and again when they change', async () => {
    const { host, events, until, lines, give } = await setUp();
    host.start('connector', { name: '__proto__', stackName: 'trial', vars: {}, properties: {} });
    for (let id = 2; id <= 5; id++)
      host.putPoints('connector', '__proto__', packPoints({ measurements: [point(id)], commands: [] }));
    give('__proto__', ['good']);
    await until(() => events.includes('__proto__ 1=1'));
    await host.write('__proto__', 10, 8);
    host.pointsDone('connector', '__proto__', { measurements: [2, 3, 4, 99], commands: [] });
    await until(() => lines.some(({ msg }) => msg === 'points 5,1 p10=8'));
    const reported = lines.filter(({ msg, connector }) => connector === '__proto__' && msg.startsWith('points'));
    assert.deepEqual(
      reported.map(({ msg }) => msg),
      ['points 2,3,4,5,1 p10=undefined', 'points 5,1 p10=8'],
    );
    assert.deepEqual(events[0], 'connector __proto__ up');
    assert.equal(events.filter((event) => event.includes('up')).length, 1);
  });

  test('a changed one is reported down at once, stopped, and started with its points', async () => {
    const { host, events, until, start } = await setUp();
    start('a', 'stuck');
    await until(() => events.includes('a 1=1'));
    host.start('connector', { name: 'a', stackName: 'trial', vars: {}, properties: {} });
    host.start('connector', { name: 'a', stackName: 'trial', vars: {}, properties: { x: 'y' } });
    host.pointsDone('connector', 'a');
    await until(() => events.length === 5);
    assert.deepEqual(events, [
      'connector a up',
      'a 1=1',
      'connector a down configured otherwise',
      'connector a up',
      'a 1=1',
    ]);
  });

  test('confirms when a thread has done all that it was reported, and does not wait for one that is blocked', async () => {
    const clock = new ManualClock();
    const { host, events, lines, until, start } = await setUp({ clock });
    start('a');
    await host.confirm([{ role: 'connector', name: 'a' }]);
    assert.ok(lines.some(({ msg, connector }) => connector === 'a' && msg.startsWith('points')));
    start('b', 'good', ['block']);
    await until(() => events.includes('b 1=1'));
    problemOf(host.write('b', 10, 1)); // from now on its thread does nothing
    const confirmed = host.confirm([{ role: 'connector', name: 'b' }]);
    clock.advance(1000);
    await confirmed;
    await host.confirm([{ role: 'connector', name: 'nobody' }]);
    const closed = host.close(2000);
    clock.advance(2000);
    await closed;
  });

  test('a stopped one is reported down at once and is not heard of again; its writes fail', async () => {
    const { host, events, lines, until, start, status } = await setUp();
    start('a', 'good', ['mute']);
    await until(() => events.includes('a 1=1'));
    const write = problemOf(host.write('a', 10, 1));
    host.stop('connector', 'a');
    assert.deepEqual(events.at(-1), 'connector a down stopped');
    assert.equal(status('a'), undefined);
    assert.match(await write, /^write-timeout: .*may have taken/);
    assert.match(await problemOf(host.write('a', 10, 1)), /^connector-down: .*Nothing was sent/);
    start('b');
    await until(() => events.includes('b 1=1'));
    assert.equal(events.filter((event) => event.startsWith('a ')).length, 1);
    await until(() => lines.some(({ msg, connector }) => connector === 'a' && msg === 'down: stopped'));
  });

  test('a write time that is no time is passed over with a warning', async () => {
    const { host, lines, until } = await setUp();
    host.start('connector', { name: 'a', stackName: 'trial', vars: {}, properties: { writeTimeout: '1e3' } });
    await until(() => lines.some(({ msg }) => /writeTimeout is ignored.*"1e3"/.test(msg)));
  });

  test('a provider gets values, and writes with the answer of the server', async () => {
    const asked: Value[] = [];
    const { host, lines, events, until } = await setUp({
      async providerWrite(value) {
        asked.push(value);
        if (value === 2) throw new ProblemError('out-of-range', 'It is too much.');
        if (value === 3) throw new Error('a secret');
        if (value === 4) throw writeProblem('plc', { kind: 'timeout', reason: 'silence', sent: true });
        if (value === 5) throw new ProblemError('storage-failed', 'The device has accepted it, the disk has not.');
        if (value === 6) throw writeProblem('plc', { kind: 'notConnected', reason: 'no cable' });
      },
    });
    host.start('provider', { name: 'out', stackName: 'trial', vars: {}, properties: {} });
    host.putPoints('provider', 'out', packPoints({ measurements: [], commands: [command(3, 'good')] }));
    host.pointsDone('provider', 'out');
    await until(() => events.includes('provider out up'));
    const batch = new Batch();
    for (const value of [1, 2, 3, 4, 5, 6, 9007199254740993n, 'text']) batch.value(1, value, 192, 0);
    host.publish('out', batch);
    assert.equal(batch.count, 0);
    const reported = () => lines.filter(({ provider }) => provider === 'out').map(({ msg }) => msg);
    await until(() => reported().length === 9);
    assert.deepEqual(asked, [1, 2, 3, 4, 5, 6, 9007199254740993n, 'text']);
    assert.deepEqual(reported().slice(1).sort(), [
      'notSent Connector plc is not connected: no cable. Nothing was sent.',
      'refused It is too much.',
      'unknown Connector plc has no clear answer: silence. The device may have taken the value: look at it before you write again.',
      'unknown The device has accepted it, the disk has not.',
      'unknown the service made a mistake: see its log',
      'written 1',
      'written 9007199254740993',
      'written text',
    ]);
    host.pointsDone('provider', 'out', { measurements: [], commands: [3] });
    batch.number(1, 1, 192, 0);
    host.publish('out', batch);
    await until(() => reported().length === 10);
    assert.match(reported().at(-1) ?? '', /^refused the command is not one of this provider/);
  });
});

describe('a flood', () => {
  test('is bounded: what is not taken in time is conflated and counted, in order, and the newest arrives', async () => {
    const { events, until, start, status, hooks } = await setUp();
    hooks.readings = () => {
      const end = performance.now() + 0.2;
      while (performance.now() < end);
    };
    start('a', 'flood');
    await until(() => events.includes('a 1=20000') && status('a')?.counters.values === 20_000);
    const values = events.filter((event) => event.startsWith('a ')).map((event) => Number(event.split('=')[1]));
    assert.ok(values.every((value, index) => index === 0 || value > (values[index - 1] ?? 0)));
    assert.ok(values.length < 20_000);
    assert.equal(status('a')?.counters.conflated, 20_000 - values.length);
  });
});

describe('a thread that ends', () => {
  for (const [address, reason] of [
    ['exit', /exit code 3/],
    ['throw later', /nobody caught it/],
    ['eat memory', /memory/],
  ] as const) {
    test(`${address}: everything is reported down once, writes fail, and all is started again`, async () => {
      const { host, events, lines, hooks, until, start, give, status } = await setUp({ maxHeapMb: 64 });
      hooks.restarted = () => {
        give('a');
        give('b');
      };
      start('a', 'good', [address, 'mute']);
      start('b');
      await until(() => events.includes('a 1=1') && events.includes('b 1=1'));
      const mute = problemOf(host.write('a', 11, 1));
      const deadly = problemOf(host.write('a', 10, 1));
      for (const problem of await Promise.all([mute, deadly])) {
        assert.match(problem, /^connector-down: .*thread of the stacks ended.*may have taken/);
        assert.match(problem, reason);
      }
      assert.equal(status('a')?.state, 'down');
      assert.match(await problemOf(host.write('b', 10, 1)), /^connector-down: .*Nothing was sent/);
      await until(() => events.length === 11);
      const after = events.slice(4);
      assert.deepEqual(
        after.slice(0, 3).map((event) => event.replace(/down .*/s, 'down')),
        ['connector a down', 'connector b down', 'restarted a,b'],
      );
      assert.deepEqual(after.slice(3).sort(), ['a 1=1', 'b 1=1', 'connector a up', 'connector b up']);
      assert.ok(lines.some(({ msg }) => /it is started again in \d+ ms/.test(msg)));
      await until(() => (status('a')?.counters.values ?? 0) >= 1 && status('a')?.counters.errors === 1);
    });
  }

  test('one that does not answer for 10 s is ended, and started again', async () => {
    const clock = new ManualClock();
    const { host, events, until, start, status, untilBlocked } = await setUp({ clock, writeTimeoutMs: 60_000 });
    start('a', 'good', ['block']);
    await until(() => events.includes('a 1=1'));
    const write = problemOf(host.write('a', 10, 1));
    await untilBlocked();
    const behind = problemOf(host.write('a', 10, 2));
    for (let i = 0; i < 11; i++) clock.advance(1000);
    assert.match(await write, /^connector-down: .*not answered for 10 s.*may have taken/);
    assert.match(await behind, /^connector-down: .*not answered for 10 s.*Nothing was sent/);
    assert.match(events.at(-1) ?? '', /^connector a down/);
    clock.advance(500);
    await until(() => events.includes('restarted a'));
    assert.equal(status('a')?.state, 'connecting');
  });

  test('closing does not wait for a thread that is blocked, nor for a stack that does not end', async () => {
    const blocked = await setUp();
    blocked.start('a', 'block');
    await blocked.host.close(50);
    const stuck = await setUp();
    stuck.start('a', 'stuck');
    await stuck.until(() => stuck.events.includes('a 1=1'));
    await stuck.host.close(50);
    assert.match(stuck.events.at(-1) ?? '', /^connector a down/);
  });

  test('closing well reports what was up that it is down, and ends without force', async () => {
    const { host, events, until, start } = await setUp();
    start('a');
    await until(() => events.includes('a 1=1'));
    await host.close(600_000);
    assert.equal(events.at(-1), 'connector a down stopped');
  });
});

test('a receiver of events that throws is reported, and the bound is kept', async () => {
  const { failures, until, start, hooks, status } = await setUp();
  hooks.readings = () => {
    throw new Error('a mistake');
  };
  start('a', 'flood');
  await until(() => failures.length > 64 && status('a')?.counters.values === 20_000);
  assert.equal(failures[0]?.message, 'a mistake');
});
