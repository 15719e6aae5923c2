// The authority of a bus: signs the certificates of its servers and of its members. Its key never leaves the folder of the centre.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@telltale/schema';
import { replaceFile } from '@telltale/stack-kit';
import { makeCertificate, type Pair } from '../tls/index.ts';
import { readIfThere } from './read-if-there.ts';

const [certificateFile, keyFile] = ['authority.pem', 'authority-key.pem'];
/** Who is taken out of the list of members is cut off: nothing has to end by itself, at a moment when nobody looks. */
const validDays = 3650;
const authorityDays = 2 * validDays;
const commonName = 'Telltale bus';

/** Where it is, there is an authority. */
export function authorityKeyIn(folder: string): string {
  return join(folder, keyFile);
}

export class BusAuthority {
  /** In PEM. */
  readonly certificate: string;
  readonly #key: KeyObject;
  readonly #publicKey: KeyObject;
  readonly #clock: Clock;

  /** Made where there is none; the folder is its owner's alone. Rejects with the system's errors. */
  static async open(folder: string, clock: Clock): Promise<BusAuthority> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const [certificate, key] = await Promise.all([
      readIfThere(join(folder, certificateFile)),
      readIfThere(join(folder, keyFile)),
    ]);
    if (certificate !== undefined && key !== undefined)
      return new BusAuthority(certificate, createPrivateKey(key), clock);
    const made = makeAuthority(clock);
    await replaceFile(join(folder, keyFile), made.key);
    await replaceFile(join(folder, certificateFile), made.certificate);
    return new BusAuthority(made.certificate, createPrivateKey(made.key), clock);
  }

  private constructor(certificate: string, key: KeyObject, clock: Clock) {
    this.certificate = certificate;
    this.#key = key;
    this.#publicKey = createPublicKey(key);
    this.#clock = clock;
  }

  /** Of a member, which shows it to the servers. */
  sign(subject: string, publicKey: KeyObject): string {
    return makeCertificate({ ...this.#signing, subject, publicKey, uses: ['client'], validDays });
  }

  /** For a server of the bus; servers show it to each other as well. */
  makeServerPair(hosts: readonly string[]): Pair {
    const { publicKey, privateKey } = newKeys();
    const subject = `bus.${hosts[0] ?? ''}`;
    return {
      certificate: makeCertificate({
        ...this.#signing,
        subject,
        publicKey,
        uses: ['server', 'client'],
        hosts,
        validDays,
      }),
      key: pemOf(privateKey),
    };
  }

  get #signing() {
    return {
      issuer: commonName,
      issuerKey: this.#key,
      issuerPublicKey: this.#publicKey,
      nowMs: this.#clock.now() / 1000,
    };
  }
}

export function newKeys(): { publicKey: KeyObject; privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

export function pemOf(privateKey: KeyObject): string {
  return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
}

function makeAuthority(clock: Clock): Pair {
  const { publicKey, privateKey } = newKeys();
  const itself = {
    subject: commonName,
    publicKey,
    issuer: commonName,
    issuerKey: privateKey,
    issuerPublicKey: publicKey,
  };
  const certificate = makeCertificate({
    ...itself,
    uses: ['authority'],
    nowMs: clock.now() / 1000,
    validDays: authorityDays,
  });
  return { certificate, key: pemOf(privateKey) };
}
