// The certificates of one connector or provider: its own, made once, and those of the other side that a person trusts.
// An untrusted certificate is refused, and kept for a person to decide.
import { createPrivateKey, createPublicKey, sign, verify, X509Certificate } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@telltale/schema';
import {
  PeerCertificates,
  parseCertificate,
  readCertificates,
  replaceFile,
  type StackLog,
  type StoredCertificate,
  titleOf,
} from '@telltale/stack-kit';
import { crypto_utils, type StatusCode, StatusCodes } from 'node-opcua-client';
import { faultOf, type Leniency, type Refusal, trustOf } from './certificate-chain.ts';
import { RevocationLists } from './revocation-lists.ts';

export interface CertificateFolderOptions {
  readonly folder: string;
  /** Stands in the own certificate. */
  readonly applicationUri: string;
  readonly applicationName: string;
  /** Of the other side, where there is one alone. */
  readonly peer?: string;
  /** Certificates are valid by the time of day. */
  readonly clock: Clock;
  readonly log: StackLog;
  /** Nothing, unless it says so. */
  readonly leniency?: Leniency & { readonly otherApplicationUri: boolean };
}

type PrivateKey = ReturnType<typeof crypto_utils.coercePEMorDerToPrivateKey>;

const dayMs = 86_400_000;
const validYears = 20;
const maxSent = 10;
const maxChainBytes = 64 * 1024;
const strict = { shortKeys: false, unknownRevocation: false, otherApplicationUri: false };

/** What the library calls a certificate store and a key pair, both. */
export class CertificateFolder {
  /** The library's own book-keeping. */
  referenceCounter = 0;
  readonly certificateFile = '<in-memory>';
  readonly privateKeyFile = '<in-memory>';
  readonly #options: CertificateFolderOptions;
  readonly #peers: PeerCertificates;
  readonly #lists: RevocationLists;
  #own: { readonly certificate: Buffer; readonly privateKey: PrivateKey } | undefined;

  constructor(options: CertificateFolderOptions) {
    this.#options = options;
    this.#peers = new PeerCertificates(options);
    this.#lists = new RevocationLists(options.folder);
  }

  get ownFiles(): { readonly certificate: string; readonly privateKey: string } {
    const own = join(this.#options.folder, 'own');
    return { certificate: join(own, 'certificate.pem'), privateKey: join(own, 'private-key.pem') };
  }

  /** Makes the folders and the own certificate where they are missing; before anything else. */
  async initialize(): Promise<void> {
    if (this.#own !== undefined) return;
    const { folder, log } = this.#options;
    for (const name of ['own', 'trusted', 'rejected', 'issuers', 'crl']) {
      await mkdir(join(folder, name), { recursive: true, mode: 0o700 });
    }
    const { certificate: certificateFile, privateKey: keyFile } = this.ownFiles;
    const [certificate, key] = await Promise.all([readIfThere(certificateFile), readIfThere(keyFile)]);
    if (key !== undefined) refuseDamaged(keyFile, key);
    const isFirst = certificate === undefined && key === undefined;
    const found = certificate !== undefined && key !== undefined && isWhole(certificate, key) && { certificate, key };
    if (!isFirst && !found)
      log.warn(`${join(folder, 'own')} was incomplete: a new certificate was made, which peers must trust again`);
    const isOfUse = found && (this.#isOurs(found.certificate) || this.#isOfAuthority(found.certificate));
    const pems = isOfUse ? found : await this.#make(certificateFile, keyFile, key);
    this.#own = {
      certificate: crypto_utils.convertPEMtoDER(pems.certificate),
      privateKey: crypto_utils.coercePEMorDerToPrivateKey(pems.key),
    };
  }

  getCertificate(): Buffer {
    return this.#ownPair().certificate;
  }

  getCertificateChain(): Buffer[] {
    return [this.getCertificate()];
  }

  getPrivateKey(): PrivateKey {
    return this.#ownPair().privateKey;
  }

  /**
   * Good where a person trusts this very certificate, or an authority that has signed it, and nothing speaks against it.
   * `address`: of the peer, where it is known.
   */
  async checkCertificate(certificate: Buffer | Buffer[], address = this.#options.peer ?? ''): Promise<StatusCode> {
    const [leaf, ...sent] = chainOf(certificate);
    if (leaf === undefined) return StatusCodes.BadCertificateInvalid;
    if (leaf.raw.equals(this.getCertificate())) return StatusCodes.Good;
    const { folder, leniency = strict } = this.#options;
    const [trusted, issuers] = await Promise.all([
      readCertificates(folder, 'trusted'),
      readCertificates(folder, 'issuers'),
    ]);
    const authorities = { trusted: trusted.map(certificateOf), issuers: issuers.map(certificateOf) };
    const trust = trustOf(leaf, sent, authorities);
    if (trust.refusal?.status === StatusCodes.BadCertificateUntrusted) {
      await this.#peers.reject(leaf, address, trust.refusal.reason);
      return trust.refusal.status;
    }
    const refusal = trust.refusal ?? faultOf(leaf, trust, await this.#lists.read(), leniency, this.#nowMs());
    return refusal === undefined ? StatusCodes.Good : this.#refuse(leaf, address, refusal);
  }

  /** Good where the peer calls itself what its certificate says. */
  checkApplicationUri(certificate: Buffer, applicationUri: string, address = this.#options.peer ?? ''): StatusCode {
    const [leaf] = chainOf(certificate);
    if (leaf === undefined) return StatusCodes.BadCertificateInvalid;
    if (this.#options.leniency?.otherApplicationUri || urisOf(leaf.raw).includes(applicationUri))
      return StatusCodes.Good;
    const reason = `the peer calls itself ${JSON.stringify(applicationUri.slice(0, 256))}, its certificate does not`;
    return this.#refuse(leaf, address, { status: StatusCodes.BadCertificateUriInvalid, reason });
  }

  #refuse(leaf: X509Certificate, address: string, { status, reason }: Refusal): StatusCode {
    const from = address === '' ? '' : ` of ${address}`;
    this.#options.log.warn(`the certificate ${titleOf(leaf)}${from} is refused, ${status.name}: ${reason}`);
    return status;
  }

  async verifyCertificate(certificate: Buffer | Buffer[]): Promise<string> {
    return (await this.checkCertificate(certificate)).name;
  }

  async getTrustStatus(certificate: Buffer): Promise<StatusCode> {
    return this.checkCertificate(certificate);
  }

  // Only people trust: what the library would do by itself is passed over.
  async trustCertificate(): Promise<void> {}
  async rejectCertificate(): Promise<void> {}
  async addIssuer(): Promise<void> {}
  async addRevocationList(): Promise<void> {}
  async dispose(): Promise<void> {
    await this.#peers.close();
  }

  #nowMs(): number {
    return Math.floor(this.#options.clock.now() / 1000);
  }

  #ownPair() {
    if (this.#own === undefined) throw new Error('the certificates were not read');
    return this.#own;
  }

  /** A certificate with another application URI is useless: servers compare it with that of the session. */
  #isOurs(pem: string): boolean {
    const certificate = new X509Certificate(pem);
    const isInForce = Date.parse(certificate.validTo) > this.#nowMs() + dayMs;
    return isInForce && urisOf(certificate.raw).includes(this.#options.applicationUri);
  }

  /** What an authority has signed is not ours to replace, whatever is wrong with it. */
  #isOfAuthority(pem: string): boolean {
    const certificate = new X509Certificate(pem);
    if (isSelfSigned(certificate)) return false;
    const { applicationUri, log } = this.#options;
    const { certificate: file } = this.ownFiles;
    const isNamed = urisOf(certificate.raw).includes(applicationUri);
    const fault = isNamed ? `ends on ${certificate.validTo}` : `is not that of the application URI ${applicationUri}`;
    log.warn(`${file} ${fault}, and an authority has signed it: replace the file by another one`);
    return true;
  }

  async #make(certificateFile: string, keyFile: string, oldKey: string | undefined) {
    const { applicationUri, applicationName, log } = this.#options;
    const privateKey =
      oldKey === undefined ? await crypto_utils.generatePrivateKey(2048) : await crypto_utils.pemToPrivateKey(oldKey);
    const { privPem: key } = await crypto_utils.privateKeyToPEM(privateKey);
    const { cert: certificate } = await crypto_utils.createSelfSignedCertificate({
      privateKey,
      notBefore: new Date(this.#nowMs() - dayMs),
      notAfter: new Date(this.#nowMs() + validYears * 365 * dayMs),
      subject: `CN=${applicationName}`,
      dns: ['localhost', hostname()],
      ip: ['127.0.0.1'],
      applicationUri,
      purpose: crypto_utils.CertificatePurpose.ForApplication,
    });
    if (oldKey === undefined) await replaceFile(keyFile, key);
    await replaceFile(certificateFile, certificate);
    log.info(`created the application certificate ${certificateFile}`);
    return { certificate, key };
  }
}

export function applicationUriOf(given: string, name: string): string {
  return given === '' ? `urn:${hostname()}:telltale:${name}` : given;
}

/** Whether it is the certificate of the key, with the bytes that were signed; what others have signed is theirs to check. */
function isWhole(pem: string, key: string): boolean {
  try {
    const certificate = new X509Certificate(pem);
    if (!certificate.checkPrivateKey(createPrivateKey(key))) return false;
    return !isSelfSigned(certificate) || certificate.verify(certificate.publicKey);
  } catch {
    return false;
  }
}

/** By its name or by its key: of the two, a flipped bit spoils one. */
function isSelfSigned(certificate: X509Certificate): boolean {
  if (certificate.issuer === certificate.subject) return true;
  const { extensions } = crypto_utils.exploreCertificate(certificate.raw).tbsCertificate;
  const key = extensions?.subjectKeyIdentifier;
  return key !== undefined && key === extensions?.authorityKeyIdentifier?.keyIdentifier;
}

/** Throws where it cannot sign. With a new key the other side would not know us, so a person decides. */
function refuseDamaged(file: string, key: string): void {
  try {
    const privateKey = createPrivateKey(key);
    const signature = sign('sha256', probe, privateKey);
    if (verify('sha256', probe, createPublicKey(privateKey), signature)) return;
  } catch {
    // as good as a signature that is wrong
  }
  throw new Error(`${file} is damaged: restore a copy of it, or remove it to have a new key created`);
}

const probe = Buffer.from('telltale');

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The certificate, and those that were sent along with it; none where there is none. */
function chainOf(given: Buffer | Buffer[]): X509Certificate[] {
  const bytes = Array.isArray(given) ? given : splitDer(given);
  const certificates = bytes.slice(0, maxSent).map((each) => parseCertificate(each));
  return certificates[0] === undefined ? [] : certificates.filter((each) => each !== undefined);
}

function splitDer(bytes: Buffer): Buffer[] {
  if (bytes.length === 0 || bytes.length > maxChainBytes) return [];
  try {
    return crypto_utils.split_der(bytes);
  } catch {
    return [bytes];
  }
}

function certificateOf({ certificate }: StoredCertificate): X509Certificate {
  return certificate;
}

/** Of its application; exactly as they are, and none where they cannot be read. */
export function urisOf(certificate: Buffer): string[] {
  try {
    const { extensions } = crypto_utils.exploreCertificate(certificate).tbsCertificate;
    return extensions?.subjectAltName?.uniformResourceIdentifier ?? [];
  } catch {
    return [];
  }
}
