// The certificates that one connector or provider presents, trusts, or has refused.
import type { CertificateOperation } from '@telltale/client';
import type { Certificate } from '@telltale/schema';
import type { LinkRole } from './links.ts';
import { client } from './service.ts';

export type { CertificateOperation };

export async function readCertificates(role: LinkRole, name: string, signal: AbortSignal): Promise<Certificate[]> {
  const all = await client.certificates.list({ signal });
  return all.filter((each) => each.role === role && each.name === name);
}

/** For this connector or provider alone, whoever else has the same certificate. */
export function operateCertificate(
  { role, name, thumbprint }: Pick<Certificate, 'role' | 'name' | 'thumbprint'>,
  operation: CertificateOperation,
): Promise<void> {
  return client.certificates.operate(thumbprint, operation, { of: `${role}/${name}` });
}
