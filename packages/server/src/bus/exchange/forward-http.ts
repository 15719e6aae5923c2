// Forwards requests of HTTP that have come to a centre: their bodies, answers and upgrades.
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ExchangeStream } from './exchange-stream.ts';
import { type ForwardedHeaders, requestHeaders, shownHeaders } from './forwarded-headers.ts';
import type { Forwarded, Forwarder, ForwardTimes } from './forwarder.ts';
import { join } from './serve-exchange.ts';

export interface ForwardTarget {
  readonly forwarder: Forwarder;
  readonly site: string;
  /** At the site. */
  readonly path: string;
  readonly caller: Readonly<Record<string, unknown>>;
  readonly times?: ForwardTimes;
  /** Of each answer, beside those of its content. */
  readonly headers?: ForwardedHeaders;
}

/** Resolves when the answer has begun, with the id of the request; rejects with `ForwardError`: then nothing was answered. */
export async function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  target: ForwardTarget,
): Promise<string> {
  const isEnd =
    request.headers['transfer-encoding'] === undefined && (request.headers['content-length'] ?? '0') === '0';
  const { stream, answer, id } = begin(request, target, isEnd, requestHeaders(request.headers));
  if (!isEnd) request.pipe(stream);
  response.once('close', () => stream.destroy());
  const { status, headers } = await answer;
  if (response.destroyed) return id;
  // It would not be taken for an answer.
  if (status < 200) {
    response.destroy();
    return id;
  }
  const shown = shownHeaders(headers);
  response.writeHead(status, { ...shown, ...target.headers });
  stream.once('error', () => response.destroy());
  if (request.method !== 'HEAD' && status !== 304) holdToLength(stream, shown['content-length'], response);
  stream.pipe(response);
  return id;
}

/** Of an upgrade of HTTP; resolves when it is made, or refused by the site. Rejects with `ForwardError`: nothing was answered. */
export async function forwardUpgrade(
  request: IncomingMessage,
  socket: Socket,
  first: Buffer,
  target: ForwardTarget,
): Promise<void> {
  const headers = { ...requestHeaders(request.headers), upgrade: `${request.headers.upgrade}` };
  const { stream, answer } = begin(request, target, false, headers);
  socket.once('close', () => stream.destroy());
  const { status, headers: answered } = await answer;
  const isUpgraded = status === 101;
  const lines = headerLines({
    ...shownHeaders(answered),
    ...target.headers,
    connection: isUpgraded ? 'upgrade' : 'close',
  });
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines}\r\n`);
  if (isUpgraded) join(stream, socket, first);
  else stream.pipe(socket);
}

/** What is longer or shorter than it says would be taken for a part of the next answer, or that for a part of it. */
function holdToLength(stream: ExchangeStream, length: string | string[] | undefined, response: ServerResponse): void {
  if (length === undefined) return;
  let left = Number(length);
  stream.on('data', (bytes: Buffer) => {
    left -= bytes.length;
    if (!(left >= 0)) response.destroy();
  });
  stream.on('end', () => left !== 0 && response.destroy());
}

function begin(request: IncomingMessage, target: ForwardTarget, isEnd: boolean, headers: ForwardedHeaders): Forwarded {
  const { forwarder, site, path, caller, times } = target;
  const { method = 'GET' } = request;
  return forwarder.forward(site, { method, path, headers, caller: { ...caller } }, { isEnd, ...(times && { times }) });
}

function headerLines(headers: ForwardedHeaders): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((each) => `${name}: ${each}\r\n`),
  );
  // What a site says stays in its line.
  return lines.filter((line) => /^[\w!#$%&'*+.^`|~-]+: [\t\x20-\x7e\x80-\xff]*\r\n$/.test(line)).join('');
}
