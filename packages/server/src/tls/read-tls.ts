// Reads the files of TLS and checks that they fit together, before anything is served with them.
import { createPrivateKey, type KeyObject, type X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { parseCertificates } from '@telltale/stack-kit';

export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** Of the authorities that sign certificates of clients; undefined: clients are not asked for one. */
  readonly clientCaFile?: string | undefined;
  /** Which of these count no longer. */
  readonly clientCrlFile?: string | undefined;
}

export interface ReadTls {
  readonly context: SecureContextOptions;
  readonly certificate: X509Certificate;
}

/** In one sentence for people, with the file. */
export class UnusableTls extends Error {
  override readonly name = 'UnusableTls';
}

const maxFileBytes = 1 << 20;
const crlPem = /-----BEGIN X509 CRL-----[A-Za-z0-9+/=\s]+-----END X509 CRL-----/g;

/** Throws `UnusableTls`. */
export async function readTls(files: TlsFiles): Promise<ReadTls> {
  const { certFile, keyFile, clientCaFile, clientCrlFile } = files;
  const [cert, key] = [await read(certFile), await read(keyFile)];
  const [certificate] = parseCertificates(cert);
  if (certificate === undefined) throw new UnusableTls(`${certFile} has no certificate in PEM`);
  if (!certificate.checkPrivateKey(readKey(keyFile, key))) {
    throw new UnusableTls(`the key in ${keyFile} is not that of the certificate in ${certFile}`);
  }
  const context: SecureContextOptions = { cert, key };
  check(context, `the certificate in ${certFile} cannot be used`);
  if (clientCaFile !== undefined) {
    context.ca = await read(clientCaFile);
    if (parseCertificates(context.ca).length === 0) throw new UnusableTls(`${clientCaFile} has no certificate in PEM`);
    check(context, `${clientCaFile} cannot be used`);
  }
  if (clientCrlFile !== undefined) {
    const lists = (await read(clientCrlFile)).toString('latin1').match(crlPem) ?? [];
    if (lists.length === 0) throw new UnusableTls(`${clientCrlFile} has no list of revoked certificates in PEM`);
    context.crl = lists.map((list) => Buffer.from(list)); // of one text, Node reads the first alone
    check(context, `${clientCrlFile} cannot be used`);
  }
  return { context, certificate };
}

async function read(file: string): Promise<Buffer> {
  try {
    const bytes = await readFile(file);
    if (bytes.length <= maxFileBytes) return bytes;
  } catch (error) {
    throw new UnusableTls(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  throw new UnusableTls(`${file} is larger than 1 MiB`);
}

function readKey(file: string, pem: Buffer): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isEncrypted = code === 'ERR_MISSING_PASSPHRASE';
    throw new UnusableTls(`${file} has ${isEncrypted ? 'an encrypted key: decrypt it' : 'no private key in PEM'}`);
  }
}

function check(context: SecureContextOptions, what: string): void {
  try {
    createSecureContext(context);
  } catch (error) {
    throw new UnusableTls(`${what}: ${(error as Error).message}`);
  }
}
