// Authorities of the tests: they sign certificates, and others that sign for them, and revoke what they have signed.
import { X509Certificate } from 'node:crypto';
import { crypto_utils } from 'node-opcua-client';

const {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} = crypto_utils.x509;

type Algorithm = Parameters<typeof crypto_utils.createCrl>[0]['signingAlgorithm'];
type Purpose = Parameters<typeof crypto_utils.createSelfSignedCertificate>[0]['purpose'];
type Keys = Awaited<ReturnType<typeof makeKeys>>;

const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: { name: 'SHA-256' } } as const satisfies Algorithm;
const dayMs = 86_400_000;

export interface Issued {
  readonly certificate: X509Certificate;
  readonly pem: string;
  readonly keyPem: string;
}

interface Wanted {
  readonly bits?: number;
  readonly fromMs?: number;
  readonly untilMs?: number;
  readonly authoritiesBelow?: number;
}

export class CertificateAuthority {
  readonly pem: string;
  readonly #name: string;
  readonly #keys: Keys;

  static async root(name: string, wanted: Wanted = {}): Promise<CertificateAuthority> {
    const keys = await makeKeys(wanted.bits);
    // The library's own allow no authority below them.
    const certificate = await X509CertificateGenerator.createSelfSigned({
      name: `CN=${name}`,
      keys,
      signingAlgorithm: algorithm,
      extensions: [
        new BasicConstraintsExtension(true, wanted.authoritiesBelow ?? 2, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
        await SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
      ...timesOf(wanted),
    });
    return new CertificateAuthority(name, certificate.toString('pem'), keys);
  }

  private constructor(name: string, pem: string, keys: Keys) {
    this.#name = name;
    this.pem = pem;
    this.#keys = keys;
  }

  get certificate(): X509Certificate {
    return new X509Certificate(this.pem);
  }

  async authority(name: string, wanted: Wanted = {}): Promise<CertificateAuthority> {
    const keys = await makeKeys(wanted.bits);
    const purpose = crypto_utils.CertificatePurpose.ForCertificateAuthority;
    return new CertificateAuthority(name, await this.#sign(keys, { purpose, subject: `CN=${name}` }, wanted), keys);
  }

  async application(applicationUri: string, wanted: Wanted = {}): Promise<Issued> {
    const keys = await makeKeys(wanted.bits);
    const purpose = crypto_utils.CertificatePurpose.ForApplication;
    const pem = await this.#sign(keys, { purpose, subject: 'CN=application', applicationUri }, wanted);
    const { privPem: keyPem } = await crypto_utils.privateKeyToPEM(keys.privateKey);
    return { certificate: new X509Certificate(pem), pem, keyPem };
  }

  /** Its list, in PEM. */
  async revoke(revoked: readonly X509Certificate[], { fromMs, untilMs }: Wanted = {}): Promise<string> {
    const { crl } = await crypto_utils.createCrl({
      ...this.#signing(),
      crlNumber: 1,
      entries: revoked.map(({ serialNumber }) => ({ serialNumber })),
      thisUpdate: new Date(fromMs ?? Date.now() - dayMs),
      nextUpdate: new Date(untilMs ?? Date.now() + dayMs),
    });
    return crl;
  }

  async #sign(
    { privateKey }: Keys,
    { purpose, ...names }: { purpose: Purpose; subject: string; applicationUri?: string },
    wanted: Wanted,
  ): Promise<string> {
    const { csr } = await crypto_utils.createCertificateSigningRequest({ privateKey, purpose, ...names });
    const signed = { csr, purpose, ...names, ...this.#signing(), ...timesOf(wanted) };
    return (await crypto_utils.createCertificateFromCsr(signed)).cert;
  }

  #signing() {
    return {
      issuerName: `CN=${this.#name}`,
      issuerPublicKey: this.#keys.publicKey,
      signingKey: this.#keys.privateKey,
      signingAlgorithm: algorithm,
    };
  }
}

function timesOf({ fromMs = Date.now() - dayMs, untilMs = Date.now() + dayMs }: Wanted) {
  return { notBefore: new Date(fromMs), notAfter: new Date(untilMs) };
}

function makeKeys(bits = 2048) {
  const publicExponent = new Uint8Array([1, 0, 1]);
  return crypto.subtle.generateKey({ ...algorithm, modulusLength: bits, publicExponent }, true, ['sign', 'verify']);
}
