// TLS of the service itself.
export { ownPair } from './own-pair.ts';
export { readTls, type TlsFiles, UnusableTls } from './read-tls.ts';
export { ServedCertificate } from './served-certificate.ts';
export { tlsOptions } from './tls-options.ts';
