import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { until } from '@telltale/stack-kit/testing';
import { isAlive, type KeeperBench, noBounds, openBench, stateOf } from '../../../test/modules/keeper-bench.ts';

const benches: KeeperBench[] = [];
afterEach(async () => {
  for (const each of benches.splice(0)) await each.close();
});

/** Prints, and then waits to be ended. */
const pending = '#!/bin/sh\necho ready\nwhile :; do sleep 1000; done\n';

for (const [where, cgroupRoot] of [
  ['where the machine has control groups, if it has', undefined],
  ['where it has none', '/nowhere'],
] as const) {
  describe(`the end of a run, ${where}`, () => {
    const open = () => {
      const bench = openBench({ cgroupRoot });
      benches.push(bench);
      return bench;
    };

    test('is reported with the exit code, or with the signal', async () => {
      const { run, ended } = open();
      const runs = ['exit 0', 'exit 7', 'kill -SEGV $$', 'kill -TERM $$'].map((line) => run(`#!/bin/sh\n${line}\n`));
      const ends = await Promise.all(runs.map(ended));
      assert.deepEqual(ends, [
        { kind: 'ended', code: 0, signal: undefined },
        { kind: 'ended', code: 7, signal: undefined },
        { kind: 'ended', code: undefined, signal: 'SIGSEGV' },
        { kind: 'ended', code: undefined, signal: 'SIGTERM' },
      ]);
    });

    test('by stop: SIGTERM to all of the group, which may end as it likes', async () => {
      const { run, started, ended, keeper, texts, ends } = open();
      const trap = (name: string, code: number) => `trap 'echo ${name} ends; exit ${code}' TERM\n`;
      const wait = 'echo ready\nwhile :; do sleep 0.02; done\n';
      const only = run(`#!/bin/sh\n(${trap('child', 1)}${wait})&\n${trap('first', 5)}${wait}`);
      await started(only);
      await until('both wait', () => texts().filter((text) => text === 'ready').length === 2);
      keeper.stop(only, 10_000);
      assert.deepEqual(await ended(only), { kind: 'ended', code: 5, signal: undefined });
      await until('both have said so', () => texts().includes('child ends') && texts().includes('first ends'));
      assert.equal(ends.get(only)?.length, 1);
    });

    test('by stop: SIGKILL after so long to one that ignores SIGTERM, and to its children', async () => {
      const { run, started, ended, keeper, texts, marked } = open();
      const only = run(
        "#!/bin/sh\ntrap '' TERM\nsleep 1000 &\n(trap '' TERM; sleep 1000) &\necho ready\nwhile :; do sleep 1; done\n",
      );
      await started(only);
      await until('it waits', () => texts().includes('ready'));
      keeper.stop(only, 200);
      assert.deepEqual(await ended(only), { kind: 'ended', code: undefined, signal: 'SIGKILL' });
      assert.deepEqual(marked(), [keeper.pid]);
    });

    test('by stop: at once where it has no time; a later stop with less time is sooner, with more not later', async () => {
      const { run, started, ended, keeper } = open();
      const deaf = "#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 1; done\n";
      const [first, second] = [run(deaf), run(deaf)];
      await Promise.all([started(first), started(second)]);
      keeper.stop(first, 0);
      await ended(first);
      keeper.stop(second, 3_600_000);
      keeper.stop(second, 100);
      keeper.stop(second, 3_600_000);
      assert.deepEqual(await ended(second), { kind: 'ended', code: undefined, signal: 'SIGKILL' });
    });

    test('takes a child with it that made a session of its own', async () => {
      const { run, started, ended, keeper, texts, marked } = open();
      const only = run('#!/bin/sh\nsetsid sh -c "trap \'\' TERM; echo away; while :; do sleep 1; done" &\nwait\n');
      await started(only);
      await until('the child is there', () => texts().includes('away'));
      keeper.stop(only, 100);
      await ended(only);
      assert.deepEqual(marked(), [keeper.pid]);
    });

    test('takes a child with it that made a session of its own and forgot its environment', async () => {
      const { run, started, ended, keeper, texts, usages } = open();
      const only = run("#!/bin/sh\nenv -i setsid sh -c 'echo $$; exec sleep 1000' &\nwait\n");
      await started(only);
      await until('the child is there', () => texts().length === 1);
      const child = Number(texts()[0]);
      await until('it was seen', () => usages.get(only)?.processes === 2);
      keeper.stop(only, 100);
      await ended(only);
      assert.ok(!isAlive(child));
    });

    test('is reported only when what the first process left behind has ended, too', async () => {
      const { run, ended, keeper, marked } = open();
      const leave = "(trap '' TERM; while :; do sleep 1; done) &\nsetsid sleep 1000 &\nsleep 1000 &\nexit 4\n";
      const only = run(`#!/bin/sh\n${leave}`, { termToKillMs: 100 });
      assert.deepEqual(await ended(only), { kind: 'ended', code: 4, signal: undefined });
      assert.deepEqual(marked(), [keeper.pid]);
    });

    test('comes for one that is halted', async () => {
      const { run, started, ended, keeper } = open();
      const only = run(pending);
      const pid = await started(only);
      process.kill(pid, 'SIGSTOP');
      await until('it is halted', () => stateOf(pid) === 'T');
      keeper.stop(only, 60_000);
      assert.deepEqual(await ended(only), { kind: 'ended', code: undefined, signal: 'SIGTERM' });
    });

    test('comes for one that is stopped before it was started', async () => {
      const { run, ended, keeper, pids } = open();
      const only = run(pending);
      keeper.stop(only, 60_000);
      const end = await ended(only);
      assert.equal(end.kind, pids.has(only) ? 'ended' : 'notStarted');
    });
  });
}

describe('a user of its own', { skip: process.getuid?.() !== 0 && 'only root can give one' }, () => {
  test('reports a process that forgot all else: its group, its session, its environment and its parent', async () => {
    const { run, ended, texts, started } = openOwn();
    const bounds = { ...noBounds, user: { uid: 61_191, gid: 61_191 } };
    const away = `sh -c 'echo $$; : > "$0"; exec sleep 1000' "$HOME/told"`;
    // Both its parents are gone before anybody looks, and not before it has told its number.
    const script = `#!/bin/sh\n(env -i setsid ${away} &)\nuntil [ -e "$HOME/told" ]; do sleep 0.01; done\nexit 4\n`;
    const only = run(script, { bounds, termToKillMs: 100 });
    await started(only);
    assert.deepEqual(await ended(only), { kind: 'ended', code: 4, signal: undefined });
    await until('it has told its number', () => texts().length === 1);
    assert.ok(!isAlive(Number(texts()[0])));
  });

  test('is what its processes have, with no groups of the server, and its home is its own', async () => {
    const { run, ended, texts } = openOwn();
    const bounds = { ...noBounds, user: { uid: 61_192, gid: 61_193 } };
    await ended(run('#!/bin/sh\nid -u; id -g; id -G; echo "$HOME" > "$HOME/here"; ls\n', { bounds }));
    await until('it has printed', () => texts().length === 4);
    assert.deepEqual(texts(), ['61192', '61193', '61193', 'here']);
  });

  function openOwn(): KeeperBench {
    const bench = openBench({ cgroupRoot: '/nowhere' });
    benches.push(bench);
    return bench;
  }
});
