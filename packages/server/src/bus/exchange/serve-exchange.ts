// Carries out a forwarded request at the site, as a request to its own server of HTTP; an upgrade, such as to the channel, as well.
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import { ExchangeReset, type ExchangeStream } from './exchange-stream.ts';
import { answerHeaders, requestHeaders } from './forwarded-headers.ts';
import { type SiteExchange, safeMethods } from './site-exchanges.ts';

export interface OwnServer extends Pick<RequestOptions, 'socketPath' | 'host' | 'port'> {
  /** Who asks, as the server knows it, and whatever else it wants to be told. */
  readonly headers: (exchange: SiteExchange) => Readonly<Record<string, string>>;
}

export function serveExchange(exchange: SiteExchange, { headers: own, ...server }: OwnServer): void {
  const { request, stream, answer } = exchange;
  const { method, path } = request;
  const isUpgrade = request.headers.upgrade !== undefined;
  const upgrade = isUpgrade ? { connection: 'upgrade', upgrade: `${request.headers.upgrade}` } : {};
  const headers = { ...requestHeaders(request.headers), ...upgrade, ...own(exchange) };
  const asked = httpRequest({ ...server, method, path, headers, agent: false });
  asked.on('response', (answered) => {
    const head = { status: answered.statusCode ?? 502, headers: answerHeaders(answered.headers) };
    answer(head, !hasBody(method, answered));
    sendBody(answered, stream);
  });
  asked.on('upgrade', (answered: IncomingMessage, socket: Socket, first: Buffer) => {
    answer({ status: 101, headers: { ...answerHeaders(answered.headers), upgrade: `${answered.headers.upgrade}` } });
    join(stream, socket, first);
  });
  asked.on('error', (error) =>
    stream.destroy(new ExchangeReset(`the server of the site does not answer: ${error.message}`)),
  );
  stream.on('close', () => {
    // What changes something is carried out when all of it has come, whoever waits for it.
    if (safeMethods.has(method) || !stream.readableEnded) asked.destroy();
  });
  if (isUpgrade) asked.end();
  else stream.pipe(asked);
}

/** Whatever the client has said since it asked, and what it is told. */
export function join(stream: ExchangeStream, socket: Socket, first: Buffer): void {
  if (first.length > 0) socket.unshift(first);
  socket.on('error', () => stream.destroy());
  socket.on('close', () => stream.destroy());
  stream.on('close', () => socket.destroy());
  socket.pipe(stream).pipe(socket);
}

function hasBody(method: string, { statusCode, headers }: IncomingMessage): boolean {
  return method !== 'HEAD' && statusCode !== 204 && statusCode !== 304 && headers['content-length'] !== '0';
}

function sendBody(answered: IncomingMessage, stream: ExchangeStream): void {
  answered.on('error', () => stream.destroy(new ExchangeReset('the server of the site has broken off its answer')));
  stream.once('close', () => answered.resume());
  if (stream.writableEnded || stream.destroyed) answered.resume();
  else answered.pipe(stream);
}
