// Reads the certificates in the folders of connectors and providers.
import type { X509Certificate } from 'node:crypto';
import { join, relative } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Certificate, CertificateState } from '@telltale/schema';
import {
  factsOf,
  type ParameterDescription,
  readCertificateFile,
  readCertificates,
  type StoredCertificate,
} from '@telltale/stack-kit';
import type { Instance, Role } from '../stacks/index.ts';

/** A connector or provider that runs. */
export interface Owner {
  readonly role: Role;
  readonly instance: Instance;
  readonly isUp: boolean;
  readonly parameters: Readonly<Record<string, ParameterDescription>>;
}

const dayMs = 86_400_000;
/** Of a file with many, so many are read before others have their turn: some milliseconds. */
const certificatesOfTurn = 16;

/** Of its own; made by the stack itself. */
const applicationFile = join('own', 'certificate.pem');

export function folderOf(dataFolder: string, { role, instance: { name } }: Pick<Owner, 'role' | 'instance'>): string {
  return join(dataFolder, 'stacks', `${role}-${name}`);
}

/** Those that others presented come last. */
export async function certificatesOf(dataFolder: string, owner: Owner, nowMs: number): Promise<Certificate[]> {
  const folder = folderOf(dataFolder, owner);
  const found: Certificate[] = [];
  const add = (
    state: CertificateState,
    use: Certificate['use'],
    { file, certificate, refusal }: Omit<StoredCertificate, 'refusal'> & Partial<StoredCertificate>,
  ) => {
    const { role, instance } = owner;
    const { thumbprint, sha1, subject, issuer, isSelfSigned, names, addresses, validFromMs, validUntilMs } =
      factsOf(certificate);
    found.push({
      thumbprint,
      sha1,
      state,
      role,
      name: instance.name,
      use,
      subject,
      issuer,
      'self-signed': isSelfSigned,
      names: [...names],
      addresses: [...addresses],
      'valid-from': timestamp(validFromMs),
      'valid-until': timestamp(validUntilMs),
      'days-left': Math.floor((validUntilMs - nowMs) / dayMs),
      file: relative(dataFolder, file),
      refused:
        refusal === undefined || state !== 'rejected'
          ? null
          : { ...refusalOf(refusal), first: timestamp(refusal.firstMs), last: timestamp(refusal.lastMs) },
    });
  };
  const file = (name: string) => join(folder, name);
  for (const { path, state, use } of filesOf(owner)) {
    const certificates: X509Certificate[] = await readCertificateFile(file(path));
    // Of a chain, its first is the own one; the others are those that signed it.
    for (const certificate of state === 'own' ? certificates.slice(0, 1) : certificates) {
      add(state, use, { file: file(path), certificate });
      if (found.length % certificatesOfTurn === 0) await nextTurn();
    }
  }
  const trusted = await readCertificates(folder, 'trusted');
  for (const each of trusted) add('trusted', 'peer', each);
  for (const each of await readCertificates(folder, 'issuers')) add('issuer', 'authority', each);
  for (const each of await readCertificates(folder, 'rejected')) {
    if (!trusted.some(({ certificate }) => certificate.raw.equals(each.certificate.raw))) add('rejected', 'peer', each);
  }
  return found;
}

interface OwnFile {
  readonly path: string;
  readonly state: CertificateState;
  readonly use: Certificate['use'];
}

function filesOf({ instance, parameters }: Owner): OwnFile[] {
  const files: OwnFile[] = [{ path: applicationFile, state: 'own', use: 'application' }];
  for (const [variable, { certificate }] of Object.entries(parameters)) {
    const name = Object.hasOwn(instance.vars, variable) ? instance.vars[variable] : undefined;
    if (certificate === undefined || name === undefined || !/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(name)) continue;
    if (certificate === 'authority') files.push({ path: name, state: 'trusted', use: 'authority' });
    else if (certificate === 'user') files.push({ path: join('user', name), state: 'own', use: 'user' });
    else files.push({ path: name, state: 'own', use: 'client' });
  }
  return files;
}

function refusalOf({ address, reason, count }: NonNullable<StoredCertificate['refusal']>) {
  return { address, reason, count: Math.max(0, count) };
}

/** No time before 1970 is on the wire. */
function timestamp(ms: number): [number, number] {
  const whole = Math.max(0, Math.floor(ms));
  return [Math.floor(whole / 1000), (whole % 1000) * 1000];
}
