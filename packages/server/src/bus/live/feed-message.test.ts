// A message of a feed is read as it was written, to the last bit; what is none is refused, however large it says it is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { Batch, form } from '@telltale/schema';
import fc from 'fast-check';
import { decodeAsk, decodeFeed, encodeAsk, encodeFeed, type FeedMessage, mostBytes } from './feed-message.ts';

const aValue = fc.oneof(
  fc.double(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.string({ unit: 'grapheme' }),
  fc.constant(undefined),
);
const aState = fc.tuple(fc.nat(2 ** 32 - 1), aValue, fc.nat(0xffff), fc.double({ noNaN: true }));
const aWord = fc.record({ mirror: fc.nat(2 ** 32 - 1), number: fc.nat(2 ** 32 - 1) }, { noNullPrototype: true });
const aMessage = fc.record({
  publication: fc.nat(2 ** 32 - 1),
  number: fc.nat(2 ** 32 - 1),
  isFirst: fc.boolean(),
  isLast: fc.boolean(),
  behindMs: fc.nat(2 ** 32 - 1),
  heard: fc.array(aWord),
  definitions: fc.array(
    fc.tuple(fc.nat(2 ** 32 - 1), fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true })),
  ),
  states: fc.array(aState, { maxLength: 100 }),
});

function batchOf(states: readonly (readonly [number, number | bigint | string | undefined, number, number])[]): Batch {
  const batch = new Batch();
  for (const [point, value, status, timeUs] of states) {
    if (value === undefined) batch.none(point, status, timeUs);
    else batch.value(point, value, status, timeUs);
  }
  return batch;
}

const bitsOf = ({ count, points, qualities, times, longs, forms, texts }: Batch) =>
  Array.from({ length: count }, (_, at) => {
    const value = forms[at] === form.text ? texts[at] : forms[at] === form.none ? undefined : longs[at];
    return [points[at], forms[at], value, qualities[at], times[at]];
  });

test('a message is read as it was written', () => {
  fc.assert(
    fc.property(aMessage, ({ states, ...rest }) => {
      const message: FeedMessage = { ...rest, states: batchOf(states) };
      const read = decodeFeed(encodeFeed(message)) as FeedMessage;
      assert.deepEqual({ ...read, states: bitsOf(read.states) }, { ...message, states: bitsOf(message.states) });
    }),
  );
});

test('what is none is refused', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (data) => void decodeFeed(data)));
  const whole = encodeFeed({
    publication: 1,
    number: 2,
    isFirst: true,
    isLast: true,
    behindMs: 0,
    heard: [],
    definitions: [],
    states: batchOf([[1, 2, 3, 4]]),
  });
  for (let length = 0; length < whole.length; length++) assert.equal(decodeFeed(whole.subarray(0, length)), undefined);
  const bomb = Buffer.concat([Buffer.alloc(20), zstdCompressSync(Buffer.alloc(2 ** 26))]);
  bomb.writeUInt32LE(4, 0);
  assert.equal(decodeFeed(bomb), undefined);
  // As it is, and packed: no more than a publisher makes.
  for (const texts of [1000, mostBytes]) {
    const states = new Batch();
    states.text(1, 'x'.repeat(texts), 3, 4);
    const place = { publication: 1, number: 2, isFirst: true, isLast: true, behindMs: 0, heard: [], definitions: [] };
    assert.equal(decodeFeed(encodeFeed({ ...place, states })) === undefined, texts === mostBytes);
  }
  const many = Buffer.from(whole);
  many.writeUInt32LE(2 ** 32 - 1, 12);
  assert.equal(decodeFeed(many), undefined);
});

test('a word of somebody who wants a feed is read as it was written', () => {
  fc.assert(
    fc.property(aWord, fc.boolean(), (word, wantsSnapshot) => {
      assert.deepEqual(decodeAsk(encodeAsk(word, wantsSnapshot)), { ...word, wantsSnapshot });
    }),
  );
  assert.equal(decodeAsk(new Uint8Array(8)), undefined);
});
