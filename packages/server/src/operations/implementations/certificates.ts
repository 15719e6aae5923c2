// Implements the operations on certificates.
import type { InputOf, Permission } from '@telltale/schema';
import type { Caller } from '../../access/index.ts';
import type { Certificates } from '../../certificates/index.ts';
import type { Asked, Implementations } from './implementation.ts';
import { notingSides } from './noted-sides.ts';

export type ServedCertificates = Pick<Certificates, 'known' | 'list' | 'trust' | 'reject' | 'renew' | 'delete'>;

export function certificates(served: ServedCertificates) {
  const may =
    ({ rights }: Caller, permission: Permission) =>
    (name: string, area: string) =>
      rights.on(permission, name, area);
  /** By whose they are. */
  const states = (thumbprint: string, of: string | undefined) =>
    Object.fromEntries(
      served.known
        .filter((each) => [each.thumbprint, each.sha1].includes(thumbprint.toLowerCase()))
        .map(({ role, name, state }) => [`${role}/${name}`, state] as const)
        .filter(([owner]) => of === undefined || of === owner),
    );
  const operate =
    (operation: 'trust' | 'reject' | 'renew' | 'delete') =>
    ({ name, of }: InputOf<'trustCertificate'>, asked: Asked): Promise<void> =>
      notingSides(
        asked,
        () => states(name, of),
        () => served[operation](name, of, may(asked.caller, 'configure')),
      );
  return {
    listCertificates: ({ state }, { caller }) => served.list(state, may(caller, 'read-config')),
    trustCertificate: operate('trust'),
    rejectCertificate: operate('reject'),
    renewCertificate: operate('renew'),
    deleteCertificate: operate('delete'),
  } satisfies Partial<Implementations>;
}
