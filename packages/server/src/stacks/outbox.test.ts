import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Batch, type BatchMessage } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import fc from 'fast-check';
import { consume, createConsumed, Outbox } from './outbox.ts';

function setUp() {
  const clock = new ManualClock();
  const consumed = createConsumed();
  const posted: { id: number; batch: BatchMessage }[] = [];
  const outbox = new Outbox({ consumed, clock, post: (id, batch) => posted.push({ id, batch }) });
  const send = (id: number, point: number, value: number, capacity = 8) => {
    const batch = new Batch(capacity);
    batch.number(point, value, 192, value);
    const passedOver = outbox.send(id, batch, () => true);
    assert.equal(batch.count, 0);
    return passedOver;
  };
  const values = (from = 0) =>
    posted.slice(from).flatMap(({ batch }) => {
      const { count, numbers } = Batch.from(batch);
      return [...numbers.slice(0, count)];
    });
  return { clock, consumed, posted, outbox, send, values };
}

test('nothing is tried any more once it is closed', () => {
  const { clock, posted, outbox, send } = setUp();
  for (let i = 0; i < 65; i++) send(1, i, i);
  outbox.close();
  assert.deepEqual([posted.length, clock.pending], [64, 0]);
});

test('64 batches are on their way at most; then readings wait as the newest of their points', () => {
  const { clock, consumed, posted, send, values } = setUp();
  for (let i = 0; i < 64; i++) assert.equal(send(1, i, i), 0);
  assert.deepEqual(
    [64, 65, 66].map((value) => send(1, value % 2, value)),
    [0, 0, 1],
  );
  clock.advance(1000);
  assert.equal(posted.length, 64);
  consume(consumed, posted[0]?.batch as BatchMessage);
  clock.advance(5);
  assert.equal(posted.length, 65);
  assert.deepEqual(values(64), [65, 66]);
  assert.equal(clock.pending, 0);
});

test('the memory of a batch is given back when it is consumed', () => {
  const { consumed, posted, send } = setUp();
  send(1, 1, 1);
  const { batch } = posted[0] as (typeof posted)[number];
  consume(consumed, batch);
  assert.ok(batch.buffer.detached);
});

test('large batches count by their room, and one always goes', () => {
  const { posted, send } = setUp();
  send(1, 1, 1, 2 ** 19);
  send(1, 1, 2);
  assert.equal(posted.length, 1);
});

test('what must come before news is sent, room or not; what is of no use is forgotten', () => {
  const { clock, posted, outbox, send, values } = setUp();
  for (let i = 0; i < 64; i++) send(1, 0, i);
  send(1, 0, 100);
  send(2, 0, 200);
  outbox.flush(1);
  outbox.forget(2);
  outbox.flush(1);
  assert.deepEqual([posted.length, values(64)], [65, [100]]);
  clock.advance(5);
  assert.equal(clock.pending, 0);
});

test('in any order of sending and consuming, values of a point keep their order, the newest arrives, the rest is counted', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(2), fc.nat(3), fc.nat(3)), { minLength: 100, maxLength: 300 }), (steps) => {
      const { clock, consumed, posted, send } = setUp();
      const newest = new Map<string, number>();
      const last = new Map<string, number>();
      let [passedOver, arrived, at, done] = [0, 0, 0, 0];
      const consumeNext = () => {
        const { id, batch } = posted[done++] as (typeof posted)[number];
        const { count, points, numbers } = Batch.from(batch);
        for (let i = 0; i < count; i++, arrived++) {
          const key = `${id} ${points[i]}`;
          assert.ok((last.get(key) ?? 0) < (numbers[i] ?? 0));
          last.set(key, numbers[i] ?? 0);
        }
        consume(consumed, batch);
      };
      for (const [id, point, consumes] of steps) {
        passedOver += send(id, point, ++at);
        newest.set(`${id} ${point}`, at);
        for (let i = 0; i < consumes - 2 && done < posted.length; i++) consumeNext();
        assert.ok(posted.length - done <= 64);
        if (point === 0) clock.advance(5);
      }
      while (done < posted.length || clock.pending > 0) {
        if (done < posted.length) consumeNext();
        clock.advance(5);
      }
      assert.deepEqual([...last].sort(), [...newest].sort());
      assert.equal(arrived + passedOver, steps.length);
    }),
    { numRuns: 50 },
  );
});
