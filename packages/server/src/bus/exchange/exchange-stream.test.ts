// What the two ends of an exchange promise each other: every byte in order, no more than is taken, and no stream behind a hole.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { until } from '@telltale/stack-kit/testing';
import fc from 'fast-check';
import { ExchangeReset, ExchangeStream } from './exchange-stream.ts';
import { decodeFrame, encodeFrame, type Frame, frameKind } from './frame.ts';

interface Ends {
  readonly a: ExchangeStream;
  readonly b: ExchangeStream;
  /** What is on its way, each as bytes. */
  readonly toA: Uint8Array[];
  readonly toB: Uint8Array[];
  readonly heads: string[];
  deliver(): void;
}

function ends(mostBytes = 1000): Ends {
  const [toA, toB, heads]: [Uint8Array[], Uint8Array[], string[]] = [[], [], []];
  const end = (to: Uint8Array[]) =>
    new ExchangeStream({
      send: (frame) => to.push(encodeFrame({ ...frame, untilMs: 0 })),
      mostBytes: () => mostBytes,
      onHead: (head) => heads.push(head),
    });
  const [a, b] = [end(toB), end(toA)];
  const deliver = () => {
    for (const [into, from] of [
      [a, toA],
      [b, toB],
    ] as const) {
      const next = from.shift();
      if (next !== undefined) into.receive(decodeFrame(next) as Frame);
    }
  };
  return { a, b, toA, toB, heads, deliver };
}

async function run({ a, b, deliver }: Ends): Promise<void> {
  for (let left = 100_000; left > 0 && !(a.closed && b.closed); left--) {
    deliver();
    if (left % 10 === 0) await turn();
  }
}

const closed = (stream: ExchangeStream) => until('it has ended', () => stream.closed);

async function bytesOf(stream: ExchangeStream): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

describe('an exchange', () => {
  test('brings every byte to the other end, in order, both ways', async () => {
    const body = fc.array(fc.uint8Array({ maxLength: 5000 }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(body, body, fc.integer({ min: 40, max: 3000 }), async (forth, back, mostBytes) => {
        const both = ends(mostBytes);
        const { a, b, heads } = both;
        const arrived = Promise.all([bytesOf(a), bytesOf(b)]);
        a.sendHead({ from: 'a' }, forth.length === 0);
        for (const piece of forth) a.write(piece);
        if (forth.length > 0) a.end();
        b.sendHead({ from: 'b' });
        for (const piece of back) b.write(piece);
        b.end();
        await run(both);
        assert.deepEqual(await arrived, [Buffer.concat(back), Buffer.concat(forth)]);
        assert.deepEqual(heads.sort(), ['{"from":"a"}', '{"from":"b"}']);
        assert.deepEqual([a.closed, b.closed, a.errored, b.errored], [true, true, null, null]);
      }),
      { numRuns: 50 },
    );
  });

  test('sends no more than the other end takes', async () => {
    const { a, b, toB, deliver } = ends(100_000);
    a.sendHead({});
    a.write(Buffer.alloc(5_000_000));
    for (let at = 0; at < 1000; at++) deliver();
    await turn();
    assert.ok(b.readableLength >= 2 ** 18 && b.readableLength <= 1.5 * 2 ** 18, `${b.readableLength}`);
    assert.equal(toB.length, 0);
    const taken = bytesOf(b);
    a.end();
    await run({ a, b, toB, deliver } as Ends);
    assert.equal((await taken).length, 5_000_000);
  });

  test('ends when the other end does not keep to what it may send', async () => {
    const { a, b, toB } = ends(2 ** 20);
    a.sendHead({});
    b.receive(decodeFrame(toB[0] as Uint8Array) as Frame);
    const flood = { kind: frameKind.data, isEnd: false, untilMs: 0, bytes: new Uint8Array(2 ** 17), head: '' };
    for (let number = 1; number < 4; number++) b.receive({ ...flood, number });
    await closed(b);
    assert.match(b.errored?.message ?? '', /more came than was asked for/);
  });

  test('ends at both ends when any frame is lost, and what came after it is not read', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(8), fc.boolean(), async (lost, isForth) => {
        const both = ends(1000);
        const { a, b, toA, toB, deliver } = both;
        const [from, into] = isForth ? [a, b] : [b, a];
        a.sendHead({});
        b.sendHead({});
        from.write(Buffer.alloc(20_000, 7));
        (isForth ? toB : toA).splice(lost, 1);
        const heard = bytesOf(into).catch((error: Error) => error);
        await run(both);
        assert.match(String(await heard), /a part of it was lost on the bus/);
        deliver();
        await closed(from);
        assert.ok(from.errored instanceof ExchangeReset && from.errored.isFromOther);
      }),
      { numRuns: 18 },
    );
  });

  test('tells the other end that it was given up, once', async () => {
    const both = ends();
    const { a, b, toA, toB } = both;
    a.sendHead({});
    await run(both);
    b.destroy();
    await closed(b);
    await run(both);
    await closed(a);
    assert.match(a.errored?.message ?? '', /not wanted any more/);
    assert.deepEqual([toA, toB], [[], []]);
  });

  test('is not begun twice', async () => {
    const { b } = ends();
    const head = { kind: frameKind.head, isEnd: false, untilMs: 0, bytes: new Uint8Array(), head: '{}' };
    b.receive({ ...head, number: 0 });
    b.receive({ ...head, number: 1 });
    await closed(b);
    assert.match(b.errored?.message ?? '', /second head/);
  });
});

test('a frame is read as it was written, and anything else is none', () => {
  const kinds = fc.constantFrom(...Object.values(frameKind));
  const frame = fc.record({
    kind: kinds,
    number: fc.nat(2 ** 32 - 1),
    isEnd: fc.boolean(),
    untilMs: fc.double({ noNaN: true, noDefaultInfinity: true }),
    bytes: fc.uint8Array(),
    head: fc.string({ unit: 'grapheme' }),
  });
  fc.assert(
    fc.property(frame, (written) => {
      const read = decodeFrame(encodeFrame(written)) as Frame;
      const head = written.kind === frameKind.head ? Buffer.from(written.head).toString() : '';
      assert.deepEqual({ ...read, bytes: [...read.bytes] }, { ...written, bytes: [...written.bytes], head });
    }),
  );
  fc.assert(fc.property(fc.uint8Array(), (data) => void decodeFrame(data)));
  assert.throws(
    () =>
      encodeFrame({
        kind: 1,
        number: 0,
        isEnd: true,
        untilMs: 0,
        bytes: new Uint8Array(),
        head: 'x'.repeat(2 ** 17 + 1),
      }),
    RangeError,
  );
});
