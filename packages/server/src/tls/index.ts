// TLS of the service itself.
export { makeCertificate } from './make-certificate.ts';
export { ownPair } from './own-pair.ts';
export { readTls, type TlsFiles, UnusableTls } from './read-tls.ts';
export type { Pair } from './self-signed.ts';
export { ServedCertificate } from './served-certificate.ts';
export { tlsOptions } from './tls-options.ts';
