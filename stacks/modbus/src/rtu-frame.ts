// The frames of serial lines: the unit, the PDU and a checksum. They have no length and no beginning: the answer that is
// waited for is looked for in what comes, by its unit, its function, its length and its checksum.
import type { Exchange, Expected, Framing } from './framing.ts';
import { answerLength, isRead } from './pdu.ts';

/** More than two of the longest frames: what is older is noise. */
const maxHeldBytes = 600;
const crcBytes = 2;

/** Where a frame stands in what is held. */
interface Found {
  readonly start: number;
  readonly end: number;
}

const crcTable = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 0 ? crc >> 1 : (crc >> 1) ^ 0xa001;
  return crc;
});

/** CRC-16 of Modbus over `bytes` from `start` to before `end`. */
export function crc16(bytes: Uint8Array, start = 0, end = bytes.length): number {
  let crc = 0xffff;
  for (let at = start; at < end; at++) crc = (crc >> 8) ^ (crcTable[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0);
  return crc;
}

export function rtuFrame(unit: number, pdu: Uint8Array): Uint8Array {
  const frame = new Uint8Array(pdu.length + 3);
  frame[0] = unit;
  frame.set(pdu, 1);
  const crc = crc16(frame, 0, pdu.length + 1);
  frame[pdu.length + 1] = crc;
  frame[pdu.length + 2] = crc >> 8;
  return frame;
}

export class RtuFraming implements Framing {
  readonly hasIds = false;
  #held = new Uint8Array(maxHeldBytes);
  #count = 0;
  #sent: Uint8Array = new Uint8Array(0);
  /** The exchange of `#sent`. */
  #last: Exchange | undefined;
  /** The line gives back what is sent, as the last read has shown: such an echo of a write looks just like its answer. */
  #echoes = false;

  frame(exchange: Exchange): Uint8Array {
    this.#last = exchange;
    this.#sent = rtuFrame(exchange.unit, exchange.request);
    return this.#sent;
  }

  receive(chunk: Uint8Array, expected: Expected, answer: (exchange: Exchange, pdu: Uint8Array) => void): void {
    const exchanges = expected.all();
    if (exchanges.length === 0) return; // nobody was asked: noise
    this.#hold(chunk);
    // No two of them have the same unit: each frame can be the answer to one of them alone.
    for (const exchange of exchanges) {
      const found = this.#findAnswer(exchange);
      if (found === undefined) continue;
      const pdu = this.#held.slice(found.start + 1, found.end - crcBytes);
      // What stands around it is noise, or the answer to another.
      this.#held.copyWithin(found.start, found.end, this.#count);
      this.#count -= found.end - found.start;
      answer(exchange, pdu);
    }
  }

  clear(): void {
    this.#count = 0;
  }

  #hold(chunk: Uint8Array): void {
    const newest = chunk.subarray(-maxHeldBytes);
    const excess = this.#count + newest.length - maxHeldBytes;
    if (excess > 0) {
      this.#held.copyWithin(0, excess, this.#count);
      this.#count -= excess;
    }
    this.#held.set(newest, this.#count);
    this.#count += newest.length;
  }

  #findAnswer(exchange: Exchange): Found | undefined {
    const echoAt = Buffer.from(this.#held.buffer, 0, this.#count).indexOf(this.#sent);
    const echoEnd = echoAt < 0 ? 0 : echoAt + this.#sent.length;
    const found = this.#findFrom(echoEnd, exchange);
    if (found === undefined) return this.#echoes || echoEnd === 0 ? undefined : this.#findFrom(0, exchange);
    if (exchange === this.#last && isRead(exchange.request)) this.#echoes = echoEnd > 0;
    return found;
  }

  /** At any place. */
  #findFrom(start: number, { unit, request }: Exchange): Found | undefined {
    const [code = 0] = request;
    const length = answerLength(request);
    for (let at = start; at + 5 <= this.#count; at++) {
      if (this.#held[at] !== unit) continue;
      const found = this.#held[at + 1];
      if (found === (code | 0x80)) {
        if (this.#isWhole(at, 2)) return { start: at, end: at + 3 + crcBytes };
      } else if (found === code && this.#isWhole(at, length)) {
        if (!isRead(request) || this.#held[at + 2] === length - 2) {
          return { start: at, end: at + 1 + length + crcBytes };
        }
      }
    }
    return undefined;
  }

  /** Whether a frame with a PDU of this length stands there. */
  #isWhole(at: number, pduLength: number): boolean {
    const end = at + 1 + pduLength;
    if (end + 2 > this.#count) return false;
    return crc16(this.#held, at, end) === (((this.#held[end + 1] ?? 0) << 8) | (this.#held[end] ?? 0));
  }
}
