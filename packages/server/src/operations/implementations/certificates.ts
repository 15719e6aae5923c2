// Implements the operations on certificates.
import type { Certificates } from '../../certificates/index.ts';
import type { Implementations } from './implementation.ts';

export type ServedCertificates = Pick<Certificates, 'known' | 'list' | 'trust' | 'reject' | 'renew' | 'delete'>;

export function certificates(served: ServedCertificates) {
  return {
    listCertificates: ({ state }) => served.list(state),
    trustCertificate: ({ name, of }) => served.trust(name, of),
    rejectCertificate: ({ name, of }) => served.reject(name, of),
    renewCertificate: ({ name, of }) => served.renew(name, of),
    deleteCertificate: ({ name, of }) => served.delete(name, of),
  } satisfies Partial<Implementations>;
}
