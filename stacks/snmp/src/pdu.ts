// The PDUs of SNMP as bytes and back: what is asked and answered, without the envelope of a version.
import {
  type BerReader,
  element,
  integerContent,
  Malformed,
  oidContent,
  oidOf,
  signedOf,
  tag,
  unsignedOf,
} from './ber.ts';

/** A value stays as it came: `snmp-value.ts` reads it. */
export interface Varbind {
  readonly oid: string;
  readonly tag: number;
  readonly content: Buffer;
}

export const pduType = {
  get: 0xa0,
  getNext: 0xa1,
  response: 0xa2,
  set: 0xa3,
  trapV1: 0xa4,
  getBulk: 0xa5,
  inform: 0xa6,
  trap: 0xa7,
  report: 0xa8,
} as const;

export interface Pdu {
  readonly type: number;
  readonly requestId: number;
  /** Of a response the status; of GETBULK how many do not repeat. */
  readonly errorStatus: number;
  /** Of a response the place of the culprit, from 1; of GETBULK how often the others repeat. */
  readonly errorIndex: number;
  readonly varbinds: readonly Varbind[];
}

export const errorStatus = {
  noError: 0,
  tooBig: 1,
  noSuchName: 2,
  badValue: 3,
  readOnly: 4,
  genErr: 5,
  noAccess: 6,
  wrongType: 7,
  wrongLength: 8,
  wrongEncoding: 9,
  wrongValue: 10,
  noCreation: 11,
  inconsistentValue: 12,
  resourceUnavailable: 13,
  commitFailed: 14,
  undoFailed: 15,
  authorizationError: 16,
  notWritable: 17,
  inconsistentName: 18,
} as const;

const statusNames = new Map<number, string>(Object.entries(errorStatus).map(([name, code]) => [code, name]));

export function isStandardStatus(status: number): boolean {
  return statusNames.has(status);
}

export function statusName(status: number): string {
  return statusNames.get(status) ?? `error ${status}`;
}

/** What is asked of an agent. */
export interface Question {
  /** One of `pduType`. */
  readonly type: number;
  readonly first?: number;
  readonly second?: number;
  /** As `encodeVarbinds` makes them. */
  readonly varbinds: Buffer;
}

const maxVarbinds = 2000;

/** Of every version but the trap of version 1. */
export function decodePdu(outer: BerReader): Pdu {
  const type = outer.peek();
  if (type === pduType.trapV1 || type < pduType.get || type > pduType.report)
    throw new Malformed(`PDU of type ${type}`);
  const reader = outer.within(type);
  const requestId = reader.integer();
  const status = reader.integer();
  const index = reader.integer();
  const varbinds = decodeVarbinds(type, reader);
  return { type, requestId, errorStatus: status, errorIndex: index, varbinds };
}

/** The list that a PDU of this type ends with. */
export function decodeVarbinds(type: number, reader: BerReader): Varbind[] {
  const list = reader.within(tag.sequence);
  reader.end();
  const varbinds: Varbind[] = [];
  while (!list.isAtEnd) {
    if (varbinds.length === maxVarbinds) throw new Malformed(`more than ${maxVarbinds} objects`);
    const pair = list.within(tag.sequence);
    const oid = pair.oid();
    const valueTag = pair.peek();
    const content = pair.content(valueTag);
    pair.end();
    varbinds.push({ oid, tag: checkedTag(type, valueTag, content), content });
  }
  return varbinds;
}

/**
 * So that the value can be decoded later without checks. Some agents encode an object wrongly, such as an INTEGER of more
 * than 32 bits: in their answers only that value is unreadable. Requests to us must be valid.
 */
function checkedTag(pdu: number, valueTag: number, content: Buffer): number {
  try {
    checkContent(valueTag, content);
    return valueTag;
  } catch (error) {
    if (error instanceof Malformed && (pdu === pduType.response || pdu === pduType.trap)) return tag.unreadable;
    throw error;
  }
}

/** Types that are not known here are let pass. */
function checkContent(valueTag: number, content: Buffer): void {
  switch (valueTag) {
    case tag.integer: {
      const value = signedOf(content);
      if (value < -(2n ** 31n) || value >= 2n ** 31n) throw new Malformed('an INTEGER has more than 32 bits');
      return;
    }
    case tag.counter32:
    case tag.gauge32:
    case tag.timeTicks:
    case tag.unsigned32:
      unsignedOf(content, 4);
      return;
    case tag.counter64:
      unsignedOf(content, 8);
      return;
    case tag.oid:
      oidOf(content);
      return;
    case tag.ip:
      if (content.length !== 4) throw new Malformed(`an IpAddress of ${content.length} bytes`);
      return;
    case tag.null:
    case tag.noSuchObject:
    case tag.noSuchInstance:
    case tag.endOfMibView:
      if (content.length !== 0) throw new Malformed('bytes where no value is');
      return;
    default:
  }
}

const noContent = Buffer.alloc(0);

/** What asks for an object. */
export function asked(oid: string): Varbind {
  return { oid, tag: tag.null, content: noContent };
}

/** The content of a list, so that a request that is sent often need not make it again. */
export function encodeVarbinds(varbinds: readonly Varbind[]): Buffer {
  return Buffer.concat(varbinds.map(encodeVarbind));
}

export function encodeVarbind({ oid, tag: valueTag, content }: Varbind): Buffer {
  return element(tag.sequence, element(tag.oid, oidContent(oid)), element(valueTag, content));
}

export interface PduHead {
  readonly type: number;
  readonly requestId: number;
  readonly errorStatus: number;
  readonly errorIndex: number;
}

export function encodePdu(head: PduHead, varbinds: Buffer): Buffer {
  return element(
    head.type,
    integer(head.requestId),
    integer(head.errorStatus),
    integer(head.errorIndex),
    element(tag.sequence, varbinds),
  );
}

export function integer(value: number): Buffer {
  return element(tag.integer, integerContent(value));
}
