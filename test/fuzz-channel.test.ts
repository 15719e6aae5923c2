// The channel against requests that are made from its own schemas, and against raw frames. FUZZ_MESSAGES says how many,
// TEST_SEED repeats a run.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { channelRequestNames, readJson, requestSchema } from '@telltale/schema';
import fc from 'fast-check';
import { CheckedChannel } from './checked-channel.ts';
import { anyWriter, fitting, type Json, type Schema } from './json-from-schema.ts';
import { livePlant } from './live-plant.ts';
import { LiveServer } from './live-server.ts';
import { exchangeFrames, type Frame, frameBytes } from './raw-channel.ts';
import { testSeed as seed } from './seeded-random.ts';

const wanted = Number(process.env.FUZZ_MESSAGES ?? 5000);
const live = new LiveServer({ args: ['--max-message-size', '200000'] });

/** Names that there are, and values that fit some of them: else nothing would ever be carried out. */
const names = livePlant.map(({ name }) => name).filter((name) => !['drop', 'slow', 'refuse'].includes(name));
const values = ['d1', 'i2', 'b1', 'q3', 'l9007199254740993', 'f0.5', 'shello', 'd', '', 'dNaN', 's\u0000'];

/** Texts of names and values become likely ones. */
function likely(json: Json, pick: (choices: readonly string[]) => string, key = ''): Json {
  if (Array.isArray(json)) return json.map((each) => likely(each, pick, key === 'fields' ? key : 'name'));
  if (typeof json === 'object' && json !== null) {
    return Object.fromEntries(Object.entries(json).map(([field, each]) => [field, likely(each, pick, field)]));
  }
  if (typeof json !== 'string') return json;
  if (key === 'name') return pick(names);
  return key === 'value' ? pick(values) : json;
}

const anyMessage = fc
  .constantFrom(...channelRequestNames)
  .chain((name) => {
    const schema = JSON.parse(JSON.stringify(requestSchema(name))) as Schema;
    return fc.tuple(fitting(schema, {}), anyWriter, fc.infiniteStream(fc.nat(10_000)));
  })
  .map(([message, write, numbers]) => {
    const pick = (choices: readonly string[]) => choices[(numbers.next().value as number) % choices.length] as string;
    return Buffer.from(write(likely(message, pick)));
  });

/** The id that an answer must carry: that of a readable JSON object whose id is possible. */
function idOf(bytes: Buffer): number | string | null {
  try {
    const { id } = (readJson(bytes) ?? {}) as { id?: unknown };
    if (typeof id === 'string' && [...id].length <= 64) return id;
    return Number.isInteger(id) ? (id as number) : null;
  } catch {
    return null;
  }
}

const isText = (bytes: Buffer) => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return bytes.length <= 200_000;
  } catch {
    return false;
  }
};

describe('messages made from the schemas', () => {
  test('are each answered once, by their id, and the connection stays', { timeout: 600_000 }, async (t) => {
    t.diagnostic(`TEST_SEED=${seed} FUZZ_MESSAGES=${wanted}`);
    let [sent, good] = [0, 0];
    const batch = fc.array(anyMessage, { minLength: 1, maxLength: 60, size: 'max' });
    const property = fc.asyncProperty(batch, async (messages) => {
      const channel = await CheckedChannel.open(live.process.url);
      const texts = messages.filter(isText);
      for (const text of texts) channel.socket.send(text, { binary: false });
      channel.send({ request: 'Heartbeat', id: 'the last one of all' });
      await channel.answerTo('the last one of all');
      const answers = await channel.allAnswers(texts.length + 1);
      await channel.close({ isStrict: false });
      const expected = [...texts.map((text) => JSON.stringify(idOf(text))), '"the last one of all"'].sort();
      assert.deepEqual(answers.map(({ request_id }) => JSON.stringify(request_id)).sort(), expected);
      for (const { error } of answers) assert.notEqual(error?.status, 500, JSON.stringify(error));
      sent += texts.length;
      good += answers.filter(({ result }) => result).length;
    });
    for (let round = 0; sent < wanted; round++) {
      await fc.assert(property, { seed: (seed + round) | 0, numRuns: 20, interruptAfterTimeLimit: 60_000 });
    }
    t.diagnostic(`${sent} messages, ${good} carried out`);
    assert.ok(good > sent / 50, 'hardly anything was carried out');
  });
});

const heartbeat = Buffer.from('{"request":"Heartbeat","id":1}');
const anyPayload = fc.oneof(
  { weight: 3, arbitrary: fc.constant(heartbeat) },
  fc.uint8Array({ maxLength: 200 }),
  fc.constantFrom(Buffer.alloc(0), Buffer.from([0xc0, 0x80]), Buffer.alloc(126, 0x20), Buffer.alloc(70_000, 0x5b)),
);
const anyFrame: fc.Arbitrary<Frame> = fc.record(
  {
    opcode: fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, fc.integer({ min: 0, max: 15 })),
    payload: anyPayload,
    isFinal: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
    isMasked: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, fc.constant(false)),
    reserved: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 7 })),
    length: fc.constantFrom(0, 1, 125, 126, 200_001, 2 ** 31, 2 ** 53 - 1),
  },
  { requiredKeys: ['opcode', 'payload'] },
);

describe('raw frames', () => {
  test('are answered, or the connection closes with a code that says why', { timeout: 600_000 }, async (t) => {
    const codes = new Map<number, number>();
    const property = fc.asyncProperty(fc.array(anyFrame, { minLength: 1, maxLength: 6 }), async (frames) => {
      const { texts, code } = await exchangeFrames(live.process.url, Buffer.concat(frames.map(frameBytes)), 'hang up');
      codes.set(code, (codes.get(code) ?? 0) + 1);
      for (const text of texts) assert.equal(typeof (JSON.parse(text) as { result: unknown }).result, 'boolean');
      // 1006: the connection ended within a frame that lies about its length. Other codes are the client's own.
      if (!frames.some(({ opcode }) => opcode === 8)) {
        assert.ok([1000, 1002, 1003, 1006, 1007, 1009].includes(code), String(code));
      }
    });
    await fc.assert(property, { seed, numRuns: Math.ceil(wanted / 10) });
    t.diagnostic([...codes].map(([code, count]) => `${count} × ${code}`).join(', '));
  });

  const text = (payload: Uint8Array, more: Partial<Frame> = {}): Frame => ({ opcode: 1, payload, ...more });
  const cases: Record<string, [Frame[], number, number]> = {
    'a whole message': [[text(heartbeat)], 1, 1000],
    'a message and a close frame in one packet': [
      [text(heartbeat), { opcode: 8, payload: Buffer.from([0x0f, 0xa0]) }],
      1,
      4000,
    ],
    'a message in fragments, with a ping between them': [
      [
        text(heartbeat.subarray(0, 9), { isFinal: false }),
        { opcode: 9, payload: Buffer.from('x') },
        { opcode: 0, payload: heartbeat.subarray(9) },
      ],
      1,
      1000,
    ],
    'a frame without a mask': [[text(heartbeat, { isMasked: false })], 0, 1002],
    'an unknown opcode': [[{ opcode: 3, payload: heartbeat }], 0, 1002],
    'a reserved bit': [[text(heartbeat, { reserved: 4 })], 0, 1002],
    'a continuation of nothing': [[{ opcode: 0, payload: heartbeat }], 0, 1002],
    'a message within another': [[text(heartbeat, { isFinal: false }), text(heartbeat)], 0, 1002],
    'a ping in fragments': [[{ opcode: 9, payload: heartbeat, isFinal: false }], 0, 1002],
    'a ping that is too long': [[{ opcode: 9, payload: Buffer.alloc(126) }], 0, 1002],
    'a length over the limit': [[text(heartbeat, { length: 2 ** 40 })], 0, 1009],
    'fragments over the limit': [
      [text(Buffer.alloc(150_000, 0x20), { isFinal: false }), { opcode: 0, payload: Buffer.alloc(150_000, 0x20) }],
      0,
      1009,
    ],
    'bytes that are no UTF-8': [[text(Buffer.from([0xed, 0xa0, 0x80]))], 0, 1007],
    'a binary message': [[{ opcode: 2, payload: heartbeat }], 0, 1003],
  };
  for (const [what, [frames, answers, code]] of Object.entries(cases)) {
    test(`${what}: ${answers} answers, closed with ${code}`, async () => {
      const reply = await exchangeFrames(live.process.url, Buffer.concat(frames.map(frameBytes)), answers);
      assert.deepEqual([reply.texts.length, reply.code], [answers, code]);
    });
  }
});

test('after all this the server is ready, and its log has no error', async () => {
  assert.equal((await fetch(`${live.process.url}/readyz`)).status, 200);
  const { code, stdout, stderr } = await live.process.end();
  assert.deepEqual([code, stderr], [0, '']);
  const lines = stdout.trim().split('\n');
  const errors = lines.filter((line) => (JSON.parse(line) as { level: number }).level >= 50);
  assert.deepEqual(errors, []);
});
