// The HTTP server: carries routes, guards them, answers what has no route, counts. It knows no resource.
import { createHash } from 'node:crypto';
import { METHODS } from 'node:http';
import { ProblemError } from '@telltale/schema';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { type GuardedRequest, guardLoopback } from '../access/index.ts';
import type { CountAnswer, Metrics } from './metrics.ts';
import { answerClientError, sendProblem, toProblem } from './problems.ts';
import { requestReader } from './read-request.ts';
import { type Call, isShadowed, jsonType, type Route, type StreamReply } from './route.ts';

/** All that a request can have: those that do not apply are told so. CONNECT never comes to a route. */
const methods = METHODS.filter((method) => method !== 'CONNECT');

/** Longer than the longest list of names, and than the longest text that is written, percent-encoded. */
const maxHeaderBytes = 256 << 10;
const idleTimeoutMs = 120_000;
const uploadTimeoutMs = 15 * 60_000;

/** Who writes while there are no users. */
export const localAuthor = 'local';

export interface HttpServerOptions {
  readonly routes: readonly Route[];
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Why the service cannot answer now; undefined where it can. Probes and pages are answered all the same. */
  readonly unavailable: () => 'starting' | 'stopping' | undefined;
  readonly alwaysAvailable: ReadonlySet<string>;
}

export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { routes, log, metrics, unavailable, alwaysAvailable } = options;
  const app = fastify({
    logger: false, // one log for the whole service, written by whoever knows what happened
    bodyLimit: Number.MAX_SAFE_INTEGER, // each route bounds its own body
    connectionTimeout: idleTimeoutMs,
    requestTimeout: uploadTimeoutMs,
    forceCloseConnections: 'idle',
    return503OnClosing: false, // `unavailable` says it as a problem
    http: { maxHeaderSize: maxHeaderBytes },
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: maxHeaderBytes },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, _request, reply) => sendProblem(reply, toProblem(error, log)),
  });
  // The routes read the bodies: to the framework no method has one, so it looks at no Content-Type before the path.
  for (const method of methods) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  app.addHook('onRequest', async (request) => {
    const refusal = guardLoopback(guarded(request));
    if (refusal !== undefined) throw new ProblemError(refusal, refusalDetail(request, refusal));
    const state = alwaysAvailable.has(request.routeOptions.url ?? '') ? undefined : unavailable();
    if (state !== undefined) throw new ProblemError(state, `The service is ${state}.`);
  });
  app.addHook('onSend', async (_request, reply) => {
    reply.header('x-content-type-options', 'nosniff');
    if (unavailable() === 'stopping') reply.header('connection', 'close'); // else it would be waited for
  });
  const counters = new Map<string, CountAnswer>();
  app.addHook('onResponse', (request, reply, done) => {
    const key = `${request.method} ${request.routeOptions.url ?? 'none'}`;
    let count = counters.get(key);
    if (count === undefined) {
      count = metrics.counterOf(request.method, request.routeOptions.url ?? 'none');
      counters.set(key, count);
    }
    count(reply.statusCode, reply.elapsedTime);
    done();
  });
  app.setErrorHandler((error, _request, reply) => sendProblem(reply, toProblem(error as Error, log)));
  app.setNotFoundHandler((request) => {
    throw new ProblemError(
      'unknown-path',
      `There is nothing at ${request.url.slice(0, 200)}; /docs/ lists every path.`,
    );
  });
  addRoutes(app, routes);
  return app;
}

function guarded({ method, headers }: FastifyRequest): GuardedRequest {
  const { host, origin } = headers;
  return { method, host, origin, fetchSite: headers['sec-fetch-site'] as string | undefined };
}

function refusalDetail({ headers }: FastifyRequest, refusal: string): string {
  const [what, got] = refusal === 'foreign-host' ? ['Host', headers.host] : ['Origin', headers.origin];
  return `The ${what} is ${got === undefined ? 'missing' : JSON.stringify(got.slice(0, 200))}; only this machine may ask.`;
}

function addRoutes(app: FastifyInstance, routes: readonly Route[]): void {
  const byPath = Map.groupBy(routes, ({ path }) => path);
  for (const [path, onPath] of byPath) {
    for (const route of onPath) {
      const read = requestReader(route, localAuthor);
      app.route({
        method: route.method,
        url: path,
        handler: async (request, reply) => {
          try {
            const call = await read(request);
            const tag = tagOf(route, call);
            if (tag !== undefined) reply.header('etag', tag).header('cache-control', 'no-cache');
            if (tag !== undefined && isKnown(tag, request.headers['if-none-match']))
              return await reply.code(304).send();
            return await send(reply, route, await route.handle(call));
          } finally {
            // A body that nobody read must not block the requests behind it on the connection.
            if (!request.raw.readableEnded) request.raw.unpipe().resume();
          }
        },
      });
    }
    if (!isShadowed(path, byPath.keys())) refuseOtherMethods(app, path, onPath);
  }
}

/** The same version of another selection is another answer. */
function tagOf({ answer }: Route, { query }: Call): string | undefined {
  if (answer.version === undefined) return undefined;
  const chosen =
    Object.keys(query).length === 0 ? '' : `-${createHash('sha1').update(JSON.stringify(query)).digest('base64url')}`;
  return `"${answer.version()}${chosen}"`;
}

/** Whether the client has it (RFC 9110, 13.1.2). */
function isKnown(tag: string, header: string | undefined): boolean {
  if (header === undefined) return false;
  return header === '*' || header.split(',').some((each) => each.trim().replace(/^W\//, '') === tag);
}

function send(reply: FastifyReply, { answer }: Route, result: unknown): FastifyReply {
  reply.code(answer.status);
  if (answer.status === 204) return reply.send();
  if (answer.status === 302) return reply.redirect(result as string);
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
  if (answer.headers !== undefined) reply.headers(answer.headers);
  reply.type(answer.type ?? jsonType);
  if (isStream(result)) {
    return reply
      .header('content-length', result.size)
      .header('content-disposition', `attachment; filename="${result.filename}"`)
      .send(result.stream);
  }
  if (Buffer.isBuffer(result)) return reply.send(result);
  if (result instanceof Uint8Array) return reply.serializer(asIs).send(Buffer.from(result.buffer));
  return reply.send(typeof result === 'string' ? result : JSON.stringify(result));
}

/** Bytes in shared memory are no ArrayBuffer to the framework: it must not take them for data. */
const asIs = (bytes: unknown) => bytes as string;

function isStream(result: unknown): result is StreamReply {
  return typeof result === 'object' && result !== null && 'stream' in result;
}

function refuseOtherMethods(app: FastifyInstance, url: string, routes: readonly Route[]): void {
  const allowed = new Set<string>(routes.map(({ method }) => method));
  if (allowed.has('GET')) allowed.add('HEAD');
  const allow = [...allowed].join(', ');
  app.route({
    method: methods.filter((method) => !allowed.has(method)),
    url,
    handler: async (request, reply) => {
      reply.header('allow', allow);
      throw new ProblemError('method-not-allowed', `${request.method} does not apply here; ${allow} do.`);
    },
  });
}
