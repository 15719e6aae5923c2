// What keeps a server of the bus from being reached, in words for people.

/** The message is for people: what happened, at which server, and what to do. */
export class BusProblem extends Error {
  override readonly name = 'BusProblem';
}

const notTrusted = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'CERT_REJECTED',
]);

const unreachable: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there',
  ENOTFOUND: 'there is no host of this name',
  EAI_AGAIN: 'the name cannot be looked up now',
  EHOSTUNREACH: 'no way leads there',
  ENETUNREACH: 'no way leads there',
  ETIMEDOUT: 'it does not answer',
  ECONNRESET: 'it closed the connection',
  EPIPE: 'it closed the connection',
};

export interface ProblemPlace {
  /** `host:port`. */
  readonly server: string;
  readonly user: string | undefined;
  readonly hasCertificate: boolean;
}

/** Of whatever an attempt to connect, or a connection, ended with. */
export function problemText(error: unknown, { server, user, hasCertificate }: ProblemPlace): string {
  if (error instanceof BusProblem) return error.message;
  const { code = '', message = '', name = '' } = (error ?? {}) as NodeJS.ErrnoException;
  if (name === 'AuthorizationError' || name === 'UserAuthenticationExpiredError') {
    if (/timeout/i.test(message)) return `${server} waited in vain for our credentials`;
    const who = user === undefined ? (hasCertificate ? 'our certificate' : 'us without credentials') : `user ${user}`;
    return `wrong credentials: ${server} does not let ${who} in`;
  }
  if (name === 'TimeoutError') return `cannot reach ${server}: it does not answer`;
  if (notTrusted.has(code)) {
    return `the certificate of ${server} is not trusted: give the file of its authority`;
  }
  if (code === 'CERT_HAS_EXPIRED') return `the certificate of ${server} has expired`;
  if (code === 'CERT_NOT_YET_VALID') return `the certificate of ${server} is not valid yet: is the clock right?`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `the certificate of ${server} is one of another name`;
  if (/ALERT/.test(code) || /alert/.test(message)) {
    return hasCertificate
      ? `${server} does not take our certificate: it has to be of an authority that it knows, and valid`
      : `${server} wants a certificate of ours: give the files of one and of its key`;
  }
  if (code.startsWith('ERR_SSL')) return `${server} does not speak TLS as we do: ${code}`;
  const reason = unreachable[code];
  if (reason !== undefined) return `cannot reach ${server}: ${reason}`;
  return `cannot reach ${server}: ${message || 'it closed the connection'}`;
}
