// The lists of revoked certificates in the folder `crl` of a connector or provider: PEM or DER, any file name, read again when
// they have changed.
import type { X509Certificate } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { crypto_utils } from 'node-opcua-client';

/** Some 100,000 certificates. */
const maxBytes = 4 * 1024 * 1024;
const maxLists = 100;
const maxAuthorities = 100;

export class RevocationList {
  readonly #bytes: Buffer;
  readonly #serials: ReadonlySet<string>;
  readonly #fromMs: number;
  readonly #untilMs: number;
  readonly #isOf = new Map<string, boolean>();

  /** Throws where the bytes are none. */
  constructor(bytes: Buffer) {
    const isPem = bytes.toString('latin1', 0, 10) === '-----BEGIN';
    this.#bytes = isPem ? crypto_utils.convertPEMtoDER(bytes.toString('latin1')) : bytes;
    const { tbsCertList } = crypto_utils.exploreCertificateRevocationList(this.#bytes);
    this.#serials = new Set(tbsCertList.revokedCertificates.map(({ userCertificate }) => plain(userCertificate)));
    this.#fromMs = tbsCertList.thisUpdate.getTime();
    this.#untilMs = tbsCertList.nextUpdate?.getTime() ?? Number.POSITIVE_INFINITY;
  }

  /** Whether the authority has signed it. */
  isOf(authority: X509Certificate): boolean {
    const known = this.#isOf.get(authority.fingerprint256);
    if (known !== undefined) return known;
    if (this.#isOf.size >= maxAuthorities) this.#isOf.clear();
    const isOf = isSignedBy(this.#bytes, authority);
    this.#isOf.set(authority.fingerprint256, isOf);
    return isOf;
  }

  has(serialNumber: string): boolean {
    return this.#serials.has(plain(serialNumber));
  }

  isInForce(nowMs: number): boolean {
    return nowMs >= this.#fromMs && nowMs <= this.#untilMs;
  }
}

interface Known {
  readonly mark: string;
  readonly list: RevocationList | undefined;
}

export class RevocationLists {
  readonly #folder: string;
  #known = new Map<string, Known>();

  constructor(folder: string) {
    this.#folder = join(folder, 'crl');
  }

  /** What is none is passed over. */
  async read(): Promise<RevocationList[]> {
    const known = new Map<string, Known>();
    for (const name of (await readdir(this.#folder).catch(() => [])).slice(0, maxLists)) {
      const file = join(this.#folder, name);
      const found = await stat(file).catch(() => undefined);
      if (found === undefined || !found.isFile() || found.size > maxBytes) continue;
      const mark = `${found.mtimeMs} ${found.size} ${found.ino}`;
      const before = this.#known.get(file);
      known.set(file, before?.mark === mark ? before : { mark, list: await readList(file) });
    }
    this.#known = known;
    return [...known.values()].flatMap(({ list }) => list ?? []);
  }
}

async function readList(file: string): Promise<RevocationList | undefined> {
  try {
    return new RevocationList(await readFile(file));
  } catch {
    return undefined;
  }
}

function isSignedBy(list: Buffer, authority: X509Certificate): boolean {
  try {
    return crypto_utils.verifyCrlIssuedByCertificate(list, authority.raw);
  } catch {
    return false;
  }
}

/** Hexadecimal as programs write it: with or without colons, leading zeros and capitals. */
function plain(serialNumber: string): string {
  return serialNumber.replaceAll(':', '').replace(/^0+/, '').toLowerCase();
}
