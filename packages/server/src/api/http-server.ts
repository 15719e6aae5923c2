// The HTTP server: carries routes, guards them, answers what has no route, counts. It knows no resource.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ProblemError } from '@telltale/schema';
import type { Logger } from 'pino';
import { type GuardedRequest, guardLoopback, type ModuleTokens } from '../access/index.ts';
import { answer } from './answer.ts';
import type { Metrics } from './metrics.ts';
import { answerClientError, sendProblem, toProblem } from './problems.ts';
import { requestReader } from './read-request.ts';
import type { Call, Route } from './route.ts';
import { Router } from './router.ts';

/** Longer than the longest list of names, and than the longest text that is written, percent-encoded. */
const maxHeaderBytes = 256 << 10;
const idleTimeoutMs = 120_000;
const uploadTimeoutMs = 15 * 60_000;
const keepAliveMs = 72_000;

/** Of one connection: answers to who asks on without reading them wait in memory. */
const mostUnanswered = 100;
const unanswered = Symbol('requests that wait for their answers');
type Connection = Socket & { [unanswered]?: number };

export interface HttpServerOptions {
  readonly routes: readonly Route[];
  /** Whose a token is. */
  readonly tokens: Pick<ModuleTokens, 'identify'>;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Why the service cannot answer now; undefined where it can. Probes and pages are answered all the same. */
  readonly unavailable: () => 'starting' | 'stopping' | undefined;
  readonly alwaysAvailable: ReadonlySet<string>;
  /** Why nothing may be written now, though reads are answered; undefined where it may. */
  readonly writeRefusal?: () => ProblemError | undefined;
}

export interface HttpServer {
  readonly server: Server;
  listen(at: { readonly host: string; readonly port: number }): Promise<void>;
  /** Takes no more connections; resolves when those with a request under way have ended. */
  close(): Promise<void>;
}

export function createHttpServer({ routes, ...options }: HttpServerOptions): HttpServer {
  const { tokens, log, metrics, unavailable, alwaysAvailable, writeRefusal } = options;
  const endpoints = new Router(routes, (route) => ({
    route,
    read: requestReader(route, tokens),
    count: metrics.answers.counterOf(route.method, route.path),
  }));
  const elsewhere = metrics.answers.counterOf('any', 'none');
  const onBroken = (error: Error) => log.error({ err: error }, 'an answer broke off through a fault of the service');
  const fail = (response: ServerResponse, error: unknown) => {
    if (response.headersSent) return onBroken(error as Error);
    if (unavailable() === 'stopping') response.setHeader('connection', 'close'); // else it would be waited for
    sendProblem(response, toProblem(error as Error, log));
  };

  function take(request: IncomingMessage, response: ServerResponse): void {
    const connection = request.socket as Connection;
    const waiting = (connection[unanswered] ?? 0) + 1;
    connection[unanswered] = waiting;
    const began = performance.now();
    let count = elsewhere;
    response.once('close', () => {
      connection[unanswered] = (connection[unanswered] ?? 1) - 1;
      count(response.statusCode, performance.now() - began);
    });
    try {
      if (waiting > mostUnanswered) {
        throw new ProblemError(
          'too-many-requests',
          `${mostUnanswered} requests of this connection wait for their answers.`,
        );
      }
      const refusal = guardLoopback(guarded(request));
      if (refusal !== undefined) throw new ProblemError(refusal, refusalDetail(request, refusal));
      const { endpoint, params, query } = endpoints.find(request, response);
      const { route, read } = endpoint;
      count = endpoint.count;
      const state = unavailable();
      if (state !== undefined && !alwaysAvailable.has(route.path)) {
        throw new ProblemError(state, `The service is ${state}.`);
      }
      const unwritable = route.method === 'GET' ? undefined : writeRefusal?.();
      if (unwritable !== undefined) throw unwritable;
      const carryOut = (call: Call) =>
        answer({ route, request, response, call, isStopping: unavailable() === 'stopping', onBroken });
      const call = read(request, response, params, query);
      const answered = call instanceof Promise ? call.then(carryOut) : carryOut(call);
      answered
        ?.catch((error: unknown) => fail(response, error))
        .finally(() => {
          // A body that nobody read must not block the requests behind it on the connection.
          if (!request.readableEnded) request.unpipe().resume();
        });
    } catch (error) {
      fail(response, error);
    }
  }

  const server = createServer(
    {
      maxHeaderSize: maxHeaderBytes,
      requestTimeout: uploadTimeoutMs,
      keepAliveTimeout: keepAliveMs,
      // Who offers another protocol, such as h2c, is answered in this one.
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
    },
    take,
  );
  server.setTimeout(idleTimeoutMs);
  server.on('clientError', answerClientError);
  return {
    server,
    listen: async ({ host, port }) => {
      server.listen(port, host);
      await once(server, 'listening');
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function guarded({ method = '', headers }: IncomingMessage): GuardedRequest {
  const { host, origin } = headers;
  return { method, host, origin, fetchSite: headers['sec-fetch-site'] as string | undefined };
}

function refusalDetail({ headers }: IncomingMessage, refusal: string): string {
  const [what, got] = refusal === 'foreign-host' ? ['Host', headers.host] : ['Origin', headers.origin];
  return `The ${what} is ${got === undefined ? 'missing' : JSON.stringify(got.slice(0, 200))}; only this machine may ask.`;
}
