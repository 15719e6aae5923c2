// The messages of SNMP 1, 2c and 3 as bytes and back: what is signed or encrypted in version 3 is left to `usm.ts`.
import { BerReader, element, Malformed, tag } from './ber.ts';
import { decodePdu, integer, type Pdu, pduType } from './pdu.ts';
import { decodeTrapV1 } from './version-1.ts';

/** As versions 1 and 2c have it on the wire. */
export const wireVersion = { '1': 0, '2c': 1 } as const;
export type CommunityVersion = keyof typeof wireVersion;

export interface CommunityMessage {
  readonly version: CommunityVersion;
  readonly community: Buffer;
  readonly pdu: Pdu;
}

export interface SecuredMessage {
  readonly version: '3';
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

/** Throws `Malformed`. A trap of version 1 comes in the form of version 2c. */
export function decodeMessage(bytes: Buffer): CommunityMessage | SecuredMessage {
  const outer = new BerReader(bytes);
  const reader = outer.within(tag.sequence);
  outer.end();
  const wire = reader.integer();
  if (wire === wireVersion['1'] || wire === wireVersion['2c']) {
    const community = reader.content(tag.octets);
    const isTrapV1 = wire === wireVersion['1'] && reader.peek() === pduType.trapV1;
    const pdu = isTrapV1 ? decodeTrapV1(reader.within(pduType.trapV1)) : decodePdu(reader);
    reader.end();
    return { version: wire === wireVersion['1'] ? '1' : '2c', community, pdu };
  }
  if (wire !== 3) throw new Malformed(`version ${wire} of SNMP`);
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
    version: '3',
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

export function encodeCommunityMessage(version: CommunityVersion, community: Uint8Array, pdu: Buffer): Buffer {
  return element(tag.sequence, integer(wireVersion[version]), element(tag.octets, community), pdu);
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
