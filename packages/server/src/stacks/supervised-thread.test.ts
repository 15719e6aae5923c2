import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { ManualClock } from '@telltale/schema/testing';
import { pino } from 'pino';
import type { Handlers } from '../threads/index.ts';
import type { HostClient, InstanceClient } from './protocol.ts';
import { SupervisedThread } from './supervised-thread.ts';

/** A thread that does nothing by itself but, where it is asked to, answer pings. */
class ScriptedThread extends EventEmitter {
  readonly posted: string[] = [];
  isTerminated = false;
  answers = false;

  postMessage({ method, id }: { method: string; id: number }): void {
    this.posted.push(method);
    if (method === 'ping' && this.answers) this.say('pong');
    if (method === 'close' && this.answers) this.emit('message', { kind: 'answer', id });
  }

  say(method: keyof HostClient, ...args: unknown[]): void {
    this.emit('message', { kind: 'call', id: 0, method, args });
  }

  terminate(): void {
    if (this.isTerminated) return;
    this.isTerminated = true;
    this.emit('exit', 1);
  }
}

function setUp() {
  const clock = new ManualClock();
  const startUs = clock.now();
  const threads: ScriptedThread[] = [];
  const reported: string[] = [];
  const stored = new SupervisedThread({
    create() {
      const thread = new ScriptedThread();
      threads.push(thread);
      return thread as unknown as Worker;
    },
    clock,
    log: pino({ level: 'silent' }),
    onReplaced: () => reported.push('replaced'),
    handlers: {} as Handlers<InstanceClient>,
    onSilent: (silentMs, sinceUs) => reported.push(`silent ${silentMs} ms, since ${(sinceUs - startUs) / 1000} ms`),
    onHeard: () => reported.push('heard'),
    onEnded: (reason) => reported.push(reason),
  });
  const newest = () => threads.at(-1) ?? assert.fail('there is no thread');
  return { clock, threads, reported, stored, newest };
}

/** Longer than the longest pause. */
const pauseMs = 31_000;

describe('a thread that does not answer', () => {
  test('is ended after 10 s, reported, and replaced by another after a pause', () => {
    const { clock, threads, reported, stored, newest } = setUp();
    stored.begin();
    newest().say('opened');
    clock.advance(10_000);
    assert.equal(newest().isTerminated, false);
    clock.advance(1000);
    assert.equal(reported.at(-1), 'the thread of the stacks ended: it has not answered for 10 s');
    assert.equal(threads.length, 1);
    clock.advance(pauseMs);
    assert.equal(threads.length, 2);
    assert.equal(stored.link, undefined, 'what was told to the earlier one is not yet told to this');
    newest().say('opened');
    assert.deepEqual([reported.at(-1), stored.link === undefined, stored.ends], ['replaced', false, 1]);
  });

  test('is reported silent 3 s after its last answer, each second, while it loads code too; heard when it has answered for 5 s', () => {
    const { clock, reported, stored, newest } = setUp();
    stored.begin();
    newest().say('opened');
    newest().say('loading', true);
    newest().answers = true;
    clock.advance(20_000);
    newest().answers = false;
    clock.advance(2999);
    assert.deepEqual(reported, []);
    clock.advance(1);
    assert.deepEqual(reported, ['silent 2000 ms, since 20000 ms']);
    clock.advance(2000);
    assert.deepEqual(reported.splice(0).at(-1), 'silent 4000 ms, since 20000 ms');
    newest().say('pong');
    clock.advance(3000);
    assert.deepEqual(
      reported.splice(0),
      ['silent 2000 ms, since 25000 ms'],
      'again, before it was heard for long enough',
    );
    newest().answers = true;
    newest().say('pong');
    clock.advance(4999);
    assert.deepEqual(reported, []);
    clock.advance(1);
    clock.advance(60_000);
    assert.deepEqual(reported, ['heard']);
  });

  test('has longer while it loads code, from each time that it says so', () => {
    const { clock, stored, newest } = setUp();
    stored.begin();
    clock.advance(44_000);
    newest().say('opened');
    newest().say('loading', true);
    clock.advance(44_000);
    newest().say('loading', false);
    clock.advance(9000);
    assert.equal(newest().isTerminated, false);
    clock.advance(2000);
    assert.equal(newest().isTerminated, true);
  });

  test('is not one that answers: it lives on', () => {
    const { clock, threads, stored, newest } = setUp();
    stored.begin();
    newest().say('opened');
    newest().answers = true;
    for (let second = 0; second < 600; second++) clock.advance(1000);
    assert.deepEqual([threads.length, newest().isTerminated], [1, false]);
  });
});

describe('a thread that ends again and again', () => {
  test('is replaced after ever longer pauses; one that ran for a minute makes the ends before it forgotten', () => {
    const { clock, threads, stored, newest } = setUp();
    stored.begin();
    const endAndWait = () => {
      const before = threads.length;
      newest().terminate();
      let waitedMs = 0;
      for (; threads.length === before; waitedMs += 100) clock.advance(100);
      newest().answers = true;
      newest().say('opened');
      return waitedMs;
    };
    const pauses = Array.from({ length: 8 }, endAndWait);
    assert.ok((pauses[0] ?? 0) <= 600 && (pauses[7] ?? 0) >= 15_000, `${pauses}`);
    clock.advance(60_000);
    assert.ok(endAndWait() <= 600);
  });

  test('before it is open is reported to nobody, since it was sent nothing', () => {
    const { clock, reported, stored, newest } = setUp();
    stored.begin();
    newest().terminate();
    reported.length = 0;
    clock.advance(pauseMs);
    newest().terminate();
    assert.deepEqual(reported, []);
  });
});

describe('closing', () => {
  test('asks the thread to end, and ends it when its time is over', async () => {
    const { clock, threads, stored, newest } = setUp();
    stored.begin();
    newest().say('opened');
    const closed = stored.close(2000);
    clock.advance(1999);
    assert.deepEqual([newest().posted.at(-1), newest().isTerminated], ['ping', false]);
    assert.ok(newest().posted.includes('close'));
    clock.advance(1);
    await closed;
    clock.advance(pauseMs);
    assert.deepEqual([threads.length, clock.pending], [1, 0]);
  });

  test('ends at once one that says that it is done, and one that is not open yet and was sent nothing', async () => {
    const done = setUp();
    done.stored.begin();
    done.newest().say('opened');
    done.newest().answers = true;
    const closed = done.stored.close(2000);
    await closed;
    assert.equal(done.clock.pending, 0);
    const starting = setUp();
    starting.stored.begin();
    starting.newest().terminate();
    starting.clock.advance(pauseMs);
    await starting.stored.close(2000);
    assert.deepEqual([starting.threads.length, starting.clock.pending], [2, 0]);
  });

  test('in the pause before another is started starts none', async () => {
    const { clock, threads, stored, newest } = setUp();
    stored.begin();
    newest().terminate();
    await stored.close(2000);
    clock.advance(pauseMs);
    assert.deepEqual([threads.length, clock.pending], [1, 0]);
  });
});
