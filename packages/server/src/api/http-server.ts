// The HTTP server: carries routes, guards them, answers what has no route, counts. It knows no resource.
import { METHODS } from 'node:http';
import type { Socket } from 'node:net';
import { ProblemError } from '@telltale/schema';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { type GuardedRequest, guardLoopback, type ModuleTokens } from '../access/index.ts';
import { answer } from './answer.ts';
import type { CountAnswer } from './answer-counts.ts';
import type { Metrics } from './metrics.ts';
import { answerClientError, sendProblem, toProblem } from './problems.ts';
import { requestReader } from './read-request.ts';
import { type Call, type Route, takes } from './route.ts';

/** All that a request can have: those that do not apply are told so. CONNECT never comes to a route. */
const methods = METHODS.filter((method) => method !== 'CONNECT');

/** Longer than the longest list of names, and than the longest text that is written, percent-encoded. */
const maxHeaderBytes = 256 << 10;
const idleTimeoutMs = 120_000;
const uploadTimeoutMs = 15 * 60_000;

/** Of one connection: answers to who asks on without reading them wait in memory. */
const mostUnanswered = 100;
const unanswered = Symbol('requests that wait for their answers');
type Connection = Socket & { [unanswered]?: number };

/** Where a reply carries who counts it: the framework would have to look its route up again. */
const counting = 'countAnswer';
type Counted = FastifyReply & { [counting]: CountAnswer | null };

export interface HttpServerOptions {
  readonly routes: readonly Route[];
  /** Whose a token is. */
  readonly tokens: Pick<ModuleTokens, 'identify'>;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Why the service cannot answer now; undefined where it can. Probes and pages are answered all the same. */
  readonly unavailable: () => 'starting' | 'stopping' | undefined;
  readonly alwaysAvailable: ReadonlySet<string>;
}

export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { routes, tokens, log, metrics, unavailable, alwaysAvailable } = options;
  const app = fastify({
    logger: false, // one log for the whole service, written by whoever knows what happened
    bodyLimit: Number.MAX_SAFE_INTEGER, // each route bounds its own body
    connectionTimeout: idleTimeoutMs,
    requestTimeout: uploadTimeoutMs,
    forceCloseConnections: 'idle',
    return503OnClosing: false, // `unavailable` says it as a problem
    // Who offers another protocol, such as h2c, is answered in this one.
    http: {
      maxHeaderSize: maxHeaderBytes,
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
    },
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: maxHeaderBytes },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, _request, reply) => sendProblem(reply, toProblem(error, log)),
  });
  // The routes read the bodies: to the framework no method has one, so it looks at no Content-Type before the path.
  for (const method of methods) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  app.addHook('onRequest', (request, _reply, done) => {
    const connection = request.raw.socket as Connection;
    const waiting = (connection[unanswered] ?? 0) + 1;
    connection[unanswered] = waiting;
    if (waiting > mostUnanswered) {
      throw new ProblemError(
        'too-many-requests',
        `${mostUnanswered} requests of this connection wait for their answers.`,
      );
    }
    const refusal = guardLoopback(guarded(request));
    if (refusal !== undefined) throw new ProblemError(refusal, refusalDetail(request, refusal));
    const state = unavailable();
    if (state !== undefined && !alwaysAvailable.has(request.routeOptions.url ?? '')) {
      throw new ProblemError(state, `The service is ${state}.`);
    }
    done();
  });
  // Of what the framework sends: problems and streams. Other answers go past it.
  app.addHook('onSend', (_request, reply, payload, done) => {
    reply.header('x-content-type-options', 'nosniff');
    if (unavailable() === 'stopping') reply.header('connection', 'close'); // else it would be waited for
    done(null, payload);
  });
  app.decorateReply(counting, null);
  const elsewhere = metrics.answers.counterOf('any', 'none');
  app.addHook('onResponse', (request, reply, done) => {
    const connection = request.raw.socket as Connection;
    connection[unanswered] = (connection[unanswered] ?? 1) - 1;
    ((reply as Counted)[counting] ?? elsewhere)(reply.statusCode, reply.elapsedTime);
    done();
  });
  app.setErrorHandler((error, _request, reply) => sendProblem(reply, toProblem(error as Error, log)));
  app.setNotFoundHandler((request) => {
    throw new ProblemError(
      'unknown-path',
      `There is nothing at ${request.url.slice(0, 200)}; /docs/ lists every path.`,
    );
  });
  const onBroken = (error: Error) => log.error({ err: error }, 'an answer broke off through a fault of the service');
  addRoutes(app, { routes, tokens, metrics, onBroken, isStopping: () => unavailable() === 'stopping' });
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

interface AddedRoutes {
  readonly routes: readonly Route[];
  readonly tokens: HttpServerOptions['tokens'];
  readonly metrics: Metrics;
  readonly isStopping: () => boolean;
  readonly onBroken: (error: Error) => void;
}

function addRoutes(app: FastifyInstance, { routes, tokens, metrics, isStopping, onBroken }: AddedRoutes): void {
  const byPath = Map.groupBy(routes, ({ path }) => path);
  for (const [path, onPath] of byPath) {
    for (const route of onPath) {
      const reader = requestReader(route, tokens);
      const count = metrics.answers.counterOf(route.method, path);
      app.route({
        method: route.method,
        url: path,
        handler: (request, reply) => {
          (reply as Counted)[counting] = count;
          const read = (call: Call) => answer({ route, request, reply, call, isStopping: isStopping(), onBroken });
          const call = reader(request, reply);
          const answered = call instanceof Promise ? call.then(read) : read(call);
          if (route.body === undefined && answered === undefined) return undefined;
          // A body that nobody read must not block the requests behind it on the connection.
          return Promise.resolve(answered).finally(() => {
            if (!request.raw.readableEnded) request.raw.unpipe().resume();
          });
        },
      });
    }
    // What a parameter of another path takes, such as `/alarms/names` by `/alarms/:name`, has the methods of both.
    const taking = [...byPath].filter(([other]) => takes(other, path)).flatMap(([, others]) => others);
    refuseOtherMethods(app, path, taking);
  }
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
