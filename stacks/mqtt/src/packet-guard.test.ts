import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { PacketGuard } from './packet-guard.ts';

const token = Buffer.from('instead');
const maxLength = 100;

interface Sent {
  readonly topic: string;
  readonly size: number;
  readonly qos: 0 | 1 | 2;
}

const sent = fc.record({
  topic: fc.constantFrom('a', 'plant/tank1/level'),
  size: fc.oneof(fc.nat(90), fc.integer({ min: 91, max: 30_000 })),
  qos: fc.constantFrom(0 as const, 1 as const, 2 as const),
});

/** Properties of version 5: a content type of four letters. */
const properties = Buffer.from([7, 0x03, 0, 4, ...Buffer.from('text')]);

function bytesOf(version: 4 | 5, { topic, size, qos }: Sent): Buffer {
  const body = Buffer.concat([
    Buffer.from([0, topic.length]),
    Buffer.from(topic),
    ...(qos > 0 ? [Buffer.from([0, 7])] : []),
    ...(version === 5 ? [properties] : []),
    Buffer.alloc(size, 'x'),
  ]);
  const header = [0x30 | (qos << 1)];
  for (let rest = body.length; ; rest >>= 7) {
    header.push((rest & 0x7f) | (rest > 127 ? 0x80 : 0));
    if (rest <= 127) return Buffer.concat([Buffer.from(header), body]);
  }
}

function parse(version: 4 | 5, bytes: Buffer) {
  const packets: { topic: string; payload: string; messageId: number | undefined }[] = [];
  for (let at = 0; at < bytes.length; ) {
    const qos = ((bytes[at++] as number) >> 1) & 3;
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] as number;
      length |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    const end = at + length;
    const topicEnd = at + 2 + bytes.readUInt16BE(at);
    const topic = bytes.toString('utf8', at + 2, topicEnd);
    const messageId = qos > 0 ? bytes.readUInt16BE(topicEnd) : undefined;
    const start = topicEnd + (qos > 0 ? 2 : 0) + (version === 5 ? properties.length : 0);
    packets.push({ topic, payload: bytes.toString('utf8', start, end), messageId });
    at = end;
  }
  return packets;
}

describe('the guard', () => {
  for (const version of [4, 5] as const) {
    test(`version ${version}: whatever the pieces, small messages pass as they are and large ones lose their payload`, () => {
      fc.assert(
        fc.property(
          fc.array(sent, { maxLength: 6 }),
          fc.array(fc.integer({ min: 1, max: 500 })),
          fc.integer({ min: 1, max: 7 }),
          (all, cuts, most) => {
            const stream = Buffer.concat(all.map((each) => bytesOf(version, each)));
            const guard = new PacketGuard({ maxLength, hasProperties: version === 5, token });
            const passed: Buffer[] = [];
            for (let at = 0, turn = 0; at < stream.length; turn++) {
              const size = cuts.length === 0 ? stream.length : (cuts[turn % cuts.length] as number);
              at += guard.take(stream.subarray(at, at + size), most, (bytes) => passed.push(Buffer.from(bytes)));
              assert.ok(guard.packets <= (turn + 1) * most);
            }
            const meant = all.map((each) => {
              const head = 2 + each.topic.length + (each.qos > 0 ? 2 : 0) + (version === 5 ? 8 : 0);
              const isLarge = head + each.size > maxLength;
              const payload = isLarge ? token.toString() : 'x'.repeat(each.size);
              return { topic: each.topic, payload, messageId: each.qos > 0 ? 7 : undefined };
            });
            assert.deepEqual(parse(version, Buffer.concat(passed)), meant);
            assert.equal(guard.packets, all.length);
          },
        ),
      );
    });
  }

  test('no bytes at all make it do anything but pass or throw', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 10 }), (chunks) => {
        const guard = new PacketGuard({ maxLength, hasProperties: true, token });
        let passed = 0;
        try {
          for (const chunk of chunks) guard.take(Buffer.from(chunk), 100, (bytes) => (passed += bytes.length));
        } catch (error) {
          assert.match((error as Error).message, /^the broker sent/);
        }
        assert.ok(passed <= chunks.reduce((sum, { length }) => sum + length, 0) + chunks.length * 60);
      }),
      { numRuns: 2000 },
    );
  });

  test('a packet that is no message and too large, or has no length, ends it', () => {
    const take =
      (...bytes: number[]) =>
      () =>
        new PacketGuard({ maxLength, hasProperties: true, token }).take(Buffer.from(bytes), 100, () => undefined);
    assert.throws(take(0x90, 0xff, 0x7f), /a packet of 16383 bytes/);
    assert.throws(take(0x30, 0xff, 0xff, 0xff, 0xff, 0xff), /without a length/);
  });
});
