// The few forms of DER (X.690) that a certificate is written in.

const tags = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  bytes: 0x04,
  id: 0x06,
  text: 0x0c,
  shortTime: 0x17,
  time: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

function element(tag: number, content: Uint8Array): Buffer {
  const { length } = content;
  const digits = length < 0x80 ? [length] : bytesOf(length);
  const size = length < 0x80 ? digits : [0x80 | digits.length, ...digits];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function bytesOf(number: number): number[] {
  const rest = Math.floor(number / 256);
  return [...(rest > 0 ? bytesOf(rest) : []), number % 256];
}

export const sequence = (...items: readonly Uint8Array[]) => element(tags.sequence, Buffer.concat(items));
export const set = (...items: readonly Uint8Array[]) => element(tags.set, Buffer.concat(items));
export const text = (value: string) => element(tags.text, Buffer.from(value));
export const octets = (content: Uint8Array) => element(tags.bytes, content);
export const yes = () => element(tags.boolean, Buffer.from([0xff]));

/** Of a number that is not negative, in bytes. */
export function integer(bytes: Uint8Array): Buffer {
  const isHigh = ((bytes[0] ?? 0) & 0x80) !== 0;
  return element(tags.integer, isHigh ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

/** `unused`: how many of the last bits do not count. */
export function bits(content: Uint8Array, unused = 0): Buffer {
  return element(tags.bits, Buffer.concat([Buffer.from([unused]), content]));
}

/** Such as 2.5.29.17. */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(tags.id, Buffer.from([first * 40 + second, ...rest.flatMap(baseOf128)]));
}

function baseOf128(number: number): number[] {
  const digits = [number % 128];
  for (let left = Math.floor(number / 128); left > 0; left = Math.floor(left / 128)) {
    digits.unshift((left % 128) | 0x80);
  }
  return digits;
}

/** In whole seconds; until 2049 with a year of two digits (RFC 5280, 4.1.2.5). */
export function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/\.\d+|[-:T]/g, '');
  if (digits >= '2050') return element(tags.time, Buffer.from(digits, 'latin1'));
  return element(tags.shortTime, Buffer.from(digits.slice(2), 'latin1'));
}

/** Of the context: `[number]` in ASN.1. */
export const tagged = (number: number, content: Uint8Array, isConstructed = true) =>
  element((isConstructed ? 0xa0 : 0x80) | number, content);
