import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fromTimestamp, ProblemError } from '@telltale/schema';
import { ModuleBench } from '../../test/module-bench.ts';

/** What a promise has become by now. */
function fate(promise: Promise<unknown>): () => Promise<string> {
  let outcome = 'waits';
  promise.then(
    () => {
      outcome = 'done';
    },
    (error: Error) => {
      outcome = error instanceof ProblemError ? `${error.problem}: ${error.message}` : error.message;
    },
  );
  return async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return outcome;
  };
}

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
    bench.clock.advance(1);
    assert.equal(bench.starts(), 1);
    bench.fails(7);
    const { state, 'exit-code': code } = bench.modules.status('loop');
    assert.deepEqual({ state, code }, { state: 'STOP', code: 7 });
    assert.equal(nextInSeconds(bench), 60);
    bench.clock.advance(60_000);
    assert.equal(bench.starts(), 2);
  });

  test('that still runs at its time is left alone, which is told', () => {
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

  test('is not started by another executable between its times, but started anew while it runs', () => {
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
  test('a module with queryTimeout is INIT until it first answers, and what it says of itself is told', () => {
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

  test('what it said of itself in the run before is not told of this one', () => {
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

  test('anything else starts it anew, once the old one has ended, with the new definition', () => {
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
      assert.equal(bench.state(), 'RUN');
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

  test('of one that runs at its times starts it anew; of one that now has times stops it until then', () => {
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
  test('starts one anew that runs, one that waits and one that has failed', () => {
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

describe('a request', () => {
  test('to start is answered when the process is there; of one that runs, at once', async () => {
    const bench = ModuleBench.with();
    bench.fails(1);
    const answer = fate(bench.modules.start('loop'));
    assert.equal(await answer(), 'waits');
    bench.started();
    assert.equal(await answer(), 'done');
    await bench.modules.start('loop');
    assert.equal(bench.starts(), 2);
  });

  test('to start fails with the reason where nothing was started', async () => {
    const bench = ModuleBench.with();
    bench.fails(1);
    const answer = fate(bench.modules.start('loop'));
    bench.notStarted('no such interpreter: /bin/nosh');
    assert.equal(await answer(), 'module-failed: loop could not be started: no such interpreter: /bin/nosh.');
  });

  test('to start ends a pause', () => {
    const bench = ModuleBench.with({ respawn: true });
    bench.fails(1);
    bench.modules.start('loop');
    assert.equal(bench.starts(), 2);
    bench.clock.advance(1000);
    assert.equal(bench.starts(), 2);
  });

  test('to stop is answered when it has ended; it stays stopped, and is no failure', async () => {
    const bench = ModuleBench.with({ respawn: true });
    bench.started();
    const answer = fate(bench.modules.stop('loop'));
    assert.deepEqual(bench.run().stops, [2000]);
    assert.equal(await answer(), 'waits');
    assert.equal(bench.state(), 'RUN');
    bench.ended({ signal: 'SIGKILL' });
    assert.equal(await answer(), 'done');
    bench.clock.advance(1_000_000);
    const { state, 'exit-signal': signal, 'last-error': error } = bench.modules.status('loop');
    assert.deepEqual({ state, signal, error }, { state: 'STOP', signal: 'SIGKILL', error: null });
    assert.equal(bench.starts(), 1);
    await bench.modules.stop('loop');
  });

  test('to stop ends a pause, and makes one that has failed one that is stopped', async () => {
    const waits = ModuleBench.with({ respawn: true });
    waits.fails(1);
    await waits.modules.stop('loop');
    waits.clock.advance(100_000);
    assert.equal(waits.starts(), 1);
    assert.equal(waits.state(), 'STOP');
    const failed = ModuleBench.with();
    failed.fails(1);
    await failed.modules.stop('loop');
    assert.equal(failed.state(), 'STOP');
  });

  test('to restart is answered when the new process is there', async () => {
    const bench = ModuleBench.with();
    const answer = fate(bench.modules.restart('loop'));
    bench.started();
    assert.equal(await answer(), 'waits');
    bench.ended({ signal: 'SIGTERM' });
    assert.equal(await answer(), 'waits');
    assert.equal(bench.starts(), 2);
    bench.started();
    assert.equal(await answer(), 'done');
  });

  test('to start while it is being stopped starts it when it has ended, and both are answered', async () => {
    const bench = ModuleBench.with();
    bench.started();
    const stop = fate(bench.modules.stop('loop'));
    const start = fate(bench.modules.start('loop'));
    assert.deepEqual(bench.run().stops, [2000]);
    bench.ended();
    assert.equal(await stop(), 'done');
    assert.equal(await start(), 'waits');
    bench.started();
    assert.equal(await start(), 'done');
  });

  test('to stop while it is being started fails the start', async () => {
    const bench = ModuleBench.with();
    bench.fails(0);
    const start = fate(bench.modules.start('loop'));
    bench.modules.stop('loop');
    bench.ended({ signal: 'SIGTERM' });
    assert.equal(await start(), 'module-failed: loop was stopped before it had started.');
  });

  test('about a module that there is not fails', async () => {
    const bench = new ModuleBench();
    for (const request of ['start', 'stop', 'restart'] as const) {
      await assert.rejects(bench.modules[request]('loop'), { problem: 'unknown-object' });
    }
    await assert.rejects(bench.modules.readLog('loop', 10, undefined), { problem: 'unknown-object' });
    assert.throws(() => bench.modules.live('loop'), { problem: 'unknown-object' });
  });

  test('for its log is handed to whoever has it', async () => {
    const bench = ModuleBench.with();
    await bench.modules.readLog('loop', 10, 'err');
    assert.deepEqual(bench.processes.logRequests, [{ module: 'loop', lines: 10, stream: 'err' }]);
    const seen: unknown[] = [];
    bench.modules.onLines((lines) => seen.push(lines));
    bench.modules.watchLogs(['loop']);
    assert.deepEqual(bench.processes.watched, ['loop']);
    bench.modules.events.onLines({ module: 'loop', lines: [], skipped: 3 });
    assert.deepEqual(seen, [{ module: 'loop', lines: [], skipped: 3 }]);
  });
});

describe('a run', () => {
  test('gets its file, exactly its environment, its bounds and a token of its own', () => {
    const bench = ModuleBench.with({
      executable: 'bin/loop.py',
      debug: true,
      env: { LANG: 'de_DE.UTF-8', GAIN: '2' },
      properties: { sha256: 'AB'.repeat(32), writes: 'valve_1' },
    });
    assert.deepEqual(bench.run().launch, {
      run: 1,
      module: 'loop',
      executable: '/executables/loop/bin/loop.py',
      sha256: 'ab'.repeat(32),
      env: {
        PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
        LANG: 'de_DE.UTF-8',
        GAIN: '2',
        TELLTALE_BASE_URL: 'http://127.0.0.1:8080/data',
        TELLTALE_WS_URL: 'ws://127.0.0.1:8080/data/ws',
        TELLTALE_MODULE: 'loop',
        TELLTALE_TOKEN: 'token-loop-1',
        TELLTALE_NODE: process.execPath,
        TELLTALE_DEBUG: '1',
      },
      bounds: { user: undefined, memoryBytes: undefined, cpuCores: undefined, maxProcesses: undefined },
      termToKillMs: 2000,
    });
  });

  test('has a token from its start until nothing of it lives any more', async () => {
    const bench = ModuleBench.with({ respawn: true, properties: { writes: 'valve_1' } });
    assert.deepEqual([...bench.tokens.valid], [['token-loop-1', 'valve_1']]);
    bench.started();
    const restarted = assert.rejects(bench.modules.restart('loop'), { problem: 'module-failed' });
    assert.equal(bench.tokens.valid.has('token-loop-1'), true);
    bench.ended();
    assert.deepEqual([...bench.tokens.valid.keys()], ['token-loop-2']);
    bench.notStarted('no');
    assert.equal(bench.tokens.valid.size, 0);
    await restarted;
  });

  test('is told with what it takes while it lives', () => {
    const bench = ModuleBench.with();
    bench.started();
    bench.modules.events.onUsage(new Map([[1, { cores: 0.25, memoryBytes: 4096, processes: 2 }]]));
    const { cpu, memory, processes } = bench.modules.live('loop');
    assert.deepEqual({ cpu, memory, processes }, { cpu: 0.25, memory: 4096, processes: 2 });
    bench.ended();
    bench.modules.events.onUsage(new Map([[1, { cores: 0.25, memoryBytes: 4096, processes: 2 }]]));
    assert.equal(bench.modules.live('loop').cpu, null);
  });
});

describe('the service', () => {
  test('starts nothing before it is ready', async () => {
    const bench = new ModuleBench();
    bench.put();
    bench.modules.put({ name: 'off', termToKill: 0, queryTimeout: 0, enabled: false });
    const answer = fate(bench.modules.start('loop'));
    assert.equal(bench.processes.launches.length, 0);
    assert.equal(bench.state(), 'INIT');
    bench.modules.open();
    assert.deepEqual(
      bench.processes.launches.map(({ module }) => module),
      ['loop'],
    );
    bench.started();
    assert.equal(await answer(), 'done');
    const early = new ModuleBench();
    early.put();
    const refused = fate(early.modules.start('loop'));
    await early.modules.stop('loop');
    assert.match(await refused(), /^module-failed/);
    early.modules.open();
    assert.equal(early.starts(), 0);
  });

  test('stops all that run when it stops, in the time that it has, and starts nothing any more', async () => {
    const bench = ModuleBench.with({ respawn: true, termToKill: 30_000 });
    bench.modules.put({ name: 'gone', termToKill: 30_000, queryTimeout: 0 });
    bench.modules.put({ name: 'quick', termToKill: 10, queryTimeout: 500 });
    bench.modules.put({ name: 'timed', termToKill: 10, queryTimeout: 0, runMode: 'cron * * * * *' });
    bench.modules.put({ name: 'waits', termToKill: 10, queryTimeout: 0, respawn: true });
    bench.started();
    bench.started('quick');
    bench.fails(1, 'waits');
    bench.modules.remove('gone');
    const answer = fate(bench.modules.close(4000));
    assert.deepEqual(bench.run().stops, [4000]);
    assert.deepEqual(bench.run('quick').stops, [10]);
    assert.deepEqual(bench.run('gone').stops, [30_000, 4000]);
    assert.equal(bench.clock.waiting, 0);
    bench.ended();
    bench.ended({}, 'quick');
    assert.equal(await answer(), 'waits');
    bench.ended({}, 'gone');
    assert.equal(await answer(), 'done');
    await assert.rejects(bench.modules.start('loop'), { problem: 'stopping' });
    bench.put({ debug: true });
    bench.modules.put({ name: 'new', termToKill: 10, queryTimeout: 0, runMode: 'cron * * * * *' });
    bench.modules.executableReplaced('loop', undefined);
    assert.equal(bench.clock.waiting, 0);
    assert.equal(bench.processes.alive.size, 0);
    assert.equal(bench.tokens.valid.size, 0);
  });

  test('tells each change once', () => {
    const bench = ModuleBench.with({ respawn: true });
    bench.started();
    bench.ended({ code: 1 });
    bench.clock.advance(1000);
    bench.started();
    bench.modules.stop('loop');
    bench.ended();
    bench.modules.remove('loop');
    bench.modules.remove('loop');
    const states = bench.changes.map((change) => change.slice('loop '.length));
    assert.deepEqual(states, ['INIT', 'RUN', 'INIT', 'INIT', 'RUN', 'STOP', 'removed in STOP']);
  });
});
