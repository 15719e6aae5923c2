// The part of the Basic Encoding Rules that SNMP uses: definite lengths, tags of one byte. Reading is strict: what is
// not as it should be throws `Malformed`, and nothing outside the given bytes is ever looked at.
import { arcsOf, maxArcs } from './oid.ts';

export class Malformed extends Error {
  override readonly name = 'Malformed';
}

export const tag = {
  /** BER has none of this number: it stands for that of a value whose content is not what it should be. */
  unreadable: 0x00,
  integer: 0x02,
  octets: 0x04,
  null: 0x05,
  oid: 0x06,
  sequence: 0x30,
  ip: 0x40,
  counter32: 0x41,
  gauge32: 0x42,
  timeTicks: 0x43,
  opaque: 0x44,
  counter64: 0x46,
  unsigned32: 0x47,
  noSuchObject: 0x80,
  noSuchInstance: 0x81,
  endOfMibView: 0x82,
} as const;

/** Walks over the elements of one constructed value. */
export class BerReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  peek(): number {
    return this.#bytes[this.#at] ?? -1;
  }

  /** The content of the next element, which has this tag; it shares the bytes. */
  content(expected: number): Buffer {
    const found = this.peek();
    if (found !== expected) throw new Malformed(`tag ${found} where ${expected} is expected`);
    const bytes = this.#bytes;
    let at = this.#at + 1;
    let length = bytes[at++] ?? -1;
    if (length > 0x80 && length <= 0x84) {
      const end = at + (length & 0x7f);
      if (end > bytes.length) throw new Malformed('a length is cut off');
      length = 0;
      while (at < end) length = length * 256 + (bytes[at++] ?? 0);
    } else if (length < 0 || length >= 0x80) {
      throw new Malformed('a length that SNMP does not have');
    }
    if (length > bytes.length - at) throw new Malformed('an element is longer than what it is in');
    this.#at = at + length;
    return bytes.subarray(at, at + length);
  }

  within(expected: number): BerReader {
    return new BerReader(this.content(expected));
  }

  /** Of 32 bits. */
  integer(): number {
    const value = signedOf(this.content(tag.integer));
    if (value < -(2n ** 31n) || value >= 2n ** 31n) throw new Malformed('an integer has more than 32 bits');
    return Number(value);
  }

  oid(): string {
    return oidOf(this.content(tag.oid));
  }

  end(): void {
    if (!this.isAtEnd) throw new Malformed('there is more than there should be');
  }
}

export function signedOf(content: Uint8Array): bigint {
  if (content.length === 0 || content.length > 9) throw new Malformed(`an integer of ${content.length} bytes`);
  return BigInt.asIntN(8 * content.length, plainOf(content));
}

/** Agents that leave out the zero before a first bit that is set are understood. */
export function unsignedOf(content: Uint8Array, bytes: 4 | 8): bigint {
  if (content.length === 0 || content.length > bytes + 1) throw new Malformed(`a number of ${content.length} bytes`);
  const value = plainOf(content);
  if (value >= 1n << BigInt(8 * bytes)) throw new Malformed(`a number has more than ${8 * bytes} bits`);
  return value;
}

function plainOf(content: Uint8Array): bigint {
  if (content.length <= 6) {
    let small = 0;
    for (const byte of content) small = small * 256 + byte;
    return BigInt(small);
  }
  let value = 0n;
  for (const byte of content) value = (value << 8n) | BigInt(byte);
  return value;
}

export function oidOf(content: Uint8Array): string {
  const arcs: number[] = [];
  let arc = 0;
  let isOpen = false;
  for (const byte of content) {
    arc = arc * 128 + (byte & 0x7f);
    if (arc >= 2 ** 32 + 80) throw new Malformed('a number of an object identifier has more than 32 bits');
    isOpen = byte >= 0x80;
    if (isOpen) continue;
    if (arcs.length === 0) {
      const first = Math.min(2, Math.floor(arc / 40));
      arcs.push(first, arc - 40 * first);
    } else {
      arcs.push(arc);
    }
    if (arcs.length > maxArcs || (arcs.at(-1) ?? 0) >= 2 ** 32) throw new Malformed('an object identifier is too long');
    arc = 0;
  }
  if (isOpen || arcs.length === 0) throw new Malformed('an object identifier is cut off');
  return arcs.join('.');
}

/** One element: its tag, the length of the parts together, and the parts. */
export function element(elementTag: number, ...parts: Uint8Array[]): Buffer {
  let length = 0;
  for (const part of parts) length += part.length;
  const lengthBytes = length < 0x80 ? 0 : length < 0x100 ? 1 : length < 0x10000 ? 2 : 3;
  const bytes = Buffer.allocUnsafe(2 + lengthBytes + length);
  bytes[0] = elementTag;
  if (lengthBytes === 0) {
    bytes[1] = length;
  } else {
    bytes[1] = 0x80 + lengthBytes;
    bytes.writeUIntBE(length, 2, lengthBytes);
  }
  let at = 2 + lengthBytes;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** The shortest content of a signed number; also of an unsigned one, since a zero stands before a first bit that is set. */
export function integerContent(value: bigint | number): Buffer {
  let rest = BigInt(value);
  const bytes: number[] = [];
  do {
    bytes.unshift(Number(BigInt.asUintN(8, rest)));
    rest >>= 8n;
  } while (!(rest === 0n && (bytes[0] ?? 0) < 0x80) && !(rest === -1n && (bytes[0] ?? 0) >= 0x80));
  return Buffer.from(bytes);
}

export function oidContent(oid: string): Buffer {
  const [first = 0, second = 0, ...rest] = arcsOf(oid);
  const bytes: number[] = [];
  for (const arc of [40 * first + second, ...rest]) {
    const at = bytes.length;
    let left = arc;
    do {
      bytes.splice(at, 0, (left % 128) | (bytes.length === at ? 0 : 0x80));
      left = Math.floor(left / 128);
    } while (left > 0);
  }
  return Buffer.from(bytes);
}
