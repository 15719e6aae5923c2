// The messages of SNMP 2c and 3 as bytes and back: what is signed or encrypted in version 3 is left to `usm.ts`.
import { BerReader, element, integerContent, Malformed, oidContent, oidOf, signedOf, tag, unsignedOf } from './ber.ts';

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

export interface CommunityMessage {
  readonly version: 1;
  readonly community: Buffer;
  readonly pdu: Pdu;
}

export interface SecuredMessage {
  readonly version: 3;
  readonly bytes: Buffer;
  readonly msgId: number;
  readonly maxSize: number;
  readonly isAuthenticated: boolean;
  readonly isEncrypted: boolean;
  readonly isReportable: boolean;
  readonly engineId: Buffer;
  readonly engineBoots: number;
  readonly engineTime: number;
  readonly user: string;
  readonly authParameters: Buffer;
  /** Where they stand in `bytes`. */
  readonly authOffset: number;
  readonly privParameters: Buffer;
  /** Encrypted, or the content of the sequence. */
  readonly scoped: Buffer;
}

export interface ScopedPdu {
  readonly contextEngineId: Buffer;
  readonly contextName: string;
  readonly pdu: Pdu;
}

/** A datagram holds no more. */
export const maxMessageBytes = 65507;
const maxVarbinds = 2000;

/** Throws `Malformed`, also where the version is neither 2c nor 3. */
export function decodeMessage(bytes: Buffer): CommunityMessage | SecuredMessage {
  const outer = new BerReader(bytes);
  const reader = outer.within(tag.sequence);
  outer.end();
  const version = reader.integer();
  if (version === 1) {
    const community = reader.content(tag.octets);
    const pdu = decodePdu(reader);
    reader.end();
    return { version, community, pdu };
  }
  if (version !== 3) throw new Malformed(`version ${version === 0 ? 1 : version} of SNMP`);
  const header = reader.within(tag.sequence);
  const msgId = header.integer();
  const maxSize = header.integer();
  const flags = header.content(tag.octets);
  const model = header.integer();
  header.end();
  if (flags.length !== 1 || model !== 3 || msgId < 0) throw new Malformed('a header of another security model');
  const wrapped = new BerReader(reader.content(tag.octets));
  const security = wrapped.within(tag.sequence);
  wrapped.end();
  const engineId = security.content(tag.octets);
  const engineBoots = security.integer();
  const engineTime = security.integer();
  const user = security.content(tag.octets);
  const authParameters = security.content(tag.octets);
  const privParameters = security.content(tag.octets);
  security.end();
  if (engineId.length > 32 || user.length > 32) throw new Malformed('an engine or a user with too long a name');
  const flag = flags[0] ?? 0;
  const isEncrypted = (flag & 2) !== 0;
  if (isEncrypted && (flag & 1) === 0) throw new Malformed('encrypted, but not authenticated');
  const scoped = reader.content(isEncrypted ? tag.octets : tag.sequence);
  reader.end();
  return {
    version,
    bytes,
    msgId,
    maxSize,
    isAuthenticated: (flag & 1) !== 0,
    isEncrypted,
    isReportable: (flag & 4) !== 0,
    engineId,
    engineBoots,
    engineTime,
    user: user.toString('utf8'),
    authParameters,
    authOffset: authParameters.byteOffset - bytes.byteOffset,
    privParameters,
    scoped,
  };
}

/** Of the content of the sequence. */
export function decodeScoped(content: Buffer): ScopedPdu {
  const reader = new BerReader(content);
  const contextEngineId = reader.content(tag.octets);
  const contextName = reader.content(tag.octets).toString('utf8');
  const pdu = decodePdu(reader);
  reader.end();
  return { contextEngineId, contextName, pdu };
}

function decodePdu(outer: BerReader): Pdu {
  const type = outer.peek();
  if (type === pduType.trapV1 || type < pduType.get || type > pduType.report)
    throw new Malformed(`PDU of type ${type}`);
  const reader = outer.within(type);
  const requestId = reader.integer();
  const status = reader.integer();
  const index = reader.integer();
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
  return { type, requestId, errorStatus: status, errorIndex: index, varbinds };
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

export function encodeCommunityMessage(community: Uint8Array, pdu: Buffer): Buffer {
  return element(tag.sequence, integer(1), element(tag.octets, community), pdu);
}

export function encodeScoped(contextEngineId: Uint8Array, contextName: string, pdu: Buffer): Buffer {
  return element(
    tag.sequence,
    element(tag.octets, contextEngineId),
    element(tag.octets, Buffer.from(contextName, 'utf8')),
    pdu,
  );
}

export interface SecuredParts {
  readonly msgId: number;
  readonly isAuthenticated: boolean;
  readonly isEncrypted: boolean;
  readonly isReportable: boolean;
  readonly engineId: Uint8Array;
  readonly engineBoots: number;
  readonly engineTime: number;
  readonly user: string;
  /** Zeros, to be filled in. */
  readonly authParameters: Uint8Array;
  readonly privParameters: Uint8Array;
  /** A whole element: encrypted octets, or the sequence. */
  readonly scoped: Buffer;
}

export function encodeSecured(parts: SecuredParts): { bytes: Buffer; authOffset: number } {
  const flags = (parts.isAuthenticated ? 1 : 0) | (parts.isEncrypted ? 2 : 0) | (parts.isReportable ? 4 : 0);
  const header = element(
    tag.sequence,
    integer(parts.msgId),
    integer(maxMessageBytes),
    element(tag.octets, Buffer.of(flags)),
    integer(3),
  );
  const privacy = element(tag.octets, parts.privParameters);
  const security = element(
    tag.sequence,
    element(tag.octets, parts.engineId),
    integer(parts.engineBoots),
    integer(parts.engineTime),
    element(tag.octets, Buffer.from(parts.user, 'utf8')),
    element(tag.octets, parts.authParameters),
    privacy,
  );
  const bytes = element(tag.sequence, integer(3), header, element(tag.octets, security), parts.scoped);
  // Behind the parameters stand only the privacy parameters and the PDU.
  return { bytes, authOffset: bytes.length - parts.scoped.length - privacy.length - parts.authParameters.length };
}

function integer(value: number): Buffer {
  return element(tag.integer, integerContent(value));
}
