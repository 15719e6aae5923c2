// One member of etcd, asked by its JSON gateway over HTTP or HTTPS, as a user where there is one. It decides nothing about time:
// who asks gives a signal.
import { readFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure, Agent as SecureAgent } from 'node:https';
import { text } from 'node:stream/consumers';
import { type Clock, unlessAborted } from '@telltale/schema';
import type { Credentials, EtcdAddress, TlsFiles } from '../lease-setting.ts';
import { EtcdRefusal, EtcdSilence, failureOf, silenceOf } from './etcd-errors.ts';

export interface EndpointOptions {
  readonly address: EtcdAddress;
  readonly tls?: TlsFiles | undefined;
  readonly credentials?: Credentials | undefined;
  readonly clock: Clock;
}

interface Certificates {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** etcd hashes passwords for long; a member that does not answer at all has other limits. */
const loginMs = 5000;

export class EtcdEndpoint {
  readonly name: string;
  readonly #options: EndpointOptions;
  readonly #agent: Agent;
  /** In PEM; read again after a failure, as they may be new. A connection belongs to those that it was made with. */
  #certificates: Certificates | undefined;
  /** The token of this member; undefined where etcd has no users. */
  #login: Promise<string | undefined> | undefined;

  constructor(options: EndpointOptions) {
    this.#options = options;
    this.#agent = new (options.tls === undefined ? Agent : SecureAgent)({ keepAlive: true });
    const { host, port } = options.address;
    this.name = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  }

  /** Rejects with EtcdRefusal or EtcdSilence, and with the reason of the signal. */
  async ask(path: string, body: object, signal: AbortSignal): Promise<unknown> {
    return this.#asUser(signal, async (token) => {
      const response = await this.#post(path, body, signal, token);
      const answer = await this.#read(response, signal);
      if (response.statusCode === 200) return answer;
      throw failureOf(response.statusCode ?? 0, answer);
    });
  }

  /** The answers to a request that has many: a line of JSON each. */
  async stream(path: string, body: object, signal: AbortSignal): Promise<IncomingMessage> {
    return this.#asUser(signal, async (token) => {
      const response = await this.#post(path, body, signal, token);
      if (response.statusCode === 200) return response;
      throw failureOf(response.statusCode ?? 0, await this.#read(response, signal));
    });
  }

  /** The next request logs in again, as after a token that has expired. */
  forgetLogin(): void {
    this.#login = undefined;
  }

  close(): void {
    this.#agent.destroy();
  }

  async #asUser<T>(signal: AbortSignal, work: (token: string | undefined) => Promise<T>): Promise<T> {
    const login = this.#loggedIn();
    try {
      return await work(await unlessAborted(signal, login));
    } catch (error) {
      if (!(error instanceof EtcdRefusal) || error.kind !== 'token') throw error;
      if (this.#options.credentials === undefined) {
        throw new EtcdRefusal('credentials', 'wants a user: write etcd://USER:PASSWORD@HOST');
      }
      // Who asks beside this may have logged in meanwhile.
      if (this.#login === login) this.forgetLogin();
      return work(await unlessAborted(signal, this.#loggedIn()));
    }
  }

  #loggedIn(): Promise<string | undefined> {
    if (this.#options.credentials === undefined) return Promise.resolve(undefined);
    if (this.#login !== undefined) return this.#login;
    const login = this.#logIn(this.#options.credentials);
    this.#login = login;
    login.catch(() => {
      if (this.#login === login) this.forgetLogin();
    });
    return login;
  }

  async #logIn({ user, login }: Credentials): Promise<string | undefined> {
    const controller = new AbortController();
    const silence = new EtcdSilence('does not answer');
    const cancel = this.#options.clock.after(loginMs, () => controller.abort(silence));
    try {
      const response = await this.#post('auth/authenticate', login, controller.signal);
      const answer = await this.#read(response, controller.signal);
      if (response.statusCode === 200) return (answer as { token: string }).token;
      const failure = failureOf(response.statusCode ?? 0, answer);
      if (/authentication is not enabled/.test(failure.message)) return undefined;
      if (!(failure instanceof EtcdRefusal) || failure.kind !== 'credentials') throw failure;
      throw new EtcdRefusal('credentials', `does not know the user ${user}, or not with this password`);
    } finally {
      cancel();
    }
  }

  async #post(path: string, body: object, signal: AbortSignal, token?: string): Promise<IncomingMessage> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const { address, tls } = this.#options;
    try {
      this.#certificates ??= readCertificates(tls);
      const bytes = Buffer.from(JSON.stringify(body));
      const headers = { 'content-type': 'application/json', 'content-length': bytes.length };
      const request = (tls === undefined ? requestPlain : requestSecure)({
        ...address,
        ...this.#certificates,
        path: `/v3/${path}`,
        method: 'POST',
        agent: this.#agent,
        headers: token === undefined ? headers : { ...headers, authorization: token },
        signal,
      });
      request.on('error', reject).on('response', resolve);
      request.end(bytes);
      return await promise;
    } catch (error) {
      signal.throwIfAborted();
      this.#certificates = undefined;
      throw this.#silenceOf(error);
    }
  }

  async #read(response: IncomingMessage, signal: AbortSignal): Promise<unknown> {
    let said: string;
    try {
      said = await text(response);
    } catch (error) {
      signal.throwIfAborted();
      throw this.#silenceOf(error);
    }
    try {
      return JSON.parse(said);
    } catch {
      return said.trim();
    }
  }

  #silenceOf(error: unknown): EtcdSilence {
    return silenceOf(error, this.#options.tls !== undefined);
  }
}

function readCertificates({ ca, cert, key }: TlsFiles = {}): Certificates {
  return {
    ...(ca !== undefined && { ca: readFileSync(ca) }),
    ...(cert !== undefined && { cert: readFileSync(cert) }),
    ...(key !== undefined && { key: readFileSync(key) }),
  };
}
