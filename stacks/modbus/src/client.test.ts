import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { NotConnected } from '@telltale/stack-kit';
import { Client, type ClientOptions, LostAnswer } from './client.ts';
import { readRequest } from './pdu.ts';
import { RtuFraming, rtuFrame } from './rtu-frame.ts';
import { TcpFraming, tcpFrame } from './tcp-frame.ts';
import type { Transport } from './transport.ts';

/** A line whose other end is the test. */
class TestTransport implements Transport {
  onData: (bytes: Uint8Array) => void = () => {};
  onLost: (reason: string) => void = () => {};
  readonly sent: string[] = [];
  renewed = 0;
  readonly silenceMs: number;
  readonly renew: (() => Promise<void>) | undefined;

  constructor(silenceMs: number, renews: boolean) {
    this.silenceMs = silenceMs;
    if (renews) {
      this.renew = async () => {
        this.renewed++;
      };
    }
  }

  async open(): Promise<void> {}

  send(bytes: Uint8Array): void {
    this.sent.push(Buffer.from(bytes).toString('hex'));
  }

  async close(): Promise<void> {}

  lineMs(): number {
    return 0;
  }
}

const never = new AbortController().signal;
const turns = async () => {
  for (let i = 0; i < 5; i++) await new Promise(setImmediate);
};

async function setUp(given: Partial<ClientOptions> & { silenceMs?: number; renews?: boolean } = {}) {
  const clock = new ManualClock();
  const transport = new TestTransport(given.silenceMs ?? 0, given.renews ?? false);
  const client = new Client({
    transport,
    framing: new TcpFraming(),
    clock,
    timeoutMs: 100,
    delayMs: 0,
    maxAtOnce: 1,
    ...given,
  });
  await client.connect(never);
  const outcomes: string[] = [];
  /** Reads one register. */
  const ask = (name: string, at: number, { unit = 1, signal = never, isUrgent = false } = {}) => {
    client.request(unit, readRequest('hr', at, 1), signal, isUrgent).then(
      (answer) => outcomes.push(`${name}: ${Buffer.from(answer).toString('hex').slice(4)}`),
      (error) => outcomes.push(`${name}: ${error.name}`),
    );
  };
  return { clock, transport, client, outcomes, ask };
}

/** Of the first register, by the bytes of the request that was sent. */
function answerTo(sent: string | undefined, value: string, unit = 1): Uint8Array {
  return tcpFrame(Number.parseInt(sent?.slice(0, 4) ?? '', 16), unit, Buffer.from(`0302${value}`, 'hex'));
}

describe('over TCP', () => {
  test('one request is under way at a time, the next follows its answer, and what is urgent goes first', async () => {
    const { transport, outcomes, ask } = await setUp();
    ask('first', 1);
    ask('second', 2);
    ask('write', 3, { isUrgent: true });
    ask('other write', 4, { isUrgent: true });
    const asked = () => transport.sent.map((frame) => Number.parseInt(frame.slice(16, 20), 16));
    assert.deepEqual(asked(), [1]);
    for (let at = 0; at < 4; at++) transport.onData(answerTo(transport.sent[at], `000${at}`));
    assert.deepEqual(asked(), [1, 3, 4, 2]);
    await turns();
    assert.deepEqual(outcomes, ['first: 0000', 'write: 0001', 'other write: 0002', 'second: 0003']);
  });

  test('several are under way at once where that is set, and answers find their requests in any order', async () => {
    const { transport, outcomes, ask } = await setUp({ maxAtOnce: 3 });
    for (const at of [1, 2, 3, 4]) ask(`r${at}`, at);
    assert.equal(transport.sent.length, 3);
    transport.onData(answerTo(transport.sent[2], '0003'));
    assert.equal(transport.sent.length, 4);
    for (const at of [0, 3, 1]) transport.onData(answerTo(transport.sent[at], `000${at + 1}`));
    await turns();
    assert.deepEqual(outcomes, ['r3: 0003', 'r1: 0001', 'r4: 0004', 'r2: 0002']);
  });

  test("an answer that is late is nobody's, nor one that comes twice or from another unit", async () => {
    const { clock, transport, outcomes, ask } = await setUp();
    ask('silent', 1);
    clock.advance(101);
    ask('next', 2);
    transport.onData(answerTo(transport.sent[0], 'dead'));
    transport.onData(answerTo(transport.sent[1], 'dead', 9));
    transport.onData(answerTo(transport.sent[1], '0002'));
    ask('last', 3);
    transport.onData(answerTo(transport.sent[1], '0002'));
    transport.onData(answerTo(transport.sent[2], '0003'));
    await turns();
    assert.deepEqual(outcomes, ['silent: NoAnswer', 'next: 0002', 'last: 0003']);
  });

  test('an answer of another length is none that can be used', async () => {
    const { transport, outcomes, ask } = await setUp();
    ask('short', 1);
    const id = Number.parseInt(transport.sent[0]?.slice(0, 4) ?? '', 16);
    transport.onData(tcpFrame(id, 1, Uint8Array.of(3, 1, 0)));
    await turns();
    assert.deepEqual(outcomes, ['short: NoAnswer']);
  });

  test('a device gets the time that it needs between an answer and the next request', async () => {
    const { clock, transport, ask } = await setUp({ delayMs: 50 });
    ask('first', 1);
    ask('second', 2);
    transport.onData(answerTo(transport.sent[0], '0000'));
    clock.advance(49);
    assert.equal(transport.sent.length, 1);
    clock.advance(1);
    assert.equal(transport.sent.length, 2);
  });

  test('a request that is given up says whether it was sent', async () => {
    const { transport, outcomes, ask } = await setUp();
    const [sent, pending] = [new AbortController(), new AbortController()];
    ask('sent', 1, { signal: sent.signal });
    ask('waiting', 2, { signal: pending.signal });
    pending.abort(new RangeError('given up'));
    sent.abort(new RangeError('given up'));
    await turns();
    assert.deepEqual(outcomes, ['waiting: NotConnected', 'sent: RangeError']);
    assert.equal(transport.sent.length, 1);
  });

  test('a link that is lost says of each request whether it was sent, and takes no more', async () => {
    const { clock, client, transport, outcomes, ask } = await setUp();
    ask('sent', 1);
    ask('waiting', 2);
    transport.onLost('gone');
    ask('late', 3);
    await turns();
    assert.deepEqual(outcomes, ['waiting: NotConnected', 'sent: LostAnswer', 'late: NotConnected']);
    await assert.rejects(client.lost, NotConnected);
    assert.equal(clock.pending, 0);
    assert.ok(!(new LostAnswer('') instanceof NotConnected));
  });

  test('a link over which nobody answers for seconds is lost, though nobody says so', async () => {
    const { clock, client, outcomes, ask } = await setUp({ timeoutMs: 2000 });
    for (const at of [1, 2, 3]) ask(`r${at}`, at);
    clock.advance(6000);
    await turns();
    assert.deepEqual(outcomes, ['r1: NoAnswer', 'r2: NoAnswer', 'r3: NoAnswer']);
    await assert.rejects(client.lost, /no answer for 6 s/);
  });

  test('what is no Modbus TCP ends the link', async () => {
    const { client, transport } = await setUp();
    transport.onData(Buffer.from('HTTP/1.1 400 Bad Request'));
    await assert.rejects(client.lost, /not Modbus TCP/);
  });
});

describe('on a serial line', () => {
  const serial = { framing: new RtuFraming(), silenceMs: 2 };

  test('a frame has silence before it', async () => {
    const { clock, transport, ask } = await setUp({ ...serial, framing: new RtuFraming() });
    ask('first', 1);
    clock.advance(1);
    assert.equal(transport.sent.length, 0);
    clock.advance(1);
    assert.equal(transport.sent.length, 1);
    transport.onData(rtuFrame(1, Buffer.from('03020001', 'hex')));
    ask('second', 2);
    clock.advance(1);
    assert.equal(transport.sent.length, 1);
    transport.onData(Buffer.from('00', 'hex'));
    clock.advance(1);
    assert.equal(transport.sent.length, 1, 'a byte of somebody else begins it anew');
    clock.advance(1);
    assert.equal(transport.sent.length, 2);
  });

  /** Asks a unit that is silent, then it again, then another. */
  async function giveUp(renews: boolean) {
    const all = await setUp({ ...serial, framing: new RtuFraming(), renews });
    const { clock, ask } = all;
    ask('silent', 1);
    clock.advance(2);
    ask('same', 2);
    ask('other', 3, { unit: 5 });
    clock.advance(100);
    await turns();
    return { ...all, units: () => all.transport.sent.map((frame) => frame.slice(0, 2)) };
  }
  const late = rtuFrame(1, Buffer.from('0302dead', 'hex'));

  for (const renews of [false, true]) {
    const line = renews ? 'over TCP' : 'on a port';

    test(`a unit that was silent is left alone, others are not, ${line}`, async () => {
      const { clock, transport, outcomes, units } = await giveUp(renews);
      assert.deepEqual(outcomes, ['silent: NoAnswer']);
      assert.deepEqual(units(), ['01', '05']);
      transport.onData(rtuFrame(5, Buffer.from('03020005', 'hex')));
      clock.advance(97);
      await turns();
      assert.equal(transport.sent.length, 2);
      clock.advance(3);
      await turns();
      clock.advance(2);
      assert.deepEqual(units(), ['01', '05', '01'], 'until its answer cannot come any more');
      assert.equal(transport.renewed, renews ? 1 : 0, 'a network may deliver much later than a line');
      transport.onData(rtuFrame(1, Buffer.from('03020002', 'hex')));
      await turns();
      assert.deepEqual(outcomes, ['silent: NoAnswer', 'other: 0005', 'same: 0002']);
    });

    test(`a late answer is nobody's, and its unit is asked again at once, ${line}`, async () => {
      const { clock, transport, outcomes, units } = await giveUp(renews);
      transport.onData(
        Buffer.concat([late.subarray(0, 3), late.subarray(3), rtuFrame(5, Buffer.from('03020005', 'hex'))]),
      );
      clock.advance(2);
      assert.deepEqual(units(), ['01', '05', '01']);
      transport.onData(rtuFrame(1, Buffer.from('03020002', 'hex')));
      await turns();
      assert.deepEqual(outcomes, ['silent: NoAnswer', 'other: 0005', 'same: 0002']);
      assert.equal(transport.renewed, 0);
    });
  }

  test("a late exception is nobody's either", async () => {
    const { clock, transport, outcomes, ask } = await setUp({ ...serial, framing: new RtuFraming(), renews: true });
    ask('silent', 1);
    clock.advance(102);
    ask('same', 2);
    transport.onData(rtuFrame(1, Uint8Array.of(0x83, 4)));
    clock.advance(2);
    transport.onData(rtuFrame(1, Buffer.from('03020002', 'hex')));
    await turns();
    assert.deepEqual(outcomes, ['silent: NoAnswer', 'same: 0002']);
    assert.equal(transport.renewed, 0);
  });

  test('a unit that nobody asks again costs no connection, and an answer may come any time meanwhile', async () => {
    const { clock, transport, outcomes, ask } = await setUp({ ...serial, framing: new RtuFraming(), renews: true });
    ask('silent', 1);
    clock.advance(1000);
    transport.onData(late);
    ask('same', 2);
    clock.advance(2);
    transport.onData(rtuFrame(1, Buffer.from('03020002', 'hex')));
    await turns();
    assert.deepEqual(outcomes, ['silent: NoAnswer', 'same: 0002']);
    assert.equal(transport.renewed, 0);
  });

  test('a unit that is left alone gets its turn though others are asked without end', async () => {
    const { clock, transport, outcomes, ask } = await giveUp(true);
    for (let at = 0; at < 60; at++) {
      if (transport.sent.at(-1)?.startsWith('05')) transport.onData(rtuFrame(5, Buffer.from('03020005', 'hex')));
      await turns();
      ask('other', 3, { unit: 5 });
      clock.advance(3);
    }
    assert.equal(transport.renewed, 1);
    assert.ok(transport.sent.slice(1).some((frame) => frame.startsWith('01')));
    assert.ok(!outcomes.includes('same: 0005'));
  });
});
