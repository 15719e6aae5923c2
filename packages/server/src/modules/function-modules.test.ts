import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fromTimestamp, ProblemError } from '@telltale/schema';
import { ModuleBench, uploaded } from '../../test/module-bench.ts';

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
      uploaded: [uploaded],
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

  test('is reported with what it takes while it lives', () => {
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
    assert.equal(bench.clock.pending, 0);
    bench.ended();
    bench.ended({}, 'quick');
    assert.equal(await answer(), 'waits');
    bench.ended({}, 'gone');
    assert.equal(await answer(), 'done');
    bench.modules.open();
    await assert.rejects(bench.modules.start('loop'), { problem: 'stopping' });
    bench.put({ debug: true });
    bench.modules.put({ name: 'new', termToKill: 10, queryTimeout: 0, runMode: 'cron * * * * *' });
    bench.modules.executableReplaced('loop', undefined);
    assert.equal(bench.clock.pending, 0);
    assert.equal(bench.processes.alive.size, 0);
    assert.equal(bench.tokens.valid.size, 0);
  });

  test('leaves one that has failed as it is when it stops', async () => {
    const bench = ModuleBench.with();
    bench.fails(1);
    bench.changes.length = 0;
    await bench.modules.close(4000);
    assert.deepEqual([bench.state(), bench.changes], ['FAIL', []]);
  });

  test('reports each state later than the one before, though the clock counts in milliseconds', () => {
    const bench = ModuleBench.with();
    const times = [bench.modules.status('loop').since];
    bench.started();
    times.push(bench.modules.status('loop').since);
    bench.ended();
    times.push(bench.modules.status('loop').since);
    const [first = 0, second = 0, third = 0] = times.map(fromTimestamp);
    assert.ok(first < second && second < third, `${times.join(' ')}`);
  });

  test('reports each change once', () => {
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
