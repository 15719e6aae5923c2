// The frames of Modbus TCP: a header of seven bytes that names the transaction, the length and the unit.
import { NotConnected } from '@telltale/stack-kit';
import type { Exchange, Expected, Framing } from './framing.ts';
import { maxPduBytes, word } from './pdu.ts';

const headerBytes = 7;
/** Up to and with the length, which says how many follow: the unit and the PDU. */
const lengthEnd = 6;
const noBytes = new Uint8Array(0);

export function tcpFrame(transaction: number, unit: number, pdu: Uint8Array): Uint8Array {
  const frame = new Uint8Array(headerBytes + pdu.length);
  frame[0] = transaction >> 8;
  frame[1] = transaction;
  frame[4] = (pdu.length + 1) >> 8;
  frame[5] = pdu.length + 1;
  frame[6] = unit;
  frame.set(pdu, headerBytes);
  return frame;
}

/** Of the frame with which the bytes begin; 0: it is not whole. Throws where it cannot be Modbus TCP. */
export function tcpFrameLength(bytes: Uint8Array): number {
  if (bytes.length < lengthEnd) return 0;
  const length = word(bytes, 4);
  if (word(bytes, 2) !== 0 || length < 2 || length > maxPduBytes + 1) {
    throw new NotConnected('the received data is not Modbus TCP: check the transport and the port');
  }
  const end = lengthEnd + length;
  return end > bytes.length ? 0 : end;
}

/** Of a whole frame; the PDU is valid as long as the frame is. */
export function readTcpFrame(frame: Uint8Array): { transaction: number; unit: number; pdu: Uint8Array } {
  return { transaction: word(frame, 0), unit: frame[6] ?? 0, pdu: frame.subarray(headerBytes) };
}

/** Cuts a stream into frames. Holds less than one frame back, whatever comes. */
export class TcpFrames {
  #rest: Uint8Array = noBytes;

  /** Calls back for each whole frame; the PDU is valid as long as its chunk is. Throws where it cannot be Modbus TCP. */
  push(chunk: Uint8Array, onFrame: (transaction: number, unit: number, pdu: Uint8Array) => void): void {
    let bytes = chunk;
    if (this.#rest.length > 0) {
      bytes = new Uint8Array(this.#rest.length + chunk.length);
      bytes.set(this.#rest);
      bytes.set(chunk, this.#rest.length);
    }
    let at = 0;
    for (;;) {
      const frame = bytes.subarray(at);
      const length = tcpFrameLength(frame);
      if (length === 0) break;
      const { transaction, unit, pdu } = readTcpFrame(frame.subarray(0, length));
      onFrame(transaction, unit, pdu);
      at += length;
    }
    this.#rest = at === bytes.length ? noBytes : bytes.slice(at);
  }

  clear(): void {
    this.#rest = noBytes;
  }
}

export class TcpFraming implements Framing {
  readonly hasIds = true;
  readonly #frames = new TcpFrames();

  frame({ id, unit, request }: Exchange): Uint8Array {
    return tcpFrame(id, unit, request);
  }

  receive(chunk: Uint8Array, expected: Expected, answer: (exchange: Exchange, pdu: Uint8Array) => void): void {
    this.#frames.push(chunk, (transaction, unit, pdu) => {
      const exchange = expected.byId(transaction);
      // An answer of another unit is ignored: the requested one may still answer.
      if (exchange !== undefined && exchange.unit === unit) answer(exchange, pdu);
    });
  }

  clear(): void {
    this.#frames.clear();
  }
}
