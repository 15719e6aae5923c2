// The certificates of one connector or provider: its own, made once, and those of the other side that a person trusts.
// An untrusted certificate is refused, and stored in `rejected` for a person to inspect and move.
import { createPrivateKey, createPublicKey, randomUUID, sign, verify, X509Certificate } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@telltale/schema';
import type { StackLog } from '@telltale/stack-kit';
import { crypto_utils, type StatusCode, StatusCodes } from 'node-opcua-client';

export interface CertificateFolderOptions {
  readonly folder: string;
  /** Stands in the own certificate. */
  readonly applicationUri: string;
  readonly applicationName: string;
  /** Certificates are valid by the time of day. */
  readonly clock: Clock;
  readonly log: StackLog;
}

type PrivateKey = ReturnType<typeof crypto_utils.coercePEMorDerToPrivateKey>;

const dayMs = 86_400_000;
const validYears = 20;
/** Strangers cannot fill the disk. */
const maxRejected = 100;
const maxCertificateBytes = 64 * 1024;

/** What the library calls a certificate store and a key pair, both. */
export class CertificateFolder {
  /** The library's own book-keeping. */
  referenceCounter = 0;
  readonly certificateFile = '<in-memory>';
  readonly privateKeyFile = '<in-memory>';
  readonly #options: CertificateFolderOptions;
  #own: { readonly certificate: Buffer; readonly privateKey: PrivateKey } | undefined;

  constructor(options: CertificateFolderOptions) {
    this.#options = options;
  }

  get ownFiles(): { readonly certificate: string; readonly privateKey: string } {
    const own = join(this.#options.folder, 'own');
    return { certificate: join(own, 'certificate.pem'), privateKey: join(own, 'private-key.pem') };
  }

  /** Makes the folders and the own certificate where they are missing; before anything else. */
  async initialize(): Promise<void> {
    if (this.#own !== undefined) return;
    const { folder, log } = this.#options;
    for (const name of ['own', 'trusted', 'rejected']) {
      await mkdir(join(folder, name), { recursive: true, mode: 0o700 });
    }
    const { certificate: certificateFile, privateKey: keyFile } = this.ownFiles;
    const [certificate, key] = await Promise.all([readIfThere(certificateFile), readIfThere(keyFile)]);
    if (key !== undefined) refuseDamaged(keyFile, key);
    const isFirst = certificate === undefined && key === undefined;
    const found = certificate !== undefined && key !== undefined && isWhole(certificate, key) && { certificate, key };
    if (!isFirst && !found)
      log.warn(`${join(folder, 'own')} was incomplete: a new certificate was made, which peers must trust again`);
    const isOfUse = found && this.#isOurs(found.certificate);
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

  /** Good where a person trusts this very certificate and it is in force. */
  async checkCertificate(certificate: Buffer | Buffer[]): Promise<StatusCode> {
    const leaf = leafOf(certificate);
    if (leaf === undefined) return StatusCodes.BadCertificateInvalid;
    if (!leaf.raw.equals(this.getCertificate()) && !(await this.#isTrusted(leaf))) {
      await this.#reject(leaf);
      return StatusCodes.BadCertificateUntrusted;
    }
    const now = this.#nowMs();
    const isInForce = now >= Date.parse(leaf.validFrom) && now <= Date.parse(leaf.validTo);
    if (!isInForce)
      this.#options.log.warn(`the certificate ${nameOf(leaf)} is refused: it is only valid ${validity(leaf)}`);
    return isInForce ? StatusCodes.Good : StatusCodes.BadCertificateTimeInvalid;
  }

  async verifyCertificate(certificate: Buffer | Buffer[]): Promise<string> {
    return (await this.checkCertificate(certificate)).name;
  }

  async getTrustStatus(certificate: Buffer): Promise<StatusCode> {
    const leaf = leafOf(certificate);
    const isKnown = leaf !== undefined && (leaf.raw.equals(this.getCertificate()) || (await this.#isTrusted(leaf)));
    return isKnown ? StatusCodes.Good : StatusCodes.BadCertificateUntrusted;
  }

  // Only people trust: what the library would do by itself is passed over.
  async trustCertificate(): Promise<void> {}
  async rejectCertificate(): Promise<void> {}
  async addIssuer(): Promise<void> {}
  async addRevocationList(): Promise<void> {}
  async dispose(): Promise<void> {}

  #nowMs(): number {
    return Math.floor(this.#options.clock.now() / 1000);
  }

  #ownPair() {
    if (this.#own === undefined) throw new Error('the certificates were not read');
    return this.#own;
  }

  /** A certificate with another application URI is useless: servers compare it with that of the session. */
  #isOurs(pem: string): boolean {
    const { subjectAltName = '', validTo } = new X509Certificate(pem);
    const isInForce = Date.parse(validTo) > this.#nowMs() + dayMs;
    return isInForce && subjectAltName.split(', ').includes(`URI:${this.#options.applicationUri}`);
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
    if (oldKey === undefined) await writeWhole(keyFile, key);
    await writeWhole(certificateFile, certificate);
    log.info(`created the application certificate ${certificateFile}`);
    return { certificate, key };
  }

  async #isTrusted(leaf: X509Certificate): Promise<boolean> {
    const folder = join(this.#options.folder, 'trusted');
    for (const name of await readdir(folder).catch(() => [])) {
      const known = leafOf(await readFile(join(folder, name)).catch(() => Buffer.alloc(0)));
      if (known?.raw.equals(leaf.raw)) return true;
    }
    return false;
  }

  async #reject(leaf: X509Certificate): Promise<void> {
    const { folder, log } = this.#options;
    const name = `${leaf.fingerprint.replaceAll(':', '').toLowerCase()}.der`;
    const [rejected, trusted] = [join(folder, 'rejected', name), join(folder, 'trusted')];
    try {
      const known = await readdir(join(folder, 'rejected'));
      if (!known.includes(name)) {
        await writeWhole(rejected, leaf.raw);
        await keepNewest(join(folder, 'rejected'), maxRejected);
      }
      log.warn(`refused the certificate ${nameOf(leaf)}: to trust it, move ${rejected} to ${trusted}`);
    } catch (error) {
      log.warn(`refused the certificate ${nameOf(leaf)}, which could not be stored: ${(error as Error).message}`);
    }
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

/** Wholly old or wholly new, whatever ends the process. */
async function writeWhole(file: string, content: string | Buffer): Promise<void> {
  const temporary = `${file}.${randomUUID()}`;
  try {
    await writeFile(temporary, content, { mode: 0o600, flush: true });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** So that who comes later is found there, however many strangers came before. */
async function keepNewest(folder: string, count: number): Promise<void> {
  const files = (await readdir(folder)).map((name) => join(folder, name));
  if (files.length <= count) return;
  const stats = files.map((file) =>
    stat(file).then(
      ({ mtimeMs }) => ({ file, mtimeMs }),
      () => ({ file, mtimeMs: 0 }), // moved meanwhile
    ),
  );
  const old = (await Promise.all(stats)).toSorted((one, other) => other.mtimeMs - one.mtimeMs).slice(count);
  await Promise.all(old.map(({ file }) => rm(file, { force: true })));
}

/** DER, PEM, or a chain of which the first counts; undefined if it is none of these. */
function leafOf(certificate: Buffer | Buffer[]): X509Certificate | undefined {
  const bytes = Array.isArray(certificate) ? certificate[0] : certificate;
  if (bytes === undefined || bytes.length === 0 || bytes.length > maxCertificateBytes) return undefined;
  try {
    return new X509Certificate(bytes);
  } catch {
    return undefined;
  }
}

function nameOf(certificate: X509Certificate): string {
  const uri = /URI:([^,\s]{1,256})/.exec(certificate.subjectAltName ?? '')?.[1];
  return JSON.stringify(uri ?? certificate.subject.slice(0, 256));
}

function validity({ validFrom, validTo }: X509Certificate): string {
  return `from ${validFrom} to ${validTo}`;
}
