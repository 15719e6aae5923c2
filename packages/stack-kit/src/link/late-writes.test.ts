import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Value } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { written } from '../write-result.ts';
import { type DeviceWrite, LinkWrites } from './link-writes.ts';

/** Of a thread that is busy: its timers are late by `busyMs`. */
function setUp() {
  const clock = new ManualClock();
  const thread = { busyMs: 0 };
  const handed: Value[] = [];
  const answers: (() => void)[] = [];
  const silent = () => undefined;
  const writes = new LinkWrites({
    clock: {
      now: () => clock.now(),
      monotonicMs: () => clock.monotonicMs() + thread.busyMs,
      after: (ms, call) => clock.after(ms, call),
    },
    log: { debug: silent, info: silent, warn: silent, error: silent },
    command: (id) => ({ id, name: `c${id}`, address: '', datatype: 'd', properties: {}, last: undefined }),
    hand(_, value) {
      handed.push(value);
      return new Promise((resolve) => answers.push(() => resolve(written.accepted)));
    },
    handMany: undefined,
    onAccepted: silent,
  });
  return { thread, handed, answers, write: (...all: DeviceWrite[]) => writes.write(all, 1000) };
}

test('a write whose time is over is not handed to the stack, though the thread was too busy to notice', async () => {
  const { thread, handed, answers, write } = setUp();
  const [first] = write({ commandId: 1, value: 1 });
  const behind = [2, 3].flatMap((value) => write({ commandId: 1, value }));
  thread.busyMs = 1000;
  answers[0]?.();
  assert.equal((await first)?.kind, 'accepted');
  const expired = { kind: 'timeout', sent: false, reason: 'its timeout had expired' };
  assert.deepEqual(await Promise.all(behind), [expired, expired]);
  assert.deepEqual(handed, [1]);
});

test('a write that was given up is not handed to the stack, and those behind it are', async () => {
  const { handed, answers, write } = setUp();
  const claims: Value[] = [];
  const claim = (value: number, isFree: boolean) => () => {
    claims.push(value);
    return isFree;
  };
  const outcomes = [
    write({ commandId: 1, value: 1, claim: claim(1, false) }),
    write({ commandId: 1, value: 2, claim: claim(2, true) }),
    write({ commandId: 1, value: 3, claim: claim(3, false) }),
    write({ commandId: 1, value: 4, claim: claim(4, true) }),
  ].flat();
  for (let at = 0; at < 2; at++) {
    answers[at]?.();
    await new Promise(setImmediate);
  }
  const kinds = (await Promise.all(outcomes)).map(({ kind }) => kind);
  assert.deepEqual(
    [kinds, handed],
    [
      ['timeout', 'accepted', 'timeout', 'accepted'],
      [2, 4],
    ],
  );
  assert.deepEqual(claims, [1, 2, 3, 4], 'each is asked for once');
});
