// The secure channels of the library's server (node-opcua-secure-channel 2.186.4) where they depart from OPC UA Part 6, mended
// channel by channel. Proposed upstream, in docs/upstream-token-renewal.md.
import type { Clock } from '@telltale/schema';
import {
  OpenSecureChannelResponse,
  type Response,
  type SecurityHeader,
  ServiceFault,
  type StatusCode,
  SymmetricAlgorithmSecurityHeader,
} from 'node-opcua-client';

interface Message {
  readonly securityHeader?: SecurityHeader;
}

type Sent = (error?: Error | null) => void;

export interface Channel {
  prependListener(event: 'message', listener: (message: Message) => void): unknown;
  send_response(kind: string, response: Response, message: Message, sent?: Sent): void;
  write(chunk: Buffer): void;
}

interface Token {
  readonly id: number;
  readonly expiresMs: number;
}

export function mendChannel(channel: Channel, clock: Clock): void {
  const tokens = new Tokens(clock);
  const send = channel.send_response.bind(channel);
  channel.prependListener('message', ({ securityHeader }) => tokens.used(securityHeader));
  channel.send_response = (kind, response, message, sent) => {
    if (kind !== 'MSG' && response instanceof ServiceFault) {
      // The library has a fault in the place of a response, where few clients look for one, or in an error message that none can
      // decode.
      channel.write(errorMessage(response));
      sent?.();
      return;
    }
    if (response instanceof OpenSecureChannelResponse) tokens.issued(response);
    send(kind, response, { ...message, securityHeader: tokens.current(message.securityHeader) } as Message, sent);
  };
}

/**
 * Which token secures what leaves: the one that the client has begun to use, until it ends; then the newest (Part 6, 6.7.3).
 * The library takes that of the request, which may be long ago, and when it has ended, its number with the keys of another.
 */
class Tokens {
  readonly #clock: Clock;
  #used: Token | undefined;
  #newest: Token | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  issued({ securityToken: { tokenId, createdAt, revisedLifetime } }: OpenSecureChannelResponse): void {
    const startMs = createdAt?.getTime() ?? this.#nowMs();
    this.#newest = { id: tokenId, expiresMs: startMs + revisedLifetime };
    this.#used ??= this.#newest;
  }

  /** The client has sent a message under it, and the security of the message was verified. */
  used(header: SecurityHeader | undefined): void {
    const id = header instanceof SymmetricAlgorithmSecurityHeader ? header.tokenId : 0;
    if (this.#newest !== undefined && id === this.#newest.id) this.#used = this.#newest;
  }

  /** `header`: that of the request. */
  current<Header extends SecurityHeader | undefined>(header: Header): Header | SymmetricAlgorithmSecurityHeader {
    if (!(header instanceof SymmetricAlgorithmSecurityHeader)) return header;
    const isOver = this.#used !== undefined && this.#used.expiresMs < this.#nowMs();
    const token = isOver ? this.#newest : this.#used;
    return new SymmetricAlgorithmSecurityHeader({ tokenId: token?.id ?? header.tokenId });
  }

  /** By the time of day: so does the library, and both must agree. */
  #nowMs(): number {
    return Math.floor(this.#clock.now() / 1000);
  }
}

/** The error message of Part 6, 7.1.2.5: without a security header, so that everybody can read it. */
function errorMessage({ responseHeader: { serviceResult, stringTable } }: ServiceFault): Buffer {
  const reason = Buffer.from(reasonOf(serviceResult, stringTable?.[0] ?? ''));
  const message = Buffer.alloc(16 + reason.length);
  message.write('ERRF');
  message.writeUInt32LE(message.length, 4);
  message.writeUInt32LE(serviceResult.value, 8);
  message.writeUInt32LE(reason.length, 12);
  reason.copy(message, 16);
  return message;
}

/** Which check has failed, Part 4 wants to be told on this side only. */
function reasonOf({ name }: StatusCode, description: string): string {
  if (name !== 'BadSecurityChecksFailed') return description.trim().slice(0, 1000);
  return 'the certificate of the client is not trusted, or not fit: the log of the server says which';
}
