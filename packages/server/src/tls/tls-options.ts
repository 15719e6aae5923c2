// How the service speaks TLS, whatever its certificate is: versions, ciphers and groups without known weakness.
import { constants } from 'node:crypto';
import type { TlsOptions } from 'node:tls';

/** For TLS 1.3, then for TLS 1.2: with forward secrecy and authenticated encryption alone. */
const ciphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
];

/** As for the headers of a request: a handshake is there at once. */
const handshakeTimeout = 10_000;

export const tlsOptions: TlsOptions = {
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.3',
  ciphers: ciphers.join(':'),
  ecdhCurve: 'X25519:P-256:P-384',
  ALPNProtocols: ['http/1.1'],
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  handshakeTimeout,
};
