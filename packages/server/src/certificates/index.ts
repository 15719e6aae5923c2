// The certificates of connectors and providers.
export { type CertificateOwners, Certificates, type CertificatesOptions } from './certificates.ts';
