import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NotConnected } from '@telltale/stack-kit';
import fc from 'fast-check';
import { TcpFrames, tcpFrame } from './tcp-frame.ts';

type Frame = [transaction: number, unit: number, pdu: string];

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

function receive(chunks: readonly Uint8Array[]): Frame[] {
  const frames = new TcpFrames();
  const came: Frame[] = [];
  for (const chunk of chunks) {
    frames.push(chunk, (transaction, unit, pdu) => came.push([transaction, unit, hex(pdu)]));
  }
  return came;
}

const anyFrame = fc.tuple(
  fc.integer({ min: 0, max: 65_535 }),
  fc.integer({ min: 0, max: 255 }),
  fc.uint8Array({ minLength: 1, maxLength: 253 }),
);

describe('frames of Modbus TCP', () => {
  test('have the header of the specification', () => {
    assert.equal(hex(tcpFrame(0x1501, 0xff, Uint8Array.of(3, 0, 4, 0, 1))), '150100000006ff0300040001');
  });

  test('come out as they went in, however the stream is cut', () => {
    fc.assert(
      fc.property(fc.array(anyFrame, { maxLength: 5 }), fc.array(fc.nat(), { maxLength: 20 }), (sent, cuts) => {
        const stream = Buffer.concat(sent.map(([transaction, unit, pdu]) => tcpFrame(transaction, unit, pdu)));
        const at = [0, ...cuts.map((cut) => cut % (stream.length + 1)).sort((a, b) => a - b), stream.length];
        const chunks = at.slice(1).map((end, index) => stream.subarray(at[index], end));
        assert.deepEqual(
          receive(chunks),
          sent.map(([transaction, unit, pdu]) => [transaction, unit, hex(pdu)]),
        );
      }),
    );
  });

  test('of another protocol, of no length, without a function or too long are refused as soon as their length has come', () => {
    const headers = ['000100010006', '000100000000', '000100000001', '0001000000ff', '00010000ffff', '474554202f20'];
    for (const header of headers) {
      assert.throws(() => receive([Buffer.from(header, 'hex')]), NotConnected, header);
      const behind = tcpFrame(1, 1, Uint8Array.of(3, 0, 4, 0, 1));
      assert.throws(() => receive([behind, Buffer.from(header, 'hex')]), NotConnected, header);
    }
  });
});
