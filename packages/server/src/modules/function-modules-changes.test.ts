import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ModuleBench } from '../../test/module-bench.ts';

describe('a changed definition', () => {
  test('of which only the description is another changes nothing', () => {
    const bench = ModuleBench.with();
    bench.started();
    bench.changes.length = 0;
    bench.put({ description: 'what it is', enabled: true, respawn: false, debug: false, runMode: 'service', env: {} });
    assert.deepEqual(bench.run().stops, []);
    assert.deepEqual(bench.changes, []);
  });

  test('termToKill, queryTimeout and writes are taken over while it runs', () => {
    const bench = ModuleBench.with({ queryTimeout: 500 });
    bench.started();
    assert.equal(bench.state(), 'INIT');
    bench.put({ termToKill: 77, queryTimeout: 0, properties: { writes: 'valve_*' } });
    assert.deepEqual(bench.run().stops, []);
    assert.equal(bench.state(), 'RUN');
    assert.deepEqual([...bench.tokens.valid.values()], ['valve_*']);
    bench.clock.advance(10_000);
    assert.deepEqual(bench.run().stops, []);
    bench.modules.stop('loop');
    assert.deepEqual(bench.run().stops, [77]);
  });

  test('anything else starts it again, once the old one has ended, with the new definition', () => {
    for (const change of [
      { executable: 'bin/other' },
      { debug: true },
      { respawn: true },
      { runMode: 'once' },
      { env: { A: '1' } },
      { properties: { maxProcesses: '5' } },
    ]) {
      const bench = ModuleBench.with();
      bench.started();
      bench.put(change);
      assert.deepEqual(bench.run().stops, [2000], JSON.stringify(change));
      assert.equal(bench.starts(), 1);
      assert.equal(bench.state(), 'INIT');
      bench.ended({ signal: 'SIGTERM' });
      assert.equal(bench.starts(), 2);
      assert.equal(bench.state(), 'INIT');
      assert.equal(bench.modules.status('loop')['last-error'], null);
    }
  });

  test('starts one that has failed, and one that a person has stopped', async () => {
    const failed = ModuleBench.with();
    failed.fails(1);
    failed.put({ debug: true });
    assert.equal(failed.starts(), 2);
    const stopped = ModuleBench.with();
    stopped.fails(0);
    await stopped.modules.stop('loop');
    stopped.put({ debug: true });
    assert.equal(stopped.starts(), 2);
  });

  test('that disables it stops it; it is still shown, and cannot be started', async () => {
    const bench = ModuleBench.with();
    bench.started();
    bench.put({ enabled: false });
    bench.ended({ signal: 'SIGTERM' });
    const { state, enabled, 'run-mode': mode } = bench.modules.live('loop');
    assert.deepEqual({ state, enabled, mode }, { state: 'STOP', enabled: false, mode: 'service' });
    await assert.rejects(bench.modules.start('loop'), { problem: 'module-disabled' });
    await assert.rejects(bench.modules.restart('loop'), { problem: 'module-disabled' });
    await bench.modules.stop('loop');
    bench.modules.executableReplaced('loop', undefined);
    bench.clock.advance(100_000);
    assert.equal(bench.starts(), 1);
    bench.put({ enabled: true });
    assert.equal(bench.starts(), 2);
  });

  test('that cannot run, of a rendering of old, is a failure that says why', async () => {
    const bench = ModuleBench.with({ runMode: 'sometimes' });
    assert.equal(bench.state(), 'FAIL');
    assert.match(bench.modules.status('loop')['last-error']?.text ?? '', /runMode/);
    await assert.rejects(bench.modules.start('loop'), { problem: 'module-failed', message: /runMode/ });
    assert.equal(bench.starts(), 0);
  });

  test('that cannot run stops what runs, and has no times', async () => {
    const bench = ModuleBench.with();
    bench.started();
    bench.put({ runMode: 'sometimes' });
    assert.deepEqual(bench.run().stops, [2000]);
    bench.ended({ signal: 'SIGTERM' });
    assert.deepEqual([bench.state(), bench.starts()], ['FAIL', 1]);
    const timed = ModuleBench.with({ runMode: 'cron * * * * *', properties: { memoryLimit: 'much' } });
    await assert.rejects(timed.modules.start('loop'), { problem: 'module-failed', message: /memoryLimit/ });
    assert.equal(timed.modules.status('loop')['next-start'], null);
    assert.equal(timed.clock.pending, 0);
  });

  test('gives one that is being asked no more time to answer, unless it says so', () => {
    const bench = ModuleBench.with({ queryTimeout: 500 });
    bench.started();
    bench.clock.advance(400);
    bench.put({ queryTimeout: 500, termToKill: 77 });
    bench.clock.advance(100);
    assert.deepEqual(bench.run().stops, [77]);
  });

  test('of one that runs at its times starts it again; of one that now has times stops it until then', () => {
    const timed = ModuleBench.with({ runMode: 'cron * * * * *' });
    timed.clock.advance(40_000);
    timed.started();
    timed.put({ runMode: 'cron 0 * * * *' });
    timed.ended({ signal: 'SIGTERM' });
    assert.equal(timed.starts(), 2);
    const service = ModuleBench.with();
    service.started();
    service.put({ runMode: 'cron * * * * *' });
    service.ended({ signal: 'SIGTERM' });
    assert.equal(service.state(), 'STOP');
    assert.equal(service.starts(), 1);
    service.clock.advance(40_000);
    assert.equal(service.starts(), 2);
  });
});

describe('a removed module', () => {
  test('is not shown any more, and is stopped', async () => {
    const bench = ModuleBench.with();
    bench.started();
    bench.modules.remove('loop');
    assert.deepEqual(bench.run().stops, [2000]);
    assert.equal(bench.modules.has('loop'), false);
    assert.deepEqual([...bench.modules.names()], []);
    await assert.rejects(bench.modules.start('loop'), { problem: 'unknown-object' });
    assert.equal(bench.changes.at(-1), 'loop removed in RUN');
    bench.ended();
    assert.equal(bench.tokens.valid.size, 0);
    assert.equal(bench.changes.at(-1), 'loop removed in RUN');
    assert.throws(() => bench.modules.status('loop'), { problem: 'unknown-object' });
    bench.put({ enabled: false });
    bench.modules.remove('loop');
    assert.throws(() => bench.modules.status('loop'), { problem: 'unknown-object' });
  });

  test('that comes back while it still ends is started when it has, and knows nothing of before', () => {
    const bench = ModuleBench.with({ respawn: true });
    bench.fails(1);
    bench.clock.advance(1000);
    bench.started();
    bench.modules.remove('loop');
    bench.put({ respawn: true });
    assert.equal(bench.starts(), 2);
    assert.deepEqual([...bench.modules.names()], ['loop']);
    bench.ended();
    assert.equal(bench.starts(), 3);
    const { restarts, 'last-error': error } = bench.modules.status('loop');
    assert.deepEqual({ restarts, error }, { restarts: 0, error: null });
  });

  test('that comes back at once, as it was, is reported to be there again', () => {
    const bench = ModuleBench.with({ queryTimeout: 500 });
    bench.started();
    bench.modules.remove('loop');
    bench.put({ queryTimeout: 500 });
    assert.deepEqual(bench.changes.slice(-2), ['loop removed in INIT', 'loop INIT']);
  });

  test('of any name is found by its name alone', () => {
    const bench = ModuleBench.with({ name: '__proto__', env: JSON.parse('{"__proto__": "x"}') });
    bench.started('__proto__');
    assert.equal(bench.state('__proto__'), 'RUN');
    assert.equal(bench.modules.has('constructor'), false);
    assert.equal(Object.hasOwn(bench.run('__proto__').launch.env, '__proto__'), true);
    bench.modules.remove('__proto__');
    assert.equal(bench.modules.has('__proto__'), false);
  });
});

describe('another executable', () => {
  test('starts one again that runs, one that waits and one that has failed', () => {
    const runs = ModuleBench.with({ executable: 'executable' });
    runs.started();
    runs.modules.executableReplaced('loop', undefined);
    assert.deepEqual(runs.run().stops, [2000]);
    runs.ended({ signal: 'SIGTERM' });
    assert.equal(runs.starts(), 2);
    const waits = ModuleBench.with({ respawn: true });
    waits.fails(1);
    waits.modules.executableReplaced('loop', undefined);
    assert.equal(waits.starts(), 2);
    const failed = ModuleBench.with();
    failed.notStarted('it has no executable');
    failed.modules.executableReplaced('loop', undefined);
    assert.equal(failed.starts(), 2);
  });

  test('leaves alone one that a person has stopped or is stopping, and one that has ended well', async () => {
    const stopping = ModuleBench.with();
    stopping.started();
    stopping.modules.stop('loop');
    stopping.modules.executableReplaced('loop', undefined);
    stopping.ended();
    stopping.modules.executableReplaced('loop', undefined);
    assert.equal(stopping.starts(), 1);
    const ended = ModuleBench.with();
    ended.fails(0);
    ended.modules.executableReplaced('loop', undefined);
    assert.equal(ended.starts(), 1);
  });

  test('at a path that is not the one of what runs leaves it alone', () => {
    const bench = ModuleBench.with({ executable: 'bin/a' });
    bench.started();
    bench.modules.executableReplaced('loop', 'bin/b');
    assert.deepEqual(bench.run().stops, []);
    bench.modules.executableReplaced('loop', undefined);
    assert.deepEqual(bench.run().stops, []);
    bench.modules.executableReplaced('loop', 'bin/a');
    assert.deepEqual(bench.run().stops, [2000]);
    bench.modules.executableReplaced('nobody', undefined);
  });
});

describe('a module that cannot be started', () => {
  test('has failed, with the reason, and is not tried again', () => {
    const bench = ModuleBench.with({ respawn: true });
    bench.notStarted('it has no executable.');
    bench.clock.advance(100_000);
    assert.equal(bench.state(), 'FAIL');
    assert.equal(bench.modules.status('loop')['last-error']?.text, 'could not be started: it has no executable');
    assert.equal(bench.starts(), 1);
  });

  test('for a reason that may pass is tried again with respawn', () => {
    const bench = ModuleBench.with({ respawn: true });
    bench.notStarted('there is no room', true);
    assert.equal(bench.state(), 'INIT');
    bench.clock.advance(1000);
    assert.equal(bench.starts(), 2);
  });
});
