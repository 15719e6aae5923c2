// Requests over TLS, of clients that trust one certificate and nothing else.
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';

export interface TlsAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface TlsRequest extends ConnectionOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly agent?: Agent;
  readonly body?: string;
}

export async function askTls(url: string, options: TlsRequest): Promise<TlsAnswer> {
  const { body, ...rest } = options;
  const asked = request(url, { agent: false, ...rest });
  asked.end(body);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: answer.statusCode ?? 0, headers: answer.headers, text: await text(answer) };
}

/** Resolves with the socket when TLS is agreed on; throws where it is not. */
export async function handshake(url: string, options: ConnectionOptions): Promise<TLSSocket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), ...options });
  await once(socket, 'secureConnect');
  return socket;
}
