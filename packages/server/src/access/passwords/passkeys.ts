// Passkeys (WebAuthn): keys of a phone, a computer or a security key, which sign in their owner after a fingerprint or PIN.
// What is stored of them, and whose they are, is the caller's.
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { type Clock, ProblemError } from '@telltale/schema';
import { Challenges, challengeMs } from './challenges.ts';

export interface Passkey {
  readonly id: string;
  /** COSE, in base64url. */
  readonly publicKey: string;
  /** Of signatures; those of keys that are synchronized stay at 0. */
  readonly counter: number;
  readonly transports: readonly string[];
}

/** Where browsers know the service: keys are made for a site and work there alone. */
export interface Site {
  /** Its host name. */
  readonly id: string;
  readonly origin: string;
  /** For people. */
  readonly name: string;
}

/** Browsers make no keys for addresses of networks; they know those of this machine as localhost. */
export function siteAt(url: string): Site {
  const { hostname, protocol, port } = new URL(url);
  const id = /^(?:127\.|\[::1\])/.test(hostname) ? 'localhost' : hostname;
  return { id, origin: `${protocol}//${id}${port && `:${port}`}`, name: 'Telltale' };
}

export interface PasskeysOptions {
  readonly clock: Clock;
  readonly site: () => Site;
}

/** Loaded when the first passkey is used: it takes a while, and most never need it. */
const library = () => import('@simplewebauthn/server');

export class Passkeys {
  readonly #options: PasskeysOptions;
  readonly #challenges: Challenges;

  constructor(options: PasskeysOptions) {
    this.#options = options;
    this.#challenges = new Challenges(options.clock);
  }

  /** For `navigator.credentials.create`, so that the user gets a key beside those that there are. */
  async creationOptions(user: string, known: readonly Passkey[]): Promise<object> {
    const { id: rpID, name: rpName } = this.#options.site();
    return (await library()).generateRegistrationOptions({
      rpID,
      rpName,
      userName: user,
      timeout: challengeMs,
      challenge: this.#challenges.issue(`create ${user}`),
      supportedAlgorithmIDs: algorithms,
      excludeCredentials: known.map(({ id, transports }) => ({ id, transports: [...transports] })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
  }

  /** What the browser made of these. Throws `invalid-passkey`. */
  async create(user: string, response: unknown): Promise<Passkey> {
    const { id: expectedRPID, origin: expectedOrigin } = this.#options.site();
    const { verifyRegistrationResponse } = await library();
    const { registrationInfo } = await verifyRegistrationResponse({
      response: response as RegistrationResponseJSON,
      expectedRPID,
      expectedOrigin,
      expectedChallenge: (challenge) => this.#challenges.take(challenge, `create ${user}`),
      supportedAlgorithmIDs: algorithms,
    }).catch((error: Error) => {
      throw new ProblemError('invalid-passkey', `${error.message.slice(0, 200)}.`);
    });
    if (registrationInfo === undefined) throw new ProblemError('invalid-passkey', 'Its signature is wrong.');
    const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
    return {
      id,
      publicKey: Buffer.from(publicKey).toString('base64url'),
      counter,
      transports: transports.slice(0, 10),
    };
  }

  /** For `navigator.credentials.get`: whichever key of the site the person at the browser has. */
  async requestOptions(): Promise<object> {
    const { generateAuthenticationOptions } = await library();
    return generateAuthenticationOptions({
      rpID: this.#options.site().id,
      timeout: challengeMs,
      challenge: this.#challenges.issue(request),
      userVerification: 'required',
    });
  }

  /** The key, to store in its place, where the browser has answered with it; undefined where anything is wrong. */
  async verify(response: unknown, key: Passkey): Promise<Passkey | undefined> {
    const { id: expectedRPID, origin: expectedOrigin } = this.#options.site();
    const { verifyAuthenticationResponse } = await library();
    const { id, publicKey, counter } = key;
    try {
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: response as AuthenticationResponseJSON,
        expectedRPID,
        expectedOrigin,
        expectedChallenge: (challenge) => this.#challenges.take(challenge, request),
        credential: { id, publicKey: Buffer.from(publicKey, 'base64url'), counter },
      });
      return verified ? { ...key, counter: authenticationInfo.newCounter } : undefined;
    } catch {
      return undefined;
    }
  }
}

const request = 'request';
/** Ed25519, ECDSA with P-256, RSA: by their numbers in COSE. */
const algorithms = [-8, -7, -257];
