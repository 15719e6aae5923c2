// Forwards requests of HTTP that have come to a centre: their bodies, answers and upgrades.
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { onAbort, parseJson, problemMediaType } from '@telltale/schema';
import type { ExchangeStream } from './exchange-stream.ts';
import { type ForwardedHeaders, requestHeaders, shownHeaders } from './forwarded-headers.ts';
import { ForwardError, type Forwarded, type Forwarder, type ForwardTimes } from './forwarder.ts';
import { join } from './serve-exchange.ts';
import { safeMethods } from './site-exchanges.ts';

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

export interface UpgradeTarget extends ForwardTarget {
  /** It is upgraded; nothing that is said afterwards has gone by yet. */
  readonly onUpgraded?: (stream: ExchangeStream) => void;
}

/** What has become of a request, before it is answered. */
export interface ForwardedAnswer {
  /** Of the request. */
  readonly id: string;
  readonly status: number;
  /** The name of the problem, where the site has answered with one. */
  readonly problem: string | undefined;
  /** Once. */
  answer(): void;
}

/** Of an answer that is looked at. */
const mostProblemBytes = 64 << 10;
const problemMs = 5000;

/** Resolves when the answer has begun; rejects with `ForwardError`: then nothing was answered. */
export async function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  target: ForwardTarget,
): Promise<ForwardedAnswer> {
  const isEnd =
    request.headers['transfer-encoding'] === undefined && (request.headers['content-length'] ?? '0') === '0';
  const { stream, answer, id } = begin(request, target, isEnd, requestHeaders(request.headers));
  if (!isEnd) request.pipe(stream);
  // What the site has all of is carried out, whoever waits for it, and how it ends is told to whoever has it recorded.
  let isOutcomeWanted = !safeMethods.has(request.method ?? 'GET');
  response.once('close', () => {
    const hasAll = isEnd || request.readableEnded;
    if (!isOutcomeWanted || !hasAll) stream.destroy();
  });
  const { status, headers } = await answer;
  const shown = { ...shownHeaders(headers), ...target.headers };
  isOutcomeWanted = false;
  if (!isAnswer(status, shown)) {
    stream.destroy();
    return { id, status, problem: undefined, answer: () => response.destroy() };
  }
  const length = request.method === 'HEAD' || status === 304 ? undefined : shown['content-length'];
  if (headers['content-type'] === problemMediaType && Number(length) <= mostProblemBytes) {
    const problem = await wholeOf(stream, Number(length), id);
    const answerWhole = () => void (response.destroyed || response.writeHead(status, shown).end(problem));
    return { id, status, problem: problemIn(problem), answer: answerWhole };
  }
  stream.once('error', () => response.destroy());
  return {
    id,
    status,
    problem: undefined,
    answer: () => {
      if (response.destroyed) return void stream.destroy();
      response.writeHead(status, shown);
      holdToLength(stream, length, response);
      stream.pipe(response);
    },
  };
}

/** Of an upgrade of HTTP; resolves when it is made, or refused by the site. Rejects with `ForwardError`: nothing was answered. */
export async function forwardUpgrade(
  request: IncomingMessage,
  socket: Socket,
  first: Buffer,
  target: UpgradeTarget,
): Promise<void> {
  const { 'sec-websocket-extensions': _, ...given } = requestHeaders(request.headers);
  const headers = { ...given, upgrade: `${request.headers.upgrade}` };
  const { stream, answer } = begin(request, target, false, headers);
  socket.once('close', () => stream.destroy());
  const { status, headers: answered } = await answer;
  const isUpgraded = status === 101;
  const shown = { ...shownHeaders(answered), ...target.headers };
  if (!isUpgraded && !isAnswer(status, shown)) return void socket.destroy();
  const lines = headerLines({ ...shown, connection: isUpgraded ? 'upgrade' : 'close' });
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines}\r\n`);
  if (isUpgraded) {
    target.onUpgraded?.(stream);
    join(stream, socket, first);
  } else stream.pipe(socket);
}

/** Whether clients take it for one, and agree on how long it is. */
function isAnswer(status: number, { 'content-length': length = '0' }: ForwardedHeaders): boolean {
  return status >= 200 && /^\d{1,15}$/.test(String(length));
}

/** What is longer or shorter than it says would be taken for a part of the next answer, or that for a part of it. */
function holdToLength(stream: ExchangeStream, length: string | string[] | undefined, response: ServerResponse): void {
  if (length === undefined) return;
  let left = Number(length);
  stream.on('data', (bytes: Buffer) => {
    left -= bytes.length;
    if (left < 0) response.destroy();
  });
  stream.on('end', () => left !== 0 && response.destroy());
}

async function wholeOf(stream: ExchangeStream, length: number, id: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  const stopWaiting = onAbort(AbortSignal.timeout(problemMs), () =>
    stream.destroy(new Error('it did not come in time')),
  );
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > length) break;
      pieces.push(piece);
    }
  } catch (error) {
    throw new ForwardError('unknown', id, `the site has refused it, and not said why: ${(error as Error).message}`);
  } finally {
    stopWaiting();
  }
  if (bytes !== length) throw new ForwardError('unknown', id, 'the answer of the site is not as long as it says');
  return Buffer.concat(pieces);
}

/** As its page of the documents ends. */
function problemIn(body: Buffer): string | undefined {
  try {
    const { type } = parseJson(body.toString()) as { readonly type?: unknown };
    return /#problem-([a-z-]{1,64})$/.exec(String(type))?.[1];
  } catch {
    return undefined;
  }
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
