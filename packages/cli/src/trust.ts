// Whose certificates are trusted besides those of the authorities that Node knows: that of a server which made its own, or of
// the authority of a plant.
import { X509Certificate } from 'node:crypto';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { ChosenServer } from './chosen.ts';
import { Refused } from './declaration.ts';
import { readStart } from './files.ts';
import type { Environment } from './personal-files.ts';

const maxFileBytes = 1 << 20;

/** For the whole process, which asks one server. Empty variables are not set. */
export async function trustServer(
  { url, caFile }: Pick<ChosenServer, 'url' | 'caFile'>,
  options: ReadonlyMap<string, string>,
  environment: Environment,
): Promise<void> {
  const file = options.get('ca-file') ?? (environment.TELLTALE_CA_FILE || caFile);
  if (file === undefined || URL.parse(url)?.protocol !== 'https:') return;
  const text = (await readStart(file, maxFileBytes)).toString('utf8');
  const pems = text.match(/-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs) ?? [];
  try {
    if (pems.length === 0) throw new Error('there is none');
    for (const pem of pems) new X509Certificate(pem);
  } catch (error) {
    throw new Refused(`${file} has no certificates as PEM: ${(error as Error).message}.`);
  }
  setDefaultCACertificates([...getCACertificates('default'), ...pems]);
}

const untrusted = /SELF_SIGNED_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT/;

/** What to do about a server that cannot be reached for this reason. */
export function trustRemedy(reason: string): string | undefined {
  if (!untrusted.test(reason)) return undefined;
  return (
    'Its certificate is of nobody that is trusted here. Compare the fingerprint in the log of the server with that of its ' +
    'certificate, tls/certificate.pem in the data folder, and give a copy of this file with --ca-file.'
  );
}
