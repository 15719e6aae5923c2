// Requests to one server over node:http and node:https: each bounded in time and size, each made once. No redirect is
// followed, since it would take the credentials to wherever it leads.
import { Agent, type AgentOptions, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { Agent as TlsAgent, type AgentOptions as TlsAgentOptions, request as tlsRequest } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { type Clock, onAbort } from '@telltale/schema';
import { type HostNames, notPermitted, type TlsPeer } from '@telltale/stack-kit';

export interface HttpClientOptions {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly maxBodyBytes: number;
  readonly connections: number;
  readonly clock: Clock;
  readonly names: HostNames;
  readonly tls: { readonly ca?: string };
  /** Decides on the certificate of the server; undefined: any will do. */
  readonly peer: Pick<TlsPeer, 'guard'> | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  /** `404 Not Found` */
  readonly statusText: string;
  readonly headers: IncomingMessage['headers'];
  /** Undefined where it is larger than allowed. */
  readonly body: Buffer | undefined;
  /** False if only the end of the connection marks the end of the body. */
  readonly isFramed: boolean;
}

/** There was no whole answer. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
  /** Whether the server may have the request. */
  readonly isSent: boolean;

  constructor(reason: string, isSent: boolean) {
    super(reason);
    this.isSent = isSent;
  }
}

/** More of it would only fill the log. */
const maxStatusText = 100;

interface Sending {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Asked when there is a connection: false, and nothing is sent. */
  readonly maySend?: () => boolean;
}

export class HttpClient {
  readonly #options: HttpClientOptions;
  readonly #url: URL;
  readonly #basePath: string;
  readonly #agent: Agent;
  /** Whose connections are for one request each. */
  readonly #single: Agent;

  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.#url = new URL(options.baseUrl);
    this.#basePath = this.#url.pathname.replace(/\/+$/, '');
    const { lookup } = options.names;
    this.#agent = this.#newAgent({ keepAlive: true, maxSockets: options.connections, lookup });
    this.#single = this.#newAgent({ keepAlive: false, lookup });
  }

  /** Over a pooled connection. Throws `Unanswered`, or the reason of the signal. */
  get(path: string, signal: AbortSignal): Promise<HttpAnswer> {
    return this.#ask({ method: 'GET', path, signal }, this.#agent);
  }

  /** Over a new connection: if the server were just closing a pooled one, the outcome would be unknown. */
  send(sending: Sending): Promise<HttpAnswer> {
    return this.#ask(sending, this.#single);
  }

  close(): void {
    this.#agent.destroy();
    this.#single.destroy();
  }

  /** Without sessions: what was refused once is not resumed. */
  #newAgent(options: AgentOptions): Agent {
    const { tls, peer } = this.#options;
    if (!this.#isTls) return new Agent(options);
    return new GuardedAgent({ ...options, ...tls, rejectUnauthorized: false, maxCachedSessions: 0 }, peer);
  }

  get #isTls(): boolean {
    return this.#url.protocol === 'https:';
  }

  #ask({ method, path, headers, body, signal, maySend }: Sending, agent: Agent): Promise<HttpAnswer> {
    const { clock, timeoutMs } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
    if (signal.aborted) {
      reject(signal.reason);
      return promise;
    }
    const make = this.#isTls ? tlsRequest : request;
    const asking = make({
      agent,
      method,
      protocol: this.#url.protocol,
      hostname: this.#url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: this.#url.port,
      path: this.#basePath + path,
      headers: {
        accept: 'application/json, */*;q=0.5',
        // What lies between may know an older answer: it is not taken for what is now.
        'cache-control': 'no-cache',
        'accept-encoding': 'identity',
        'user-agent': 'Telltale',
        ...this.#options.headers,
        ...headers,
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
      },
    });
    let isSent = false;
    let isSettled = false;
    whenConnected(asking, this.#isTls, () => {
      if (maySend?.() === false) {
        fail(new Error(notPermitted));
        return;
      }
      isSent = true;
      asking.end(body);
    });
    const end = () => {
      isSettled = true;
      cancel();
      stopListening();
    };
    const fail = (reason: unknown) => {
      if (isSettled) return;
      end();
      reject(reason instanceof Error && reason !== signal.reason ? new Unanswered(textOf(reason), isSent) : reason);
      asking.destroy();
    };
    const cancel = clock.after(timeoutMs, () => fail(new Error(`no answer within ${timeoutMs} ms`)));
    const stopListening = onAbort(signal, fail);
    asking.on('error', fail);
    asking.on('close', () => fail(new Error('the connection was closed without an answer')));
    asking.on('response', (response) => {
      this.#receive(response, fail, (answer) => {
        if (isSettled) return;
        end();
        resolve(answer);
        if (answer.body === undefined) asking.destroy();
      });
    });
    return promise;
  }

  #receive(response: IncomingMessage, fail: (reason: Error) => void, done: (answer: HttpAnswer) => void): void {
    const { maxBodyBytes } = this.#options;
    const { headers, statusCode: status = 0, statusMessage = '' } = response;
    const chunks: Buffer[] = [];
    let bytes = 0;
    const isFramed = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
    const answer = (body: Buffer | undefined) => {
      const statusText = `${status} ${statusMessage}`.slice(0, maxStatusText).trim();
      done({ status, statusText, headers, body, isFramed });
    };
    response.on('error', fail);
    if (Number(headers['content-length']) > maxBodyBytes) {
      answer(undefined);
      return;
    }
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBodyBytes) chunks.push(chunk);
      else answer(undefined);
    });
    response.on('end', () => {
      if (!response.complete) fail(new Error('the answer was cut off'));
      else answer(Buffer.concat(chunks));
    });
  }
}

class GuardedAgent extends TlsAgent {
  readonly #peer: HttpClientOptions['peer'];

  constructor(options: TlsAgentOptions, peer: HttpClientOptions['peer']) {
    super(options);
    this.#peer = peer;
  }

  override createConnection(...args: Parameters<TlsAgent['createConnection']>) {
    const socket = super.createConnection(...args);
    this.#peer?.guard(socket as TLSSocket);
    return socket;
  }
}

/** Nothing leaves before: from this moment on the server may have it. */
function whenConnected(asking: ClientRequest, isTls: boolean, call: () => void): void {
  asking.on('socket', (socket) => {
    if (socket.connecting) socket.once(isTls ? 'secureConnect' : 'connect', () => socket.destroyed || call());
    else call();
  });
}

function textOf(error: Error & { code?: unknown; errors?: readonly Error[] }): string {
  return error.message || error.errors?.[0]?.message || String(error.code ?? error.name);
}
