// An OpenID provider for tests: `oidc-provider` behind a real socket, with people of its own and pages that let everybody
// in; and a browser that is as patient as its user.

import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { freePort } from '@telltale/stack-kit/testing';
import { cleanupOf, type Scope } from '@telltale/stack-kit/testing/cleanup';
import Provider, { type Configuration } from 'oidc-provider';

export const client = { id: 'telltale', secret: 'a secret of the client' };

/** By the name that is typed at the provider's page, what it says of people. */
export type Accounts = Record<string, Record<string, unknown>>;

export interface ProviderOptions {
  readonly redirectUri: string;
  readonly accounts: Accounts;
  /** Merged into its configuration. */
  readonly configuration?: Configuration;
  /** Answers in its place where it returns true. */
  readonly instead?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

export class OpenidProvider {
  readonly issuer: string;
  /** Method and path of every request. */
  readonly asked: string[] = [];
  readonly #server: Server;
  readonly #port: number;

  static async start(scope: Scope, options: ProviderOptions): Promise<OpenidProvider> {
    const provider = new OpenidProvider(await freePort(), options);
    cleanupOf(scope).defer(() => provider.halt());
    await provider.again();
    return provider;
  }

  private constructor(port: number, { redirectUri, accounts, configuration, instead }: ProviderOptions) {
    this.#port = port;
    this.issuer = `http://127.0.0.1:${port}`;
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const provider = new Provider(this.issuer, {
      clients: [{ client_id: client.id, client_secret: client.secret, redirect_uris: [redirectUri] }],
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
      claims: {
        openid: ['sub'],
        profile: ['preferred_username'],
        groups: ['groups'],
        email: ['email', 'email_verified'],
      },
      scopes: ['openid', 'profile', 'groups', 'email'],
      conformIdTokenClaims: false,
      cookies: { keys: ['of the test'] },
      ttl: { Session: 60, Interaction: 60, Grant: 60, AccessToken: 60, IdToken: 60 },
      findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ ...accounts[sub], sub }) }),
      ...configuration,
    });
    const answer = provider.callback();
    this.#server = createServer((request, response) => {
      this.asked.push(`${request.method} ${request.url?.split('?')[0]}`);
      if (instead?.(request, response) !== true) void answer(request, response);
    });
  }

  async again(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(this.#port, '127.0.0.1', resolve);
    });
  }

  async halt(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => void this.#server.close(() => resolve()));
  }
}

/** Follows a person from the provider's page to the address that they are sent back to, and returns that. */
export async function signInAtProvider(start: string, name: string, until: string): Promise<URL> {
  const cookies = new Map<string, string>();
  const ask = async (url: string, form?: Record<string, string>) => {
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([key, value]) => `${key}=${value}`).join('; ') },
      ...(form !== undefined && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(key, value);
    }
    const text = await answer.text();
    const location = answer.headers.get('location');
    return { text, next: location === null ? undefined : new URL(location, url).href };
  };
  let url = start;
  for (let steps = 0; steps < 20; steps++) {
    if (url.startsWith(until)) return new URL(url);
    const { text, next } = await ask(url);
    if (next !== undefined) url = next;
    else if (text.includes('name="login"'))
      url = (await ask(url, { prompt: 'login', login: name, password: 'any' })).next ?? '';
    else if (text.includes('value="consent"')) url = (await ask(url, { prompt: 'consent' })).next ?? '';
    else throw new Error(`a page that nobody expected: ${text.slice(0, 1000)}`);
  }
  throw new Error(`never came back to ${until}`);
}
