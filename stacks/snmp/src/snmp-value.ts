// Values of SNMP and ours, in both directions. The contents of varbinds have been checked when the message was read.
import {
  type Batch,
  type Datatype,
  fits,
  maxTextBytes,
  quality,
  form as storage,
  traitsOf,
  type Value,
} from '@telltale/schema';
import { integerContent, oidContent, oidOf, signedOf, tag, unsignedOf } from './ber.ts';
import { isOid } from './oid.ts';
import type { Varbind } from './pdu.ts';

const typeNames: Readonly<Record<number, string>> = {
  [tag.unreadable]: 'wrongly encoded',
  [tag.integer]: 'INTEGER',
  [tag.octets]: 'OCTET STRING',
  [tag.null]: 'NULL',
  [tag.oid]: 'OBJECT IDENTIFIER',
  [tag.ip]: 'IpAddress',
  [tag.counter32]: 'Counter32',
  [tag.gauge32]: 'Gauge32',
  [tag.timeTicks]: 'TimeTicks',
  [tag.opaque]: 'Opaque',
  [tag.counter64]: 'Counter64',
  [tag.unsigned32]: 'Unsigned32',
  [tag.noSuchObject]: 'noSuchObject',
  [tag.noSuchInstance]: 'noSuchInstance',
  [tag.endOfMibView]: 'endOfMibView',
};

export function typeName(valueTag: number): string {
  return typeNames[valueTag] ?? `type 0x${valueTag.toString(16)}`;
}

/** The agent says that there is nothing. */
export function isException(valueTag: number): boolean {
  return valueTag === tag.noSuchObject || valueTag === tag.noSuchInstance || valueTag === tag.endOfMibView;
}

/** Undefined where it is no number: texts of decimal numbers, and floating numbers in an Opaque, are. */
export function numberOf({ tag: valueTag, content }: Varbind): number | bigint | undefined {
  switch (valueTag) {
    case tag.integer:
      return Number(signedOf(content));
    case tag.counter32:
    case tag.gauge32:
    case tag.timeTicks:
    case tag.unsigned32:
      return Number(unsignedOf(content, 4));
    case tag.counter64:
      return unsignedOf(content, 8);
    case tag.opaque:
      return floatOf(content);
    case tag.octets:
      return decimalOf(content);
    default:
      return undefined;
  }
}

/** An Opaque around the tags 9f 78 and 9f 79, as net-snmp has it. */
function floatOf(content: Buffer): number | undefined {
  if (content.length === 7 && content.readUIntBE(0, 3) === 0x9f7804) return content.readFloatBE(3);
  if (content.length === 11 && content.readUIntBE(0, 3) === 0x9f7908) return content.readDoubleBE(3);
  return undefined;
}

/** As agents write them: spaces around, and an exponent at times. */
function decimalOf(content: Buffer): number | bigint | undefined {
  if (content.length > 64) return undefined;
  const text = content.toString('latin1').replace(/\0+$/, '').trim();
  if (/^[+-]?[0-9]{16,19}$/.test(text)) return BigInt(text);
  return /^[+-]?(?:[0-9]+(?:[.][0-9]*)?|[.][0-9]+)(?:[eE][+-]?[0-9]{1,3})?$/.test(text) ? Number(text) : undefined;
}

/** `hex`: two digits a byte, colons between. Else text where it is text, and hex where not, but for `text`. */
export function textOf(varbind: Varbind, form: string | undefined): string {
  const { tag: valueTag, content } = varbind;
  switch (valueTag) {
    case tag.oid:
      return oidOf(content);
    case tag.ip:
      return content.join('.');
    case tag.octets:
      return form === 'hex' ? hexOf(content) : octetText(content, form === 'text');
    default:
      return String(numberOf(varbind) ?? hexOf(content));
  }
}

export function hexOf(content: Uint8Array): string {
  return Buffer.from(content)
    .toString('hex')
    .replaceAll(/(..)(?=.)/g, '$1:');
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function octetText(content: Buffer, always: boolean): string {
  // Agents end texts with a zero at times.
  const plain = content.at(-1) === 0 ? content.subarray(0, content.length - 1) : content;
  try {
    const text = utf8.decode(plain);
    if (always || !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(text)) return text;
  } catch {
    if (always) return plain.toString('latin1');
  }
  return hexOf(content);
}

/** What a point shows of a varbind: undefined where it cannot. A number may be out of range: the server judges that. */
export function readValue(varbind: Varbind, datatype: Datatype, form: string | undefined): Value | undefined {
  if (isException(varbind.tag) || varbind.tag === tag.null || varbind.tag === tag.unreadable) return undefined;
  const { form: held, precision } = traitsOf(datatype);
  if (held === storage.text) {
    const text = textOf(varbind, form);
    return Buffer.byteLength(text) <= maxTextBytes ? text : undefined;
  }
  const number = numberOf(varbind);
  if (number === undefined) return undefined;
  if (form === 'truth') return number === 1 ? true : number === 2 ? false : undefined;
  if (held === storage.long) {
    // Beyond these, a double may be another number than was written.
    if (typeof number === 'number' && !Number.isSafeInteger(number)) return undefined;
    const long = BigInt(number);
    return fits(traitsOf(datatype), long) ? long : undefined;
  }
  return precision === 'single' ? Math.fround(Number(number)) : Number(number);
}

export function addReading(
  batch: Batch,
  point: { readonly id: number; readonly datatype: Datatype },
  varbind: Varbind,
  form: string | undefined,
  timeUs: number,
): void {
  const value = readValue(varbind, point.datatype, form);
  if (value !== undefined) batch.value(point.id, value, quality.good, timeUs);
  else if (isException(varbind.tag)) batch.none(point.id, quality.bad.configurationError, timeUs);
  else batch.none(point.id, quality.bad.sensorFailure, timeUs);
}

export class Unfit extends Error {
  override readonly name = 'Unfit';
}

/** A value as the type that a form names. Throws `Unfit` where it does not hold it. */
export function encodeValue(oid: string, value: Value, form: string): Varbind {
  switch (form) {
    case 'integer':
      return { oid, tag: tag.integer, content: integerContent(whole(value, -(2n ** 31n), 2n ** 31n - 1n)) };
    case 'unsigned':
      return { oid, tag: tag.gauge32, content: integerContent(whole(value, 0n, 2n ** 32n - 1n)) };
    case 'counter32':
      return { oid, tag: tag.counter32, content: integerContent(whole(value, 0n, 2n ** 32n - 1n)) };
    case 'timeticks':
      return { oid, tag: tag.timeTicks, content: integerContent(whole(value, 0n, 2n ** 32n - 1n)) };
    case 'counter64':
      return { oid, tag: tag.counter64, content: integerContent(whole(value, 0n, 2n ** 64n - 1n)) };
    case 'truth':
      return { oid, tag: tag.integer, content: integerContent(value === true || value === 1 ? 1 : 2) };
    case 'float': {
      const content = Buffer.from('9f780400000000', 'hex');
      content.writeFloatBE(single(value), 3);
      return { oid, tag: tag.opaque, content };
    }
    case 'double': {
      const content = Buffer.from('9f79080000000000000000', 'hex');
      content.writeDoubleBE(Number(value), 3);
      return { oid, tag: tag.opaque, content };
    }
    case 'ip': {
      const text = String(value);
      if (!/^(?:(?:25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})(?:[.]|$)){4}$/.test(text) || text.endsWith('.')) {
        throw new Unfit(`${shown(value)} is not an address of IP version 4`);
      }
      return { oid, tag: tag.ip, content: Buffer.from(text.split('.').map(Number)) };
    }
    case 'oid': {
      const text = String(value).replace(/^[.]/, '');
      if (!isOid(text)) throw new Unfit(`${shown(value)} is not an object identifier`);
      return { oid, tag: tag.oid, content: oidContent(text) };
    }
    case 'hex':
      return { oid, tag: tag.octets, content: bytesOfHex(String(value)) };
    default:
      return { oid, tag: tag.octets, content: Buffer.from(String(value), 'utf8') };
  }
}

function whole(value: Value, least: bigint, most: bigint): bigint {
  if (typeof value === 'number' && !Number.isInteger(value)) throw new Unfit(`${shown(value)} is not a whole number`);
  const long = BigInt(value);
  if (long < least || long > most) throw new Unfit(`${shown(value)} is out of range: ${least} to ${most}`);
  return long;
}

function single(value: Value): number {
  const number = Math.fround(Number(value));
  if (!Number.isFinite(number)) throw new Unfit(`${shown(value)} is out of range of single precision`);
  return number;
}

function bytesOfHex(text: string): Buffer {
  const digits = text.replaceAll(/[: -]/g, '');
  if (digits.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(digits)) {
    throw new Unfit(`${shown(text)} is not bytes in hexadecimal, such as 00:1a:2b`);
  }
  return Buffer.from(digits, 'hex');
}

function shown(value: Value): string {
  const text = String(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
