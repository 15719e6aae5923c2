// Sends the answer of a route: headers, bytes, cache validators, and compression where it pays.
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import type { ProblemError } from '@telltale/schema';
import type {
  CodedReply,
  FileReply,
  Gate,
  GatedOperation,
  PagesReply,
  StreamReply,
  WithHeaders,
} from '../operations/index.ts';
import type { Gathered, Lease } from '../points/index.ts';
import { answerHeaders } from './answer-headers.ts';
import type { Call, Route } from './route.ts';
import { sendPages } from './send-pages.ts';
import { reset } from './socket-internals.ts';
import type { UnderWay } from './under-way.ts';

export interface AnswerOptions {
  readonly route: Route;
  readonly operation: GatedOperation;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly call: Call;
  readonly gate: Pick<Gate, 'isStopping' | 'denied'>;
  readonly underWay: UnderWay;
  /** An answer that had been started could not be completed. */
  readonly onBroken: (error: Error) => void;
}

type Headers = Record<string, string | number | string[]>;

const shortBytes = 4 << 10;

/** Shorter answers fit into a few packets, compressed or not. */
const worthCompressing = 16 << 10;

const gzipBytes = 256 << 10;

/** Carries the route out and answers; throws errors from before the answer. */
export function answer(options: AnswerOptions): Promise<void> | undefined {
  const { route, operation, request, response, call, gate } = options;
  const tag = tagOf(route, call);
  const headers: Headers = {
    ...answerHeaders(request.socket),
    'cache-control': 'no-store',
    ...route.answer.headers,
  };
  if (gate.isStopping) headers.connection = 'close'; // it would be waited for else
  if (tag !== undefined) {
    headers['cache-control'] = 'no-cache';
    headers.etag = tag;
    if (isKnown(tag, request.headers['if-none-match'])) {
      operation.answered++;
      // The policy that came with the content stays: one that comes now would be taken in its place.
      const { 'content-security-policy': _, ...others } = headers;
      end(response, 304, others);
      return undefined;
    }
  }
  const result = route.handle(call);
  if (!(result instanceof Promise)) return send(options, headers, result);
  if (operation.effect.action === 'read') return sendLater(options, headers, result);
  return result.then((settled) => send(options, headers, settled)); // it is done, whatever its caller may do by now
}

/** Of what takes its time to read, nothing is shown to a caller that may not read it any more. */
async function sendLater(options: AnswerOptions, headers: Headers, result: Promise<unknown>): Promise<void> {
  const { operation, call, gate, underWay } = options;
  let problem: ProblemError | undefined;
  const end = underWay.begin(call.caller, operation.permission, (ended) => {
    problem = ended;
  });
  const settled = await result.finally(end);
  if (problem === undefined) return send(options, headers, settled);
  discard(settled);
  operation.answered--;
  gate.denied(operation, call, call.path.name, problem);
  throw problem;
}

/** Ends the connection when the caller may not read it any more: what it has is not all, and does not look like it. */
async function sendWhilePermitted(options: AnswerOptions, sending: Promise<void>): Promise<void> {
  const { operation, call, gate, underWay, response } = options;
  const end = underWay.begin(call.caller, operation.permission, (problem) => {
    gate.denied(operation, call, call.path.name, problem);
    if (response.socket !== null) reset(response.socket);
  });
  await sending.finally(end);
}

function send(options: AnswerOptions, headers: Headers, result: unknown): Promise<void> | undefined {
  if (isWithHeaders(result)) return send(options, { ...headers, ...result.headers }, result.body);
  const { route, response, call } = options;
  const { status, otherTypes } = route.answer;
  const { type } = call;
  if (status === 204) {
    const { connection, 'set-cookie': cookie } = headers;
    end(response, status, {
      ...answerHeaders(options.request.socket),
      ...(connection && { connection }),
      ...(cookie && { 'set-cookie': cookie }),
    });
    return undefined;
  }
  if (status === 302) headers.location = result as string;
  else headers['content-type'] = contentType(type);
  if (otherTypes !== undefined) headers.vary = 'accept';
  if (Buffer.isBuffer(result)) return sendBytes(options, headers, [result]); // most answers; and to ask it for names is slow
  if (isPages(result)) {
    response.writeHead(status, headers);
    return sendWhilePermitted(options, sendPages(response, result, options.onBroken));
  }
  if (isFile(result)) {
    headers['content-type'] = contentType(result.type);
    headers['content-disposition'] = disposition(result.filename);
    return sendBytes(options, headers, piecesOf(result.file));
  }
  if (isCoded(result)) return sendCoded(options, headers, result);
  if (isStream(result)) {
    response.writeHead(status, {
      ...headers,
      'content-length': result.size,
      'content-disposition': disposition(result.filename),
    });
    return sendWhilePermitted(options, sendStream(response, result.stream, options.onBroken));
  }
  if (isLease(result)) response.once('close', () => result.release());
  return sendBytes(options, headers, status === 302 ? [] : piecesOf(result));
}

function contentType(type: string): string {
  return type.includes('charset') || !type.startsWith('text/') ? type : `${type}; charset=utf-8`;
}

const disposition = (filename: string) => `attachment; filename="${filename}"`;

function sendBytes(
  { route, request, response }: AnswerOptions,
  headers: Headers,
  body: readonly Buffer[],
): Promise<void> | undefined {
  const length = body.reduce((sum, piece) => sum + piece.length, 0);
  if (headers.etag !== undefined && length >= worthCompressing && wantsGzip(request)) {
    return compressed(response, headers, body);
  }
  headers['content-length'] = length;
  end(response, route.answer.status, headers, body);
  return undefined;
}

/** Each coding is another representation, with a tag of its own (RFC 9110, 8.8.3.3). */
function sendCoded(
  { route, request, response }: AnswerOptions,
  headers: Headers,
  { type, codings }: CodedReply,
): undefined {
  const coding = codingMarks.find((each) => codings[each] !== undefined && accepts(request, each));
  const bytes = (coding === undefined ? undefined : codings[coding]) ?? codings.identity;
  headers['content-type'] = type;
  headers.vary = headers.vary === undefined ? 'accept-encoding' : `${headers.vary}, accept-encoding`;
  headers['content-length'] = bytes.length;
  if (coding !== undefined) {
    headers['content-encoding'] = coding;
    if (headers.etag !== undefined) headers.etag = marked(headers.etag, coding);
  }
  end(response, route.answer.status, headers, [Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)]);
}

async function sendStream(response: ServerResponse, stream: Readable, onBroken: (error: Error) => void): Promise<void> {
  if (response.req.method === 'HEAD' || response.destroyed) {
    stream.destroy();
    response.end();
    return;
  }
  try {
    await pipeline(stream, response);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') onBroken(error as Error); // else the client left
  }
}

function end(response: ServerResponse, status: number, headers: Headers, body: readonly Buffer[] = []): void {
  response.writeHead(status, headers);
  const last = body.at(-1);
  for (const piece of body.slice(0, -1)) response.write(piece);
  // As a text of the same bytes, a short body goes out together with the headers, in one piece.
  if (last !== undefined && last.length < shortBytes) response.end(last.toString('latin1'), 'latin1');
  else response.end(last);
}

async function compressed(response: ServerResponse, headers: Headers, body: readonly Buffer[]): Promise<void> {
  const compressing = createGzip({ level: constants.Z_BEST_SPEED, chunkSize: gzipBytes });
  const small = (await Readable.from(body).pipe(compressing).toArray()) as Buffer[];
  const length = small.reduce((sum, piece) => sum + piece.length, 0);
  const etag = marked(headers.etag, 'gzip');
  end(
    response,
    200,
    { ...headers, etag, 'content-encoding': 'gzip', vary: 'accept-encoding', 'content-length': length },
    small,
  );
}

/** What is not sent holds nothing. */
function discard(result: unknown): void {
  if (isWithHeaders(result)) discard(result.body);
  else if (isPages(result)) result.cancel();
  else if (isStream(result)) result.stream.destroy();
  else if (isLease(result)) result.release();
}

/** Bytes in shared memory are no Buffer yet. */
function piecesOf(result: unknown): readonly Buffer[] {
  if (isGathered(result)) return result.pieces;
  if (isLease(result)) return [result.bytes];
  if (Buffer.isBuffer(result)) return [result];
  if (result instanceof Uint8Array) return [Buffer.from(result.buffer, result.byteOffset, result.byteLength)];
  return [Buffer.from(typeof result === 'string' ? result : JSON.stringify(result))];
}

/** Compressing pays on a link, not on this machine: only a proxy leads over one, and says so. */
function wantsGzip(request: IncomingMessage): boolean {
  const { headers, socket } = request;
  const { remoteAddress: ip = '' } = socket;
  const isFar = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined || !isLocal(ip);
  return isFar && accepts(request, 'gzip');
}

/** The best one first. */
const codingMarks = ['br', 'gzip'] as const;

type Coding = (typeof codingMarks)[number];

const accepted: Readonly<Record<Coding, RegExp>> = {
  br: /\bbr\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i,
  gzip: /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i,
};

function accepts({ headers }: IncomingMessage, coding: Coding): boolean {
  return accepted[coding].test(headers['accept-encoding'] ?? '');
}

function isLocal(ip: string): boolean {
  return ip === '::1' || /^(?:::ffff:)?127\./.test(ip);
}

const marked = (tag: unknown, coding: Coding) => `${String(tag).slice(0, -1)}-${coding}"`;

/** The same version of another selection is another answer. */
function tagOf({ answer: { version: versionOf } }: Route, call: Call): string | undefined {
  const version = versionOf?.(call);
  if (version === undefined) return undefined;
  const { query } = call;
  const hasQuery = Object.values(query).some((value) => value !== undefined);
  const chosen = hasQuery ? `-${createHash('sha1').update(JSON.stringify(query)).digest('base64url')}` : '';
  return `"${version}${chosen}"`;
}

/** Whether the client has it, compressed or not (RFC 9110, 13.1.2). */
function isKnown(tag: string, header: string | undefined): boolean {
  if (header === undefined) return false;
  const plain = (each: string) =>
    each
      .trim()
      .replace(/^W\//, '')
      .replace(/-(?:br|gzip)"$/, '"');
  return header === '*' || header.split(',').some((each) => plain(each) === tag);
}

function isWithHeaders(result: unknown): result is WithHeaders {
  return typeof result === 'object' && result !== null && 'headers' in result;
}

function isStream(result: unknown): result is StreamReply {
  return typeof result === 'object' && result !== null && 'stream' in result;
}

function isFile(result: unknown): result is FileReply {
  return typeof result === 'object' && result !== null && 'file' in result;
}

function isCoded(result: unknown): result is CodedReply {
  return typeof result === 'object' && result !== null && 'codings' in result;
}

function isPages(result: unknown): result is PagesReply {
  return typeof result === 'object' && result !== null && 'pages' in result;
}

function isGathered(result: unknown): result is Gathered {
  return typeof result === 'object' && result !== null && 'pieces' in result;
}

function isLease(result: unknown): result is Lease {
  return typeof result === 'object' && result !== null && 'release' in result;
}
