// Sends the answer of a route: headers, bytes, what a client may keep, and compression where it pays. Bytes and texts go
// straight to the socket: what the framework would do with them costs more than most answers take to make.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Lease } from '../points/index.ts';
import type { Call, PagesReply, Route, StreamReply } from './route.ts';
import { sendPages } from './send-pages.ts';

export interface AnswerOptions {
  readonly route: Route;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly call: Call;
  /** A connection that stayed open would be waited for. */
  readonly isStopping: boolean;
  /** An answer that had begun could not be ended. */
  readonly onBroken: (error: Error) => void;
}

type Headers = Record<string, string | number>;

const shortBytes = 4 << 10;

/** Shorter answers fit into a few packets, whatever is done to them. */
const worthCompressing = 16 << 10;

/** Carries the route out and answers; throws what goes wrong before. */
export function answer(options: AnswerOptions): Promise<void> | undefined {
  const { route, request, reply, call, isStopping } = options;
  const tag = tagOf(route, call);
  const headers: Headers = {
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    ...route.answer.headers,
  };
  if (isStopping) headers.connection = 'close';
  if (tag !== undefined) {
    headers['cache-control'] = 'no-cache';
    headers.etag = tag;
    if (isKnown(tag, request.headers['if-none-match'])) {
      end(reply, 304, headers);
      return undefined;
    }
  }
  const result = route.handle(call);
  if (result instanceof Promise) return result.then((settled) => send(options, headers, settled));
  return send(options, headers, result);
}

function send(options: AnswerOptions, headers: Headers, result: unknown): Promise<void> | undefined {
  const { route, request, reply, call } = options;
  const { status, otherTypes } = route.answer;
  const { type } = call;
  if (status === 204) {
    end(reply, status, { 'x-content-type-options': 'nosniff', ...(headers.connection && { connection: 'close' }) });
    return undefined;
  }
  if (status === 302) headers.location = result as string;
  else
    headers['content-type'] = type.includes('charset') || !type.startsWith('text/') ? type : `${type}; charset=utf-8`;
  if (otherTypes !== undefined) headers.vary = 'accept';
  if (isPages(result)) {
    reply.hijack();
    reply.raw.writeHead(status, headers);
    return sendPages(reply.raw, result, options.onBroken);
  }
  if (isStream(result)) {
    reply.code(status).headers({
      ...headers,
      'content-length': result.size,
      'content-disposition': `attachment; filename="${result.filename}"`,
    });
    return reply.send(result.stream) as unknown as Promise<void>;
  }
  const body = status === 302 ? Buffer.alloc(0) : bytesOf(result);
  if (isLease(result)) reply.raw.once('close', () => result.release());
  if (headers.etag !== undefined && body.length >= worthCompressing && wantsGzip(request)) {
    return compressed(reply, headers, body);
  }
  headers['content-length'] = body.length;
  end(reply, status, headers, body);
  return undefined;
}

function end(reply: FastifyReply, status: number, headers: Headers, body?: Buffer): void {
  reply.hijack();
  reply.raw.writeHead(status, headers);
  // As a text of the same bytes, a short body goes out together with the headers, in one piece.
  if (body !== undefined && body.length < shortBytes) reply.raw.end(body.toString('latin1'), 'latin1');
  else reply.raw.end(body);
}

async function compressed(reply: FastifyReply, headers: Headers, body: Buffer): Promise<void> {
  const small = await promisify(gzip)(body, { level: constants.Z_BEST_SPEED });
  const etag = `${String(headers.etag).slice(0, -1)}${gzipMark}"`;
  end(
    reply,
    200,
    { ...headers, etag, 'content-encoding': 'gzip', vary: 'accept-encoding', 'content-length': small.length },
    small,
  );
}

/** Bytes in shared memory are no Buffer yet. */
function bytesOf(result: unknown): Buffer {
  if (isLease(result)) return result.bytes;
  if (Buffer.isBuffer(result)) return result;
  if (result instanceof Uint8Array) return Buffer.from(result.buffer, result.byteOffset, result.byteLength);
  return Buffer.from(typeof result === 'string' ? result : JSON.stringify(result));
}

/**
 * On this machine itself, compressing takes longer than sending; it pays on a link, which only a proxy or a tunnel leads
 * over here. A proxy says so.
 */
function wantsGzip({ headers, ip }: FastifyRequest): boolean {
  const isFar = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined || !isLocal(ip);
  return isFar && /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(headers['accept-encoding'] ?? '');
}

function isLocal(ip: string): boolean {
  return ip === '::1' || /^(?:::ffff:)?127\./.test(ip);
}

const gzipMark = '-gzip';

/** The same version of another selection is another answer. */
function tagOf({ answer: { version } }: Route, { query }: Call): string | undefined {
  if (version === undefined) return undefined;
  const hasQuery = Object.values(query).some((value) => value !== undefined);
  const chosen = hasQuery ? `-${createHash('sha1').update(JSON.stringify(query)).digest('base64url')}` : '';
  return `"${version(query)}${chosen}"`;
}

/** Whether the client has it, compressed or not (RFC 9110, 13.1.2). */
function isKnown(tag: string, header: string | undefined): boolean {
  if (header === undefined) return false;
  const plain = (each: string) => each.trim().replace(/^W\//, '').replace(`${gzipMark}"`, '"');
  return header === '*' || header.split(',').some((each) => plain(each) === tag);
}

function isStream(result: unknown): result is StreamReply {
  return typeof result === 'object' && result !== null && 'stream' in result;
}

function isPages(result: unknown): result is PagesReply {
  return typeof result === 'object' && result !== null && 'pages' in result;
}

function isLease(result: unknown): result is Lease {
  return typeof result === 'object' && result !== null && 'release' in result;
}
