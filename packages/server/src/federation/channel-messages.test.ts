// Messages are found in the bytes of a WebSocket, however these and the messages are cut into pieces.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { frameBytes } from '../../../../test/raw-channel.ts';
import { ChannelMessages } from './channel-messages.ts';

function found(pieces: readonly Buffer[], mostBytes: number): (string | undefined)[] {
  const all: (string | undefined)[] = [];
  const messages = new ChannelMessages({ mostBytes, onMessage: (message) => all.push(message?.toString()) });
  for (const piece of pieces) messages.take(piece);
  return all;
}

const text = fc.oneof(
  fc.string(),
  fc.integer({ min: 120, max: 130 }).map((size) => 'x'.repeat(size)),
  fc.constant('y'.repeat(70_000)),
);

test('each message is found once, whole, in order, and left as it was', () => {
  const message = fc.record({ text, cuts: fc.array(fc.nat(), { maxLength: 3 }), isPinged: fc.boolean() });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 4 }), fc.boolean(), fc.nat({ max: 40 }), (all, isMasked, size) => {
      const frames = all.flatMap(({ text, cuts, isPinged }) => {
        const payload = Buffer.from(text);
        const ends = [...cuts.map((cut) => cut % (payload.length + 1)).sort((a, b) => a - b), payload.length];
        return ends.flatMap((end, at) => {
          const part = payload.subarray(ends[at - 1] ?? 0, end);
          const opcode = at === 0 ? 1 : 0;
          const frame = frameBytes({ opcode, payload: part, isFinal: at === ends.length - 1, isMasked });
          return isPinged ? [frame, frameBytes({ opcode: 9, payload: Buffer.from('ping'), isMasked })] : [frame];
        });
      });
      const bytes = Buffer.concat(frames);
      const before = Buffer.from(bytes);
      const step = size === 0 ? bytes.length : size * 7;
      const pieces = Array.from({ length: Math.ceil(bytes.length / (step || 1)) }, (_, at) =>
        bytes.subarray(at * step, (at + 1) * step),
      );
      assert.deepEqual(
        found(pieces, 1_000_000),
        all.map((each) => each.text),
      );
      assert.ok(before.equals(bytes));
    }),
  );
});

test('one that is too long is said to be, and those behind it are found', () => {
  const frames = ['short', 'x'.repeat(1001), 'next'].map((each) =>
    frameBytes({ opcode: 1, payload: Buffer.from(each) }),
  );
  assert.deepEqual(found(frames, 1000), ['short', undefined, 'next']);
});
