import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatTimestamp } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { hostsOfTests, openGate, problemOf } from '../../test/host-bench.ts';

const { setUp } = hostsOfTests();

describe('a stack that harms its thread takes what is in it along, and nothing else:', () => {
  for (const [address, reason] of [
    ['exit', /exit code 3/],
    ['throw later', /nobody caught it/],
    ['reject later', /nobody caught it/],
    ['eat memory', /memory/],
    ['eat buffers', /buffers take more memory than 64 MiB/],
  ] as const) {
    test(address, async () => {
      const { host, events, hooks, until, start, give, status } = await setUp({
        threads: 3,
        maxHeapMb: 64,
        writeTimeoutMs: 600_000, // the end of the thread is what is waited for
      });
      hooks.restarted = () => give('bad');
      host.start('provider', { name: 'out', stackName: 'trial', vars: {}, properties: {} });
      host.pointsDone('provider', 'out');
      start('good', 'good', ['good']);
      start('bad', 'good', [address]);
      const settled = ['good 1=1', 'bad 1=1', 'provider out up'];
      await until(() => settled.every((event) => events.includes(event)));
      events.length = 0;
      const deadly = host.write('bad', 10, 1);
      let written = 0;
      const goesOn = (async () => {
        while (!events.includes('bad 1=1')) await host.write('good', 10, ++written);
      })();
      assert.match(await problemOf(deadly), reason);
      await goesOn;
      await until(() => events.includes(`good 1=${written}`));
      // A thread that fills its memory on a busy machine may be late before it ends.
      const others = events.filter((event) => !/^good 1=| (late|lost)$/.test(event));
      assert.deepEqual(
        others.map((event) => event.replace(/down .*/s, 'down')),
        ['connector bad down', 'restarted bad', 'connector bad up', 'bad 1=1'],
      );
      assert.deepEqual(host.threads(), { running: 3, replaced: 1 });
      assert.equal(status('good')?.counters.errors, 0);
    });
  }

  test('block', async () => {
    const clock = new ManualClock();
    const { host, events, until, start, untilBlocked } = await setUp({ threads: 2, clock });
    start('good', 'good', ['good']);
    start('bad', 'good', ['block']);
    await until(() => events.includes('good 1=1') && events.includes('bad 1=1'));
    const deadly = problemOf(host.write('bad', 10, 1));
    await untilBlocked();
    for (let second = 1; second <= 11; second++) {
      clock.advance(1000);
      await host.write('good', 10, second); // its thread has answered the ping before this
    }
    assert.match(await deadly, /^write-timeout: .*may have taken/);
    await until(() => events.some((event) => /^connector bad down .*not answered for 10 s/.test(event)));
    clock.advance(500); // from the end of the thread on
    await until(() => events.includes('restarted bad'));
    assert.ok(!events.some((event) => /^connector good (down|late|lost)/.test(event)));
  });

  test('block: what it read is late within 3 s and lost within 5 s, and its state says why and since when', async () => {
    const clock = new ManualClock();
    const { host, events, lines, until, start, status, untilBlocked } = await setUp({ clock });
    start('bad', 'good', ['block']);
    await until(() => events.includes('bad 1=1'));
    const sinceUs = clock.now();
    const deadly = problemOf(host.write('bad', 10, 1));
    await untilBlocked();
    clock.advance(3000);
    assert.equal(events.at(-1), 'connector bad late');
    assert.deepEqual([status('bad')?.state, status('bad')?.silentSinceUs], ['up', sinceUs]);
    clock.advance(1000);
    assert.equal(events.filter((event) => event === 'connector bad late').length, 1, 'it is said once');
    clock.advance(1000);
    assert.equal(events.at(-1), 'connector bad lost');
    assert.deepEqual([status('bad')?.state, status('bad')?.sinceUs], ['down', clock.now()]);
    const why = `thread 1 of the stacks has not answered since ${formatTimestamp(sinceUs)}`;
    assert.equal(status('bad')?.lastError?.text, why);
    const logged = lines.flatMap(({ connector, msg }) => (connector === 'bad' && msg.startsWith(why) ? [msg] : []));
    assert.deepEqual(logged, [
      `${why}: its points are uncertain until it does`,
      `${why}: it counts as lost until it does`,
    ]);
    assert.match(await deadly, /^write-timeout: .*no answer within 5000 ms.*may have taken/);
    clock.advance(6000);
    await until(() => /^connector bad down .* not answered for 10 s/.test(events.at(-1) ?? ''));
  });

  test('block for a while: what was late is as before when its thread has answered for 5 s', async () => {
    const clock = new ManualClock();
    const { host, events, until, start, status, untilBlocked } = await setUp({ clock });
    start('a', 'good', ['gate']);
    await until(() => events.includes('a 1=1') && status('a')?.state === 'up');
    const blocking = host.write('a', 10, 1);
    await untilBlocked();
    clock.advance(3000);
    assert.equal(events.at(-1), 'connector a late');
    openGate();
    await blocking;
    for (let second = 0; second < 5; second++) {
      await host.confirm([{ role: 'connector', name: 'a' }]); // so its thread has answered the pings as well
      clock.advance(1000);
    }
    await until(() => events.includes('connector a heard'));
    assert.deepEqual(
      [status('a')?.state, status('a')?.lastError, status('a')?.silentSinceUs],
      ['up', undefined, undefined],
    );
  });

  test('block for a while: what is read once in a while is not late as long as it need not have been read twice', async () => {
    const clock = new ManualClock();
    const { host, events, until, start, status, untilBlocked } = await setUp({ clock });
    start('slow', 'slow', ['gate']);
    start('fast', 'good', []);
    await until(() => events.includes('fast 1=1') && status('slow')?.scanPeriodMs === 4000);
    const blocking = problemOf(host.write('slow', 10, 1));
    await untilBlocked();
    clock.advance(8000);
    assert.deepEqual(
      events.filter((event) => /late|lost/.test(event)),
      ['connector fast late', 'connector fast lost'],
    );
    clock.advance(1000);
    assert.equal(events.at(-1), 'connector slow late');
    openGate();
    assert.match(await blocking, /^write-timeout/);
  });
});

test('one whose code is slow to load has 45 s before its thread is ended', async () => {
  const clock = new ManualClock();
  const { host, events, lines, until, start, status } = await setUp({ clock });
  start('a');
  await until(() => events.includes('a 1=1'));
  host.start('connector', { name: 'b', stackName: 'heavy', vars: {}, properties: {} });
  host.pointsDone('connector', 'b');
  await until(() => lines.some(({ msg }) => msg === 'loading'));
  for (let second = 0; second < 46; second++) clock.advance(1000);
  await until(() => host.threads().running === 0);
  assert.match(status('a')?.lastError?.text ?? '', /not answered for 45 s/);
});

test('one that prints, and that speaks to the server past its host, does no harm: what it prints is logged', async () => {
  const { host, events, lines, until, start, failures } = await setUp({});
  start('a', 'good', ['babble', 'good']);
  await until(() => events.includes('a 1=1'));
  await host.write('a', 10, 1);
  await host.write('a', 11, 5);
  await until(() => events.includes('a 1=5'));
  await until(() => ['printed', 'complained'].every((text) => lines.some((l) => l.msg === text && l.thread === 1)));
  assert.deepEqual(failures, []);
});
