// What went wrong with PostgreSQL, in words that say what to do.
import { StoreError, type StoreTrouble } from '../store-error.ts';

/** Where it went wrong, for the message. */
export interface ErrorPlace {
  /** host:port, or several. */
  readonly at: string;
  readonly user: string;
  readonly database: string;
}

type Words = (place: ErrorPlace, message: string) => string;

/** By SQLSTATE, or the first two characters of it. */
const byState: Record<string, readonly [StoreTrouble, Words]> = {
  '28P01': [
    'credentials',
    ({ at, user }) =>
      `the store at ${at} refuses the password of ${user}: set the right one in the address, in PGPASSWORD or a passfile`,
  ],
  '28000': [
    'credentials',
    ({ at, user, database }, message) =>
      `the store at ${at} does not let ${user} into ${database}: ${message}; make the user, or add a line for it to pg_hba.conf`,
  ],
  '3D000': [
    'database',
    ({ at, database }) =>
      `the store at ${at} has no database ${database}: make it with CREATE DATABASE, or name another in the address`,
  ],
  '3F000': [
    'database',
    ({ at, database }) =>
      `the database ${database} at ${at} has no tables of the store: start once with a user who may make them`,
  ],
  '42P01': [
    'database',
    ({ at, database }, message) => `the database ${database} at ${at} lacks tables of the store: ${message}`,
  ],
  '42501': [
    'rights',
    ({ at, user, database }, message) =>
      `${user} lacks rights in the database ${database} at ${at}: ${message}; run SELECT telltale.grant_archiver('${user}') there as the owner of the tables, or grant it CREATE on the database to make them`,
  ],
  '25006': [
    'read-only',
    ({ at }) =>
      `the store at ${at} only reads: it is a standby now; name all hosts in the address, so that the one that leads is found`,
  ],
  '53100': ['full', ({ at }) => `the disk of the store at ${at} is full: make room there`],
  '53200': ['busy', ({ at }) => `the store at ${at} has no memory left: lower max_connections or work_mem there`],
  '53300': ['busy', ({ at }) => `the store at ${at} has no connection left: raise max_connections there`],
  '57P03': ['unreachable', ({ at }, message) => `the store at ${at} does not take connections: ${message}`],
  '55P03': ['busy', ({ at }) => `somebody else locks the tables of the store at ${at}`],
  '57014': ['busy', ({ at }, message) => `the store at ${at} took too long: ${message}`],
  '57': ['unreachable', ({ at }, message) => `the store at ${at} ended the connection: ${message}`],
  '08': ['unreachable', ({ at }, message) => `the connection to the store at ${at} was lost: ${message}`],
  '53': ['busy', ({ at }, message) => `the store at ${at} has not enough of something: ${message}`],
  '40': ['busy', ({ at }, message) => `the store at ${at} did something else at the same time: ${message}`],
};

/** By code of the system, of TLS and of Node. */
const byCode: Record<string, readonly [StoreTrouble, Words]> = {
  ECONNREFUSED: [
    'unreachable',
    ({ at }) => `nothing listens at ${at}: start PostgreSQL there, or correct the address of the store`,
  ],
  ENOTFOUND: [
    'unreachable',
    ({ at }) => `${at} has no address: correct the name of the host in the address of the store`,
  ],
  EAI_AGAIN: ['unreachable', ({ at }) => `the name of ${at} cannot be looked up now: check the name server`],
  ETIMEDOUT: ['silent', ({ at }) => `${at} does not answer: check the network and the firewall`],
  EHOSTUNREACH: ['unreachable', ({ at }) => `there is no way to ${at}: check the network`],
  ENETUNREACH: ['unreachable', ({ at }) => `there is no way to ${at}: check the network`],
  ECONNRESET: ['unreachable', ({ at }) => `${at} ended the connection`],
  EPIPE: ['unreachable', ({ at }) => `${at} ended the connection`],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['tls', untrusted],
  SELF_SIGNED_CERT_IN_CHAIN: ['tls', untrusted],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['tls', untrusted],
  UNABLE_TO_GET_ISSUER_CERT: ['tls', untrusted],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['tls', untrusted],
  CERT_HAS_EXPIRED: ['tls', ({ at }) => `the certificate of the store at ${at} has expired: renew it there`],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'tls',
    ({ at }, message) => `the certificate of the store at ${at} is for another host: ${message}`,
  ],
};

const byMessage: readonly (readonly [RegExp, StoreTrouble, Words])[] = [
  [
    /does not support SSL/,
    'tls',
    ({ at }) => `the store at ${at} does not speak TLS: turn ssl on there, or set sslmode=disable in the address`,
  ],
  [/SSL connection|TLS/, 'tls', ({ at }, message) => `there is no TLS with the store at ${at}: ${message}`],
  [
    /client password must be a string|no password/i,
    'credentials',
    ({ at, user }) =>
      `the store at ${at} wants a password of ${user}: set it in the address, in PGPASSWORD or a passfile`,
  ],
  [
    /Connection terminated|not queryable|closed the connection/,
    'unreachable',
    ({ at }) => `the store at ${at} ended the connection`,
  ],
];

function untrusted({ at }: ErrorPlace): string {
  return `nobody known vouches for the certificate of the store at ${at}: set sslrootcert in the address to the certificate of its authority`;
}

/** A `StoreError` stays as it is. What is unknown keeps its words. */
export function explained(error: unknown, place: ErrorPlace): StoreError {
  if (error instanceof StoreError) return error;
  const { code = '', message, errors } = error as Error & { code?: string; errors?: readonly Error[] };
  // Of a host with several addresses.
  if (errors?.[0] !== undefined && code === '') return explained(errors[0], place);
  const [trouble, words] = byState[code] ?? byCode[code] ?? byState[code.length === 5 ? code.slice(0, 2) : ''] ?? [];
  if (trouble !== undefined && words !== undefined) return new StoreError(trouble, words(place, message), error);
  for (const [pattern, known, say] of byMessage) {
    if (pattern.test(message)) return new StoreError(known, say(place, message), error);
  }
  return new StoreError('refused', `the store at ${place.at}: ${message}`, error);
}
