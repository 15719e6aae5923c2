import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Batch, untilAborted } from '@telltale/schema';
import { never, points, setUp, timeSteps, turns } from '../../test/connection-bench.ts';
import { BackOff, Fatal, NotConnected } from '../connector.ts';
import type { Linked } from './connection-options.ts';

describe('a link', () => {
  test('comes up, is lost, and comes up again by itself; readings stay between the two', async () => {
    let lose: (error: Error) => void = () => undefined;
    const run = () => new Promise<void>((_, reject) => (lose = reject));
    const { begin, pass, publish, events, connection } = setUp({ run });
    await begin();
    publish(1);
    lose(new NotConnected('cable'));
    publish(2);
    await turns();
    publish(3);
    await pass(499);
    assert.equal(connection.status().state, 'down');
    await pass(1);
    publish(4);
    assert.deepEqual(events, ['up', 'readings 1', 'readings 2', 'down cable', 'up', 'readings 4']);
    const { counters, lastError, state } = connection.status();
    assert.deepEqual([state, lastError?.text], ['up', 'cable']);
    assert.deepEqual([counters.values, counters.dropped, counters.connects, counters.errors], [3, 1, 2, 1]);
  });

  test('what is published while it connects comes after it is up, the newest of each point', async () => {
    const connected = Promise.withResolvers<void>();
    const { begin, publish, events, connection } = setUp({ connect: () => connected.promise });
    await begin();
    publish(1, 10);
    publish(2);
    assert.deepEqual(events, []);
    connected.resolve();
    await turns();
    assert.deepEqual(events, ['up', 'readings 10,2']);
    const { values, conflated, dropped } = connection.status().counters;
    assert.deepEqual([values, conflated, dropped], [3, 1, 0]);
  });

  test('what is published while it connects without success, and in the pause after it, is dropped and counted', async () => {
    const connected = Promise.withResolvers<void>();
    let tries = 0;
    const { begin, pass, publish, events, connection } = setUp({
      connect: async () => (++tries === 1 ? connected.promise : undefined),
    });
    await begin();
    publish(1, 10);
    connected.reject(new NotConnected('cable'));
    await turns();
    publish(2);
    await pass(500);
    assert.deepEqual(events, ['down cable', 'up']);
    assert.equal(connection.status().counters.dropped, 3);
  });

  test('has its points once, however often it is made; others when they have changed', async () => {
    const reported: number[] = [];
    let lose: (error: Error) => void = () => undefined;
    const { begin, pass, events, connection } = setUp({
      setPoints: ({ commands }) => void reported.push(commands.length),
      run: () => new Promise((_, reject) => (lose = reject)),
    });
    await begin();
    lose(new NotConnected('cable'));
    await turns();
    await pass(500);
    assert.deepEqual([events, reported], [['up', 'down cable', 'up'], [1]]);
    connection.setPoints({ measurements: [], commands: [] });
    assert.deepEqual(reported, [1, 0]);
  });

  test('is tried again after ever longer pauses, and after short ones once it was up for a while', async () => {
    const tries: number[] = [];
    let isThere = false;
    let lose: (error: Error) => void = () => undefined;
    const { clock, begin, pass } = setUp({
      connect: async () => {
        tries.push(clock.now() / 1000);
        if (!isThere) throw new NotConnected('refused');
      },
      run: () => new Promise((_, reject) => (lose = reject)),
    });
    await begin();
    for (let i = 0; i < 100; i++) await pass(250);
    const gaps = () => tries.slice(1).map((at, index) => at - (tries[index] ?? 0));
    assert.deepEqual(gaps(), [500, 1000, 2000, 4000, 5000, 5000, 5000]);
    isThere = true;
    for (let i = 0; i < 240; i++) await pass(250);
    const before = tries.length;
    lose(new Error('lost'));
    await turns();
    await pass(500);
    assert.equal(tries.length, before + 1);
  });

  test('is neither lost nor tried again before its time when the time of day is set', async () => {
    for (const byMs of timeSteps) {
      let tries = 0;
      let isThere = true;
      let lose: (error: Error) => void = () => undefined;
      const { clock, begin, pass, events } = setUp({
        connect: async () => {
          tries++;
          if (!isThere) throw new NotConnected('refused');
        },
        run: () => new Promise((_, reject) => (lose = reject)),
      });
      await begin();
      clock.jump(byMs);
      await pass(1000);
      assert.deepEqual(events, ['up']);
      isThere = false;
      lose(new Error('lost'));
      await turns();
      for (const pauseMs of [500, 1000, 2000]) {
        clock.jump(byMs);
        const before = tries;
        await pass(pauseMs - 1);
        assert.equal(tries, before);
        await pass(1);
        assert.equal(tries, before + 1);
      }
    }
  });

  test('a device that asks to be left alone is left alone for as long', async () => {
    let tries = 0;
    const { begin, pass } = setUp({
      connect: () => {
        tries++;
        throw new BackOff(45_000, 'busy');
      },
    });
    await begin();
    await pass(44_999);
    assert.equal(tries, 1);
    await pass(1);
    assert.equal(tries, 2);
  });

  test('connect is aborted after 10 s, and closed', async () => {
    const seen: string[] = [];
    const { begin, pass, connection } = setUp({
      connect: async (signal) => {
        await untilAborted(signal);
        seen.push('aborted');
      },
      close: async () => void seen.push('closed'),
    });
    await begin();
    await pass(9999);
    assert.deepEqual(seen, []);
    await pass(1);
    assert.deepEqual(seen, ['aborted', 'closed']);
    assert.equal(connection.status().lastError?.text, 'no answer within 10000 ms');
  });

  test('Fatal ends it until the points change', async () => {
    let tries = 0;
    const { begin, pass, connection } = setUp({
      connect: async () => {
        if (++tries === 1) throw new Fatal('no such unit');
      },
    });
    await begin();
    await pass(3_600_000);
    assert.deepEqual(
      [tries, connection.status().state, connection.status().lastError?.text],
      [1, 'failed', 'no such unit'],
    );
    connection.setPoints(points());
    await turns();
    assert.equal(connection.status().state, 'up');
  });

  test('points that change while it fails are tried at once', async () => {
    const { promise: first, reject } = Promise.withResolvers<Linked>();
    const { begin, connection, made } = setUp({}, () => first);
    await begin();
    connection.setPoints(points());
    reject(new Error('no licence'));
    await turns();
    assert.deepEqual([made.length, connection.status().state], [2, 'failed']);
  });

  test('a stack that cannot be made has failed, with the reason', async () => {
    const { begin, connection } = setUp({}, () => Promise.reject(new Error('no licence')));
    await begin();
    assert.deepEqual([connection.status().state, connection.status().lastError?.text], ['failed', 'no licence']);
  });
});

describe('a stack whose code is slow to load', () => {
  test('is tried again, and runs once it is there', async () => {
    const { promise: loaded, resolve: load } = Promise.withResolvers<void>();
    const ready: Linked = {
      setPoints: () => undefined,
      connect: async () => undefined,
      run: untilAborted,
      close: async () => undefined,
    };
    const { begin, pass, connection } = setUp({}, () => loaded.then(() => ready));
    await begin();
    for (let ms = 0; ms < 60_000; ms += 1000) await pass(1000);
    const { state, lastError } = connection.status();
    assert.notEqual(state, 'failed');
    assert.equal(lastError?.text, 'no answer within 15000 ms');
    load();
    for (let ms = 0; ms < 30_000 && connection.status().state !== 'up'; ms += 1000) await pass(1000);
    assert.equal(connection.status().state, 'up');
    await connection.stop();
  });
});

describe('whatever a stack throws, it is tried again:', () => {
  const throwing = (thrown: unknown) => () => {
    throw thrown;
  };
  const hostile = Object.defineProperty(new Error(), 'message', { get: throwing(new Error('twice')) });
  for (const [what, thrown] of [
    ['an error', new Error('x')],
    ['nothing', undefined],
    ['null', null],
    ['a text', 'x'],
    ['an object without a prototype', Object.create(null)],
    ['an error that throws when it is read', hostile],
    ['a very long message', new Error('x'.repeat(1e6))],
  ] as const) {
    for (const method of ['setPoints', 'connect', 'run', 'close'] as const) {
      test(`${what} out of ${method}`, async () => {
        const script = { [method]: throwing(thrown), ...(method === 'close' && { connect: throwing(thrown) }) };
        const { begin, pass, connection } = setUp(script);
        await begin();
        for (let i = 0; i < 4; i++) await pass(30_000);
        const { counters, state, lastError } = connection.status();
        assert.ok(counters.errors >= 4, `${counters.errors} errors`);
        assert.notEqual(state, 'failed');
        assert.ok((lastError?.text.length ?? 0) < 600);
        await connection.stop();
      });
    }
  }

  test('out of a provider’s publish: it stays up, and the error is counted', async () => {
    const { begin, connection } = setUp({ publish: throwing('x') });
    await begin();
    connection.publish(new Batch());
    assert.deepEqual([connection.status().state, connection.status().counters.errors], ['up', 1]);
  });

  test('out of setPoints while it is up: it is down at once, and another one is made', async () => {
    let isBroken = false;
    const { begin, pass, connection, events, made } = setUp({
      setPoints() {
        if (isBroken) throw new Error('too many');
      },
    });
    await begin();
    isBroken = true;
    connection.setPoints(points());
    assert.deepEqual(events, ['up', 'down too many']);
    isBroken = false;
    await turns();
    await pass(500);
    assert.deepEqual([events.at(-1), made.length], ['up', 2]);
  });

  test('what is no batch is refused without harm', async () => {
    const { begin, made, connection, events } = setUp();
    await begin();
    for (const wrong of [undefined, null, 7, {}, { count: 1e9, points: [] }, { count: Number.NaN, points: [] }]) {
      made[0]?.publish(wrong as unknown as Batch);
    }
    assert.deepEqual([connection.status().counters.errors, events], [6, ['up']]);
  });
});

describe('a stack that does not come back', () => {
  for (const method of ['connect', 'run', 'close'] as const) {
    test(`${method}: stopping does not wait for it, and says so in the log`, async () => {
      const { begin, pass, connection, lines, clock } = setUp({ [method]: () => never });
      await begin();
      let isStopped = false;
      const stopping = connection.stop().then(() => {
        isStopped = true;
      });
      for (let i = 0; i < 10 && !isStopped; i++) await pass(1000);
      await stopping;
      assert.match(lines.join('\n'), new RegExp(`error ${method} was aborted and has not ended`));
      assert.equal(clock.pending, 0);
    });
  }

  test('and was aborted already: stopping does not wait for it either', async () => {
    const { begin, pass, connection, clock } = setUp({ connect: () => never });
    await begin();
    await pass(11_000);
    let isStopped = false;
    connection.stop().then(() => {
      isStopped = true;
    });
    await pass(1000);
    assert.deepEqual([isStopped, clock.pending], [true, 0]);
  });

  test('close: one that comes back late is not closed a second time', async () => {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    let closes = 0;
    const { begin, pass, connection } = setUp({
      close() {
        closes++;
        return late;
      },
    });
    await begin();
    const stopped = connection.stop();
    await turns();
    await pass(2000);
    await stopped;
    resolve();
    await turns();
    assert.equal(closes, 1);
  });

  test('is made again; what the old one still opens is closed, and what it publishes counts for nothing', async () => {
    const first = Promise.withResolvers<void>();
    let tries = 0;
    let closes = 0;
    const { begin, pass, made, events, connection } = setUp({
      connect: async () => (++tries === 1 ? first.promise : undefined),
      close: async () => void closes++,
    });
    await begin();
    for (let i = 0; i < 13; i++) await pass(1000);
    assert.deepEqual([made.length, closes, events], [2, 1, ['down no answer within 10000 ms', 'up']]);
    first.resolve();
    await turns();
    assert.equal(closes, 2);
    const late = new Batch();
    late.number(1, 1, 192, 0);
    made[0]?.publish(late);
    assert.deepEqual([events, connection.status().counters.dropped], [['down no answer within 10000 ms', 'up'], 1]);
  });

  test('is not tried without end: ten calls that never come back are enough', async () => {
    const calls: (() => void)[] = [];
    const connect = () => new Promise<void>((resolve) => calls.push(resolve));
    const { begin, pass, made, connection } = setUp({ connect });
    await begin();
    for (let i = 0; i < 500; i++) await pass(5000);
    assert.equal(made.length, 10);
    assert.match(connection.status().lastError?.text ?? '', /10 calls of the stack have not returned/);
    calls[0]?.();
    for (let i = 0; i < 500; i++) await pass(5000);
    assert.equal(made.length, 11, 'one has come back, so that another is tried');
    connection.stop();
  });
});
