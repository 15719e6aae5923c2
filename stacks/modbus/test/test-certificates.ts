// An authority and certificates of it, made by openssl: of a server, and of clients with and without roles.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { missingPeers } from '@telltale/stack-kit/testing';

export const withoutOpenssl = missingPeers('openssl') ?? false;

const role = (text: string, kind = 'UTF8String') => `1.3.6.1.4.1.50316.802.1=ASN1:${kind}:${text}`;

/** Extensions of each, beside their names. */
const extensions = {
  server: ['subjectAltName=IP:127.0.0.1,DNS:localhost'],
  operator: [role('Operator')],
  viewer: [role('Viewer')],
  nobody: ['extendedKeyUsage=clientAuth'],
  // The text of another type than the specification has it, and the identifier elsewhere.
  unread: [role('Operator', 'PRINTABLESTRING')],
  elsewhere: ['1.3.6.1.4.1.50316.802.2=ASN1:UTF8String:Operator', 'subjectAltName=RID:1.3.6.1.4.1.50316.802.1'],
} as const;

export type CertificateName = keyof typeof extensions | 'stranger' | 'ca';

/** `NAME.pem` and `NAME.key`; `stranger` has signed its own. */
export function makeCertificates(folder: string): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  for (const name of ['ca', 'stranger']) {
    openssl(
      'req',
      '-x509',
      ...key,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
      '-subj',
      `/CN=${name}`,
      '-days',
      '2',
    );
  }
  for (const [name, lines] of Object.entries(extensions)) {
    writeFileSync(join(folder, `${name}.ext`), lines.join('\n'));
    openssl('req', ...key, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', `${name}.ext`];
    openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.pem`, ...by);
  }
}

export function pairOf(folder: string, name: CertificateName): { cert: Buffer; key: Buffer } {
  return { cert: readFileSync(join(folder, `${name}.pem`)), key: readFileSync(join(folder, `${name}.key`)) };
}
