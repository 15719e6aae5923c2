import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Exchange, Expected } from './framing.ts';
import { readRequest, writeSingleRegister } from './pdu.ts';
import { crc16, RtuFraming, rtuFrame } from './rtu-frame.ts';

const bytes = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'));
const hex = (each: Uint8Array) => Buffer.from(each).toString('hex');
const exchange = { id: 1, unit: 17, request: readRequest('hr', 0x6b, 3) };
const answer = bytes('0306ae415652434049ad').subarray(0, 8);
const frame = rtuFrame(17, answer);

const expecting = (...exchanges: Exchange[]): Expected => ({ byId: () => undefined, all: () => exchanges });
const nobody = expecting();

function receive(chunks: readonly Uint8Array[], under = exchange): string[] {
  const framing = new RtuFraming();
  const came: string[] = [];
  for (const chunk of chunks) {
    framing.receive(chunk, came.length === 0 ? expecting(under) : nobody, (_, pdu) => came.push(hex(pdu)));
  }
  return came;
}

/** Cut at these places. */
function pieces(whole: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const at = [0, ...cuts.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b), whole.length];
  return at.slice(1).map((end, index) => whole.slice(at[index], end));
}

describe('a frame of a serial line', () => {
  test('has the checksum that everybody makes', () => {
    assert.equal(crc16(bytes('1103006b0003')), 0x8776);
    assert.equal(crc16(Buffer.from('123456789')), 0x4b37);
    assert.equal(hex(rtuFrame(17, readRequest('hr', 0x6b, 3))), '1103006b00037687');
  });

  test('is found however it is cut, and whatever noise stands before and behind it', () => {
    const noise = fc.uint8Array({ maxLength: 40 });
    fc.assert(
      fc.property(noise, noise, fc.array(fc.nat(), { maxLength: 10 }), (before, after, cuts) => {
        const whole = Uint8Array.from([...before, ...frame, ...after]);
        assert.deepEqual(receive(pieces(whole, cuts)), [hex(answer)]);
      }),
    );
  });

  test('with any byte changed is none', () => {
    for (let at = 0; at < frame.length; at++) {
      for (const flip of [1, 0x80, 0xff]) {
        const wrong = Uint8Array.from(frame);
        wrong[at] = (wrong[at] ?? 0) ^ flip;
        assert.deepEqual(receive([wrong]), [], `byte ${at}`);
      }
    }
  });

  test('of another unit, function or length is none', () => {
    assert.deepEqual(receive([rtuFrame(18, answer)]), []);
    assert.deepEqual(receive([rtuFrame(17, bytes('0406ae4156524340'))]), []);
    assert.deepEqual(receive([rtuFrame(17, bytes('0304ae415652'))]), []);
    assert.deepEqual(receive([rtuFrame(17, bytes('0305ae4156524340'))]), []);
  });

  test('may be an exception, or the answer to a write', () => {
    assert.deepEqual(receive([rtuFrame(17, bytes('8302'))]), ['8302']);
    const write = { id: 1, unit: 17, request: writeSingleRegister(1, bytes('0003')) };
    assert.deepEqual(receive([rtuFrame(17, bytes('0600010003'))], write), ['0600010003']);
  });

  test('is found behind noise without end, of which little is kept', () => {
    const noise = Array.from({ length: 1000 }, (_, at) => new Uint8Array(100).fill(at));
    assert.deepEqual(receive([...noise, frame]), [hex(answer)]);
    assert.deepEqual(receive([new Uint8Array(100_000).fill(17), frame]), [hex(answer)]);
  });

  test('that nobody waits for is not kept for the next who does', () => {
    const framing = new RtuFraming();
    const came: string[] = [];
    framing.receive(frame, nobody, (_, pdu) => came.push(hex(pdu)));
    framing.receive(bytes('00'), expecting(exchange), (_, pdu) => came.push(hex(pdu)));
    assert.deepEqual(came, []);
  });

  test('is told from that of another unit, in any order and however they are cut', () => {
    const late = { id: 2, unit: 5, request: readRequest('hr', 0, 1) };
    const frames = [frame, rtuFrame(5, bytes('0302beef'))] as const;
    fc.assert(
      fc.property(fc.boolean(), fc.array(fc.nat(), { maxLength: 10 }), (isFirst, cuts) => {
        const framing = new RtuFraming();
        const both = Uint8Array.from([...(isFirst ? frames : frames.toReversed())].flatMap((each) => [...each]));
        const expected = [exchange, late];
        const came: string[] = [];
        framing.frame(exchange);
        for (const piece of pieces(both, cuts)) {
          framing.receive(piece, expecting(...expected), (found, pdu) => {
            expected.splice(expected.indexOf(found), 1);
            came.push(`${found.unit}: ${hex(pdu)}`);
          });
        }
        assert.deepEqual(came.sort(), [`17: ${hex(answer)}`, '5: 0302beef']);
      }),
    );
  });

  test('that is only what was sent, given back by the line, answers no write', () => {
    const framing = new RtuFraming();
    const ask = (request: Uint8Array, ...chunks: readonly Uint8Array[]) => {
      const came: string[] = [];
      const under = { id: 1, unit: 17, request };
      framing.clear();
      const sent = framing.frame(under);
      for (const chunk of [sent, ...chunks]) {
        for (const piece of pieces(chunk, [3])) {
          framing.receive(piece, came.length === 0 ? expecting(under) : nobody, (_, pdu) => came.push(hex(pdu)));
        }
      }
      return came;
    };
    const write = writeSingleRegister(1, bytes('0003'));
    const done = rtuFrame(17, write);
    assert.deepEqual(ask(write), ['0600010003'], 'nobody knows yet: this is the answer');
    assert.deepEqual(ask(exchange.request, frame), [hex(answer)]);
    assert.deepEqual(ask(write), []);
    assert.deepEqual(ask(write, rtuFrame(17, bytes('8602'))), ['8602']);
    assert.deepEqual(ask(write, done), ['0600010003']);
    assert.deepEqual(ask(bytes('0103000014'), rtuFrame(17, bytes('0103000014'))), ['0103000014'], 'an answer like it');
    framing.clear();
    framing.frame(exchange);
    framing.receive(frame, expecting(exchange), () => {}); // without an echo: it is another line now
    assert.deepEqual(ask(write), ['0600010003']);
  });
});
