// Signs people in through an OpenID provider: authorization code with PKCE, state and nonce. The library checks what
// the provider answers, its signature included; tokens of the provider are used once and forgotten.
import type { Clock } from '@telltale/schema';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretBasic,
  type Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { boundedFetch } from './bounded-fetch.ts';
import {
  DirectoryRefusal,
  DirectoryTurns,
  DirectoryUnavailable,
  type DirectoryUser,
  maxGroups,
  maxTextLength,
} from './directory.ts';
import { ownPath, SealedAttempts } from './sealed-attempts.ts';

export interface OidcOptions {
  /** https; http of loopback alone. */
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined: a public client, which PKCE alone protects. */
  readonly clientSecret: string | undefined;
  /** PEM; undefined: the authorities that Node knows. */
  readonly ca: string | undefined;
  /** Where the provider sends people back to: known to it, and never made from a request. */
  readonly redirectUri: string;
  readonly scope: string;
  readonly nameClaim: string;
  readonly groupsClaim: string;
  /** Of each request to the provider. */
  readonly timeoutMs: number;
}

export interface OidcStart {
  /** The page of the provider. */
  readonly url: string;
  /** For the browser to bring back. */
  readonly attempt: string;
}

export interface OidcFinish {
  readonly user: DirectoryUser;
  /** A path of the service. */
  readonly returnTo: string;
}

type Claims = Readonly<Record<string, unknown>>;

/** Providers announce changes of their addresses long before; keys are fetched anew when one is missing. */
const metadataMs = 3600_000;
/** Whoever asks meanwhile gets the same answer, so that nobody makes us flood a provider that is down. */
const failureMs = 2000;
/** Codes of the library for what a provider that is down, or what stands in front of it, answers. */
const noAnswers: ReadonlySet<string> = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
]);

export class OidcDirectory {
  readonly #options: OidcOptions;
  readonly #clock: Clock;
  readonly #attempts: SealedAttempts;
  readonly #turns = new DirectoryTurns();
  #metadata: { readonly untilMs: number; readonly configuration: Promise<Configuration> } | undefined;

  constructor(options: OidcOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#attempts = new SealedAttempts(clock);
  }

  get issuer(): string {
    return this.#options.issuer;
  }

  /** Throws `DirectoryUnavailable`. */
  async start(returnTo: string | undefined): Promise<OidcStart> {
    const configuration = await this.#discover();
    const [state, nonce, verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()];
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: this.#options.redirectUri,
      scope: this.#options.scope,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    });
    return { url: url.href, attempt: this.#attempts.seal({ state, nonce, verifier, returnTo: ownPath(returnTo) }) };
  }

  /**
   * The query is what the provider sent the browser back with; the attempt what the browser has kept. Throws
   * `DirectoryUnavailable`, `DirectoryRefusal`, or a problem where too many ask.
   */
  async finish(query: URLSearchParams, sealed: string | undefined): Promise<OidcFinish> {
    const attempt = this.#attempts.open(sealed);
    if (attempt === undefined) throw new DirectoryRefusal('this browser has not started to sign in, or too long ago.');
    return this.#turns.take(async () => {
      const configuration = await this.#discover();
      const url = new URL(this.#options.redirectUri);
      url.search = query.toString();
      const user = await this.#claims(configuration, url, attempt).then(
        (claims) => this.#userOf(claims),
        (error) => {
          throw this.#fault(error);
        },
      );
      return { user, returnTo: attempt.returnTo };
    });
  }

  async #claims(
    configuration: Configuration,
    url: URL,
    { state, nonce, verifier }: { readonly state: string; readonly nonce: string; readonly verifier: string },
  ): Promise<Claims> {
    const tokens = await authorizationCodeGrant(configuration, url, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    });
    const claims: Claims | undefined = tokens.claims();
    if (claims === undefined) throw new DirectoryRefusal(`${this.issuer} sent no ID token.`);
    const { nameClaim, groupsClaim } = this.#options;
    const isWhole = claims[nameClaim] !== undefined && claims[groupsClaim] !== undefined;
    if (isWhole || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
    return { ...(await fetchUserInfo(configuration, tokens.access_token, String(claims.sub))), ...claims };
  }

  #userOf(claims: Claims): DirectoryUser {
    const { nameClaim, groupsClaim } = this.#options;
    const { sub, [nameClaim]: name, [groupsClaim]: groups = [] } = claims;
    if (typeof name !== 'string' || name === '' || name.length > maxTextLength) {
      throw new DirectoryRefusal(`${this.issuer} gave ${JSON.stringify(sub)} no claim ${nameClaim} that is a name.`);
    }
    // Anybody can claim an address that nobody has checked.
    if (nameClaim === 'email' && claims.email_verified !== true) {
      throw new DirectoryRefusal(`${this.issuer} has not verified the address ${JSON.stringify(name)}.`);
    }
    const texts = [groups].flat().slice(0, maxGroups);
    const isText = (group: unknown) => typeof group === 'string' && group.length <= maxTextLength;
    return { directory: 'oidc', name, subject: String(sub), groups: texts.filter(isText) as string[] };
  }

  /** One request for all that need it, and not again while the answer holds. */
  #discover(): Promise<Configuration> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#metadata !== undefined && nowMs < this.#metadata.untilMs) return this.#metadata.configuration;
    const configuration = this.#discoverNow().catch((error) => {
      this.#metadata = { configuration, untilMs: this.#clock.monotonicMs() + failureMs };
      throw new DirectoryUnavailable(`${this.issuer} cannot be asked: ${reasonOf(error)}`, { cause: error });
    });
    this.#metadata = { configuration, untilMs: nowMs + metadataMs };
    return configuration;
  }

  async #discoverNow(): Promise<Configuration> {
    const { issuer, clientId, clientSecret, ca, timeoutMs } = this.#options;
    const isPlain = issuer.startsWith('http:'); // loopback, as the file of directories is checked
    return discovery(new URL(issuer), clientId, undefined, clientSecret ? ClientSecretBasic(clientSecret) : None(), {
      [customFetch]: boundedFetch(ca),
      timeout: Math.ceil(timeoutMs / 1000),
      execute: [enableNonRepudiationChecks, ...(isPlain ? [allowInsecureRequests] : [])],
    });
  }

  /** The provider refuses, or its answer does not hold; anything else is that it cannot be asked. */
  #fault(error: unknown): Error {
    if (error instanceof DirectoryRefusal) return error;
    const { code } = error as { code?: unknown };
    const isAnswer = error instanceof ResponseBodyError || (typeof code === 'string' && code.startsWith('OAUTH_'));
    if (isAnswer && !noAnswers.has(code as string)) {
      return new DirectoryRefusal(`${this.issuer}: ${reasonOf(error)}`, { cause: error });
    }
    return new DirectoryUnavailable(`${this.issuer} cannot be asked: ${reasonOf(error)}`, { cause: error });
  }
}

/** With what lies behind it, on one line. */
function reasonOf(error: unknown): string {
  const parts: string[] = [];
  for (let each: unknown = error; each instanceof Error && parts.length < 4; each = each.cause)
    parts.push(each.message);
  const text = parts.filter((part) => part !== '').join(': ');
  return (text || String(error)).replaceAll(/\s+/g, ' ').slice(0, maxTextLength);
}
