// Certificates that other sides present, and how they are kept: the same for every stack.
export * from './certificate.ts';
export * from './certificate-files.ts';
export { PeerCertificates, type PeerCertificatesOptions } from './peer-certificates.ts';
export { checkTlsClient, type TlsClientsOptions } from './tls-client.ts';
export * from './tls-files.ts';
export { TlsPeer, type TlsPeerOptions } from './tls-peer.ts';
