// An authenticator and its browser, in software: answers the options of a passkey as `navigator.credentials` does, and
// lies where it is told to.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export interface Lies {
  readonly origin?: string;
  readonly site?: string;
  readonly challenge?: string;
  readonly type?: string;
  readonly isUserVerified?: boolean;
  readonly counter?: number;
}

interface Asked {
  readonly challenge: string;
  readonly rp?: { readonly id: string };
  readonly rpId?: string;
}

const base64url = (bytes: Buffer) => bytes.toString('base64url');
const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest();

export class SoftAuthenticator {
  readonly id = randomBytes(32);
  readonly #origin: string;
  readonly #key: KeyObject;
  readonly #publicKey: KeyObject;
  #counter = 0;

  constructor(origin: string) {
    this.#origin = origin;
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#key = privateKey;
    this.#publicKey = publicKey;
  }

  create(options: object, lies: Lies = {}): Record<string, unknown> {
    const asked = options as Asked;
    const clientData = this.#clientData('webauthn.create', asked, lies);
    const length = Buffer.from([0, this.id.length]);
    const credential = Buffer.concat([Buffer.alloc(16), length, this.id, this.#cose()]);
    const data = Buffer.concat([this.#head(asked.rp?.id ?? '', 0x40, lies), credential]);
    const attestation = Buffer.concat([
      map(3),
      text('fmt'),
      text('none'),
      text('attStmt'),
      map(0),
      text('authData'),
      bytes(data),
    ]);
    return this.#answer({
      clientDataJSON: base64url(clientData),
      attestationObject: base64url(attestation),
      transports: ['internal'],
    });
  }

  get(options: object, lies: Lies = {}): Record<string, unknown> {
    const asked = options as Asked;
    const clientData = this.#clientData('webauthn.get', asked, lies);
    const data = this.#head(asked.rpId ?? '', 0, lies);
    const signature = sign('sha256', Buffer.concat([data, sha256(clientData)]), this.#key);
    return this.#answer({
      clientDataJSON: base64url(clientData),
      authenticatorData: base64url(data),
      signature: base64url(signature),
    });
  }

  #answer(response: object): Record<string, unknown> {
    const id = base64url(this.id);
    return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} };
  }

  #clientData(type: string, { challenge }: Asked, lies: Lies): Buffer {
    const said = { type, challenge, origin: this.#origin, crossOrigin: false };
    const { origin = said.origin, type: saidType = type, challenge: saidChallenge = challenge } = lies;
    return Buffer.from(JSON.stringify({ ...said, origin, type: saidType, challenge: saidChallenge }));
  }

  /** Hash of the site, flags and counter. */
  #head(site: string, flags: number, { site: said = site, isUserVerified = true, counter }: Lies): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter ?? ++this.#counter);
    return Buffer.concat([sha256(said), Buffer.from([flags | 1 | (isUserVerified ? 4 : 0)]), count]);
  }

  /** The public key as COSE has it: EC2, ES256, P-256. */
  #cose(): Buffer {
    const { x = '', y = '' } = this.#publicKey.export({ format: 'jwk' }) as { x?: string; y?: string };
    const numbers = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01]);
    const coordinate = (label: number, value: string) =>
      Buffer.concat([Buffer.from([label]), bytes(Buffer.from(value, 'base64url'))]);
    return Buffer.concat([numbers, coordinate(0x21, x), coordinate(0x22, y)]);
  }
}

/** CBOR (RFC 8949), as much as is needed here. */
const map = (size: number) => Buffer.from([0xa0 | size]);
const text = (value: string) => Buffer.concat([Buffer.from([0x60 | value.length]), Buffer.from(value)]);
const bytes = (value: Buffer) =>
  Buffer.concat([
    value.length < 256 ? Buffer.from([0x58, value.length]) : Buffer.from([0x59, value.length >> 8, value.length & 255]),
    value,
  ]);
