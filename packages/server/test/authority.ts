// An authority for tests: it signs certificates of clients, and lists those that it has revoked.
import { createHash, generateKeyPairSync, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { bits, integer, objectId, octets, sequence, set, tagged, text, time, yes } from '../src/tls/der.ts';
import type { Pair } from '../src/tls/self-signed.ts';

const ecdsaWithSha256 = sequence(objectId('1.2.840.10045.4.3.2'));
const nameOf = (title: string) => sequence(set(sequence(objectId('2.5.4.3'), text(title))));
const extension = (id: string, content: Uint8Array, ...critical: Uint8Array[]) =>
  sequence(objectId(id), ...critical, octets(content));
const keyIdOf = (key: KeyObject) =>
  createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest();

function pem(kind: string, der: Buffer): string {
  return `-----BEGIN ${kind}-----\n${der.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n')}\n-----END ${kind}-----\n`;
}

export interface Validity {
  readonly fromMs: number;
  readonly untilMs: number;
}

const hourMs = 3_600_000;

export class Authority {
  readonly certificate: string;
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #name: Buffer;
  #serial = 1;

  constructor(title: string) {
    this.#name = nameOf(title);
    const extensions = [
      extension('2.5.29.19', sequence(yes()), yes()),
      extension('2.5.29.15', bits(Buffer.from([0x06]), 1), yes()), // signs certificates and lists
      extension('2.5.29.14', octets(keyIdOf(this.#keys.publicKey))),
    ];
    this.certificate = this.#certify(this.#name, this.#keys.publicKey, extensions, aroundNow(24 * 365));
  }

  /** Of a client; an hour before and after now where nothing else is said. */
  issue(title: string, validity = aroundNow(1)): Pair {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const extensions = [
      extension('2.5.29.37', sequence(objectId('1.3.6.1.5.5.7.3.2'))),
      extension('2.5.29.35', sequence(tagged(0, keyIdOf(this.#keys.publicKey), false))),
    ];
    const certificate = this.#certify(nameOf(title), publicKey, extensions, validity);
    return { certificate, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string };
  }

  /** The list of those that count no longer, in PEM. */
  revoke(...certificates: string[]): string {
    const { fromMs, untilMs } = aroundNow(1);
    const entries = certificates.map((each) => {
      const serial = new X509Certificate(each).serialNumber;
      return sequence(integer(Buffer.from(serial, 'hex')), time(fromMs));
    });
    const listed = entries.length === 0 ? [] : [sequence(...entries)];
    const toSign = sequence(ecdsaWithSha256, this.#name, time(fromMs), time(untilMs), ...listed);
    return pem('X509 CRL', this.#signed(toSign));
  }

  #certify(subject: Buffer, key: KeyObject, extensions: Buffer[], { fromMs, untilMs }: Validity): string {
    const toSign = sequence(
      tagged(0, integer(Buffer.from([2]))),
      integer(Buffer.from([0x7f, this.#serial++])),
      ecdsaWithSha256,
      this.#name,
      sequence(time(fromMs), time(untilMs)),
      subject,
      key.export({ type: 'spki', format: 'der' }),
      tagged(3, sequence(...extensions)),
    );
    return pem('CERTIFICATE', this.#signed(toSign));
  }

  #signed(toSign: Buffer): Buffer {
    const signature = sign('sha256', toSign, { key: this.#keys.privateKey, dsaEncoding: 'der' });
    return sequence(toSign, ecdsaWithSha256, bits(signature));
  }
}

function aroundNow(hours: number): Validity {
  return { fromMs: Date.now() - hours * hourMs, untilMs: Date.now() + hours * hourMs };
}
