import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fromTimestamp } from '@telltale/schema';
import { ModuleBench } from '../../test/module-bench.ts';

/** When it is started next, in seconds from now. */
function nextInSeconds({ modules, clock }: ModuleBench): number | undefined {
  const next = modules.status('loop')['next-start'];
  return next === null ? undefined : (fromTimestamp(next) - clock.now()) / 1e6;
}

describe('a service', () => {
  test('is started when it is configured, and runs as soon as its process is there', () => {
    const bench = ModuleBench.with();
    assert.equal(bench.state(), 'INIT');
    bench.started();
    const { state, pid } = bench.modules.status('loop');
    assert.deepEqual({ state, pid }, { state: 'RUN', pid: 1001 });
    assert.deepEqual(bench.changes, ['loop INIT', 'loop RUN']);
  });

  test('without respawn stops after exit code 0, and has failed after any other end', () => {
    for (const [end, state, text] of [
      [{ code: 0 }, 'STOP', undefined],
      [{ code: 3 }, 'FAIL', 'ended with exit code 3'],
      [{ code: 0, reason: 'too much memory.' }, 'FAIL', 'ended with exit code 0: too much memory'],
      [{ signal: 'SIGSEGV' }, 'FAIL', 'was ended by SIGSEGV'],
      [{ signal: 'SIGKILL', reason: 'too much memory.' }, 'FAIL', 'was ended by SIGKILL: too much memory'],
    ] as const) {
      const bench = ModuleBench.with();
      bench.started();
      bench.ended(end);
      bench.clock.advance(1_000_000);
      const status = bench.modules.status('loop');
      assert.equal(status.state, state);
      assert.equal(status['last-error']?.text, text);
      assert.equal(status['exit-code'], 'code' in end ? end.code : null);
      assert.equal(status['exit-signal'], 'signal' in end ? end.signal : null);
      assert.equal(status.pid, null);
      assert.equal(bench.starts(), 1);
    }
  });

  test('with respawn is started again whatever its exit code, after a pause in which it is INIT and says until when', () => {
    const bench = ModuleBench.with({ respawn: true });
    bench.fails(0);
    const { state, restarts } = bench.modules.status('loop');
    assert.deepEqual({ state, restarts }, { state: 'INIT', restarts: 0 });
    assert.equal(nextInSeconds(bench), 1);
    bench.clock.advance(999);
    assert.equal(bench.starts(), 1);
    bench.clock.advance(1);
    assert.equal(bench.starts(), 2);
    assert.equal(bench.modules.status('loop').restarts, 1);
    assert.equal(nextInSeconds(bench), undefined);
  });

  test('that ends at once is started five times in a minute and has then failed, until somebody acts', async () => {
    const acts: ((bench: ModuleBench) => unknown)[] = [
      ({ modules }) => modules.start('loop'),
      ({ modules }) => modules.restart('loop'),
      ({ modules }) => modules.executableReplaced('loop', undefined),
      (bench) => bench.put({ respawn: true, env: { CHANGED: 'yes' } }),
    ];
    for (const act of acts) {
      const bench = ModuleBench.with({ respawn: true });
      for (let start = 0; start < 5; start++) {
        bench.fails();
        bench.clock.advance(start === 4 ? 0 : 1000 * 2 ** start);
      }
      assert.equal(bench.state(), 'FAIL');
      assert.match(bench.modules.status('loop')['last-error']?.text ?? '', /5 times within 60 s.*exit code 1/);
      assert.equal(bench.modules.status('loop').restarts, 4);
      bench.clock.advance(86_400_000);
      assert.equal(bench.starts(), 5);
      act(bench);
      assert.equal(bench.starts(), 6);
      assert.equal(bench.modules.status('loop').restarts, 0);
      bench.fails();
      bench.clock.advance(1000);
      assert.equal(bench.starts(), 7);
    }
  });
});

describe('a module that runs once', () => {
  test('is stopped when it has ended well, also with respawn', () => {
    const bench = ModuleBench.with({ runMode: 'once', respawn: true });
    bench.fails(0);
    bench.clock.advance(100_000);
    assert.equal(bench.state(), 'STOP');
    assert.equal(bench.starts(), 1);
  });

  test('that ends badly is started again with respawn, and has failed without', () => {
    const again = ModuleBench.with({ runMode: 'once', respawn: true });
    again.fails(1);
    again.clock.advance(1000);
    assert.equal(again.starts(), 2);
    again.fails(0);
    assert.equal(again.state(), 'STOP');
    const not = ModuleBench.with({ runMode: 'once' });
    not.fails(1);
    assert.equal(not.state(), 'FAIL');
  });
});

describe('a module with times', () => {
  /** The clock of the bench begins at 22:13:20 UTC. */
  const untilMinuteMs = 40_000;
  const minutely = { runMode: 'cron * * * * *' };

  test('is started at its times, and is stopped between them, with its exit code and the next time', () => {
    const bench = ModuleBench.with({ ...minutely, respawn: true });
    assert.equal(nextInSeconds(bench), 40);
    assert.equal(bench.state(), 'STOP');
    bench.clock.advance(untilMinuteMs - 1);
    assert.equal(bench.starts(), 0);
    const reported: (number | undefined)[] = [];
    bench.modules.onChange(() => reported.push(nextInSeconds(bench)));
    bench.clock.advance(1);
    assert.equal(bench.starts(), 1);
    assert.deepEqual(reported, [60]);
    bench.fails(7);
    const { state, 'exit-code': code } = bench.modules.status('loop');
    assert.deepEqual({ state, code }, { state: 'STOP', code: 7 });
    assert.equal(nextInSeconds(bench), 60);
    bench.clock.advance(60_000);
    assert.equal(bench.starts(), 2);
  });

  test('that still runs at its time is left alone, which is reported', () => {
    const bench = ModuleBench.with(minutely);
    bench.clock.advance(untilMinuteMs);
    bench.started();
    bench.clock.advance(60_000);
    assert.equal(bench.starts(), 1);
    assert.deepEqual(bench.run().stops, []);
    assert.match(bench.modules.status('loop')['last-error']?.text ?? '', /still running at its time/);
    bench.ended();
    bench.clock.advance(60_000);
    assert.equal(bench.starts(), 2);
  });

  test('that is stopped has no times until it is started; a start runs it at once', async () => {
    const bench = ModuleBench.with(minutely);
    await bench.modules.stop('loop');
    bench.clock.advance(200_000);
    assert.equal(bench.starts(), 0);
    assert.equal(nextInSeconds(bench), undefined);
    const started = bench.modules.start('loop');
    bench.started();
    await started;
    bench.ended();
    assert.equal(bench.state(), 'STOP');
    bench.clock.advance(60_000);
    assert.equal(bench.starts(), 2);
  });

  test('is not started by another executable between its times, but started again while it runs', () => {
    const bench = ModuleBench.with(minutely);
    bench.modules.executableReplaced('loop', undefined);
    assert.equal(bench.starts(), 0);
    bench.clock.advance(untilMinuteMs);
    bench.started();
    bench.modules.executableReplaced('loop', undefined);
    bench.ended({ signal: 'SIGTERM' });
    assert.equal(bench.starts(), 2);
  });

  test('keeps its times when the time of day is set', () => {
    const bench = ModuleBench.with({ runMode: 'cron 0 12 * * *' });
    bench.clock.advance(200_000);
    assert.equal(bench.starts(), 0);
    bench.clock.jump((nextInSeconds(bench) ?? 0) * 1000 + 5);
    bench.clock.advance(60_000);
    assert.equal(bench.starts(), 1);
    bench.fails(0);
    bench.clock.jump(-3 * 86_400_000);
    bench.clock.advance(60_000);
    const next = nextInSeconds(bench) ?? 0;
    assert.ok(next > 0 && next <= 86_400, 'it would not run for days');
    bench.clock.advance(next * 1000);
    assert.equal(bench.starts(), 2);
  });
});

describe('liveness', () => {
  test('a module with queryTimeout is INIT until it first answers, and what it says of itself is reported', () => {
    const bench = ModuleBench.with({ queryTimeout: 500 });
    const queries: number[] = [];
    bench.started();
    bench.modules.connected('loop', (id) => queries.push(id));
    assert.equal(bench.state(), 'INIT');
    assert.equal(bench.modules.answered('loop', queries[0] ?? 0, 'warming up'), true);
    assert.equal(bench.state(), 'RUN');
    assert.equal(bench.modules.status('loop').status, 'warming up');
    bench.clock.advance(250);
    assert.equal(queries.length, 2);
    bench.modules.answered('loop', queries[1] ?? 0, 'x'.repeat(10_000));
    assert.equal(bench.modules.status('loop').status?.length, 1024);
    assert.equal(bench.modules.answered('loop', queries[1] ?? 0, 'again'), false);
    assert.equal(bench.modules.status('loop').status?.[0], 'x');
    assert.equal(bench.modules.answered('nobody', 1, undefined), false);
  });

  test('one that is silent is stopped, and treated as one that has failed whatever its exit code', () => {
    for (const respawn of [false, true]) {
      const bench = ModuleBench.with({ queryTimeout: 500, respawn });
      bench.started();
      bench.clock.advance(500);
      assert.deepEqual(bench.run().stops, [2000]);
      assert.equal(bench.state(), 'INIT');
      assert.match(bench.modules.status('loop')['last-error']?.text ?? '', /not connected to the channel for 500 ms/);
      bench.ended({ code: 0 });
      assert.equal(bench.state(), respawn ? 'INIT' : 'FAIL');
      assert.match(bench.modules.status('loop')['last-error']?.text ?? '', /not connected/);
      bench.clock.advance(1000);
      assert.equal(bench.starts(), respawn ? 2 : 1);
    }
  });

  test('a connection of a run that has ended is no connection of the next one', () => {
    const bench = ModuleBench.with({ queryTimeout: 500, respawn: true });
    const queries: number[] = [];
    bench.started();
    const old = bench.modules.connected('loop', (id) => queries.push(id));
    bench.ended({ code: 1 });
    bench.clock.advance(1000);
    bench.started();
    old.closed();
    bench.clock.advance(499);
    assert.equal(bench.modules.answered('loop', queries[0] ?? 0, 'late'), false);
    assert.deepEqual(bench.run().stops, []);
    bench.clock.advance(1);
    assert.deepEqual(bench.run().stops, [2000]);
    assert.equal(queries.length, 1);
  });

  test('what it said of itself in the run before is not reported of this one', () => {
    const bench = ModuleBench.with({ queryTimeout: 500, respawn: true });
    bench.started();
    bench.modules.connected('loop', () => undefined);
    bench.modules.answered('loop', 1, 'all well');
    assert.equal(bench.modules.status('loop').status, 'all well');
    bench.ended({ code: 1 });
    bench.clock.advance(1000);
    assert.equal(bench.modules.status('loop').status, null);
  });
});
