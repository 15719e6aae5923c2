// How a request to etcd fails, in words for people: refused, or not answered, where nobody knows whether it was carried out.

export type RefusalKind = 'credentials' | 'permission' | 'full' | 'compacted' | 'token' | 'version' | 'other';

/** An answer, and it is no: nothing was changed. */
export class EtcdRefusal extends Error {
  readonly kind: RefusalKind;

  constructor(kind: RefusalKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** No answer, or one of a member that cannot know: it may have been carried out, and it may be yet. */
export class EtcdSilence extends Error {}

/** Of gRPC: cancelled, unknown, deadline exceeded, aborted, internal, unavailable, data loss. */
const undecided = new Set([1, 2, 4, 10, 13, 14, 15]);

const kinds: readonly (readonly [RegExp, RefusalKind])[] = [
  [/invalid auth token|revision of auth store is old|user name is empty/, 'token'],
  [/authentication failed|invalid user ID or password/, 'credentials'],
  [/permission denied/, 'permission'],
  [/database space exceeded/, 'full'],
  [/has been compacted/, 'compacted'],
];

/** What a status and a body that are not those of success mean. */
export function failureOf(status: number, body: unknown): EtcdRefusal | EtcdSilence {
  const { message, error, code } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const text = String(message ?? error ?? body)
    .slice(0, 500)
    .replace(/^etcdserver: (?:mvcc: )?/, '');
  if (typeof code !== 'number') return notEtcd(status);
  if (undecided.has(code)) return new EtcdSilence(isWithoutLeader(text) ? withoutMajority : text);
  if (/too many requests/.test(text)) return new EtcdSilence('has too many requests to take this one');
  return refusalOf(text);
}

export function refusalOf(text: string): EtcdRefusal {
  const kind = kinds.find(([pattern]) => pattern.test(text))?.[1] ?? 'other';
  return new EtcdRefusal(kind, kind === 'full' ? full : text);
}

export const withoutMajority = 'has no leader: most members of etcd do not reach each other';
export const full =
  'is full (NOSPACE) and takes nothing more: give it a larger --quota-backend-bytes, or compact and defragment it; then run etcdctl alarm disarm';

function isWithoutLeader(text: string): boolean {
  return /no leader|leader changed|request timed out/.test(text);
}

function notEtcd(status: number): EtcdRefusal | EtcdSilence {
  if (status === 404) return new EtcdRefusal('version', 'answers, but is no etcd of version 3.4 or newer');
  return new EtcdSilence(`answers ${status}, as etcd does not`);
}

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections: nothing listens there',
  EPROTO: 'speaks no TLS, or not the one of this client',
  ENOTFOUND: 'has a name that is unknown here',
  EAI_AGAIN: 'has a name that cannot be looked up now',
  EHOSTUNREACH: 'cannot be reached: there is no way to this machine',
  ENETUNREACH: 'cannot be reached: there is no way to its network',
  ETIMEDOUT: 'does not answer',
  ENOENT: 'cannot be asked: a file of the setting is missing',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'shows a certificate of no authority that is trusted here',
  SELF_SIGNED_CERT_IN_CHAIN: 'shows a certificate of no authority that is trusted here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'shows a certificate of no authority that is trusted here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'shows a certificate of no authority that is trusted here',
  CERT_HAS_EXPIRED: 'shows a certificate that has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'shows a certificate for another address',
};

/** Why a connection failed. */
export function silenceOf(error: unknown, isSecure: boolean): EtcdSilence {
  const { code = '', message = String(error) } = error as { code?: string; message?: string };
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    const perhaps = isSecure
      ? 'perhaps it does not accept the certificate of this client'
      : 'if it speaks TLS, write etcds:// in the place of etcd://';
    return new EtcdSilence(`has ended the connection; ${perhaps}`);
  }
  const known = words[code];
  return new EtcdSilence(known === undefined ? message : code === 'ENOENT' ? `${known} (${message})` : known);
}
