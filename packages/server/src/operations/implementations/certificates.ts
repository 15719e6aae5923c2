// Implements the operations on certificates.
import type { Permission } from '@telltale/schema';
import type { Caller } from '../../access/index.ts';
import type { Certificates } from '../../certificates/index.ts';
import type { Implementations } from './implementation.ts';

export type ServedCertificates = Pick<Certificates, 'known' | 'list' | 'trust' | 'reject' | 'renew' | 'delete'>;

export function certificates(served: ServedCertificates) {
  const may =
    ({ rights }: Caller, permission: Permission) =>
    (name: string, area: string) =>
      rights.on(permission, name, area);
  return {
    listCertificates: ({ state }, { caller }) => served.list(state, may(caller, 'read-config')),
    trustCertificate: ({ name, of }, { caller }) => served.trust(name, of, may(caller, 'configure')),
    rejectCertificate: ({ name, of }, { caller }) => served.reject(name, of, may(caller, 'configure')),
    renewCertificate: ({ name, of }, { caller }) => served.renew(name, of, may(caller, 'configure')),
    deleteCertificate: ({ name, of }, { caller }) => served.delete(name, of, may(caller, 'configure')),
  } satisfies Partial<Implementations>;
}
