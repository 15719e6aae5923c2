import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import fc from 'fast-check';
import { Batch, type BatchMessage } from './batch.ts';
import { form } from './datatype.ts';
import type { Value } from './value-text.ts';

interface Reading {
  readonly point: number;
  readonly value: Value | undefined;
  readonly quality: number;
  readonly timeUs: number;
}

const anyReading: fc.Arbitrary<Reading> = fc.record({
  point: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  value: fc.oneof(
    fc.double(),
    fc.boolean(),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.string({ unit: 'binary' }),
    fc.constant(undefined),
  ),
  quality: fc.integer({ min: 0, max: 0xffff }),
  timeUs: fc.double(),
});

function fill(batch: Batch, readings: readonly Reading[]): void {
  for (const { point, value, quality, timeUs } of readings) {
    if (value === undefined) batch.none(point, quality, timeUs);
    else batch.value(point, value, quality, timeUs);
  }
}

function isIn(batch: Batch, readings: readonly Reading[]): void {
  assert.equal(batch.count, readings.length);
  for (const [at, { point, value, quality, timeUs }] of readings.entries()) {
    const found = [batch.points[at], batch.valueAt(at), batch.qualities[at], batch.times[at]];
    assert.deepEqual(found, [point, typeof value === 'boolean' ? Number(value) : value, quality, timeUs]);
  }
}

test('a batch has every reading that was put into it, however it grew', () => {
  fc.assert(
    fc.property(fc.nat(40), fc.array(anyReading, { maxLength: 100 }), (capacity, readings) => {
      const batch = new Batch(capacity);
      fill(batch, readings);
      isIn(batch, readings);
    }),
  );
});

test('a batch appended to another has every reading after those that were there', () => {
  fc.assert(
    fc.property(fc.array(anyReading, { maxLength: 40 }), fc.array(anyReading, { maxLength: 40 }), (first, second) => {
      const [batch, more] = [new Batch(8), new Batch(8)];
      fill(batch, first);
      fill(more, second);
      batch.append(more);
      isIn(batch, [...first, ...second]);
      isIn(more, second);
    }),
  );
});

test('a batch crosses to another thread without loss, and can be filled again', () => {
  fc.assert(
    fc.property(fc.array(anyReading, { maxLength: 40 }), fc.array(anyReading, { maxLength: 40 }), (first, second) => {
      const { port1, port2 } = new MessageChannel();
      const batch = new Batch(8);
      for (const readings of [first, second]) {
        fill(batch, readings);
        const message = batch.take();
        port1.postMessage(message, [message.buffer]);
        assert.equal(batch.count, 0);
        const received = receiveMessageOnPort(port2)?.message as BatchMessage;
        isIn(Batch.from(received), readings);
      }
      port1.close();
    }),
  );
});

test('a batch that came from elsewhere can be added to, and cleared', () => {
  const batch = new Batch(8);
  for (let at = 0; at < 8; at++) batch.text(at, `text ${at}`, 192, at);
  const other = Batch.from(batch.take());
  other.long(8, -(2n ** 63n), 0, 8);
  assert.deepEqual([other.count, other.valueAt(7), other.valueAt(8)], [9, 'text 7', -(2n ** 63n)]);
  other.clear();
  other.none(1, 24, 5);
  assert.deepEqual([other.count, other.forms[0], other.valueAt(0)], [1, form.none, undefined]);
});
