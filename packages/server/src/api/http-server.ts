// The HTTP server: serves routes, guards them, answers requests without a route, counts. It knows no resource.
import type { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { SecureContextOptions, TlsOptions, Server as TlsServer } from 'node:tls';
import { type Clock, ProblemError } from '@telltale/schema';
import type { Logger } from 'pino';
import {
  type Caller,
  type Credentials,
  callerAt,
  guardedRequest,
  type Identities,
  nobody,
  type OriginGuard,
} from '../access/index.ts';
import type { Asking, Gate, GatedOperation } from '../operations/index.ts';
import { answer } from './answer.ts';
import { answerHeaders } from './answer-headers.ts';
import { BodyBudget } from './body-budget.ts';
import { Connections } from './connections.ts';
import { type CredentialsReader, certificateShown } from './credentials.ts';
import { frontMetrics } from './front-metrics.ts';
import { shareHeaderRoom } from './header-room.ts';
import type { Metrics } from './metrics.ts';
import { type PageNavigation, prefersPages } from './page-navigation.ts';
import { answerClientError, endWith, sendProblem } from './problems.ts';
import { requestReader } from './read-request.ts';
import { formFault } from './request-form.ts';
import type { Call, Route } from './route.ts';
import { Router } from './router.ts';
import { UnderWay } from './under-way.ts';

/** Longer than the longest list of names, and than the longest text that is written, percent-encoded. */
const maxHeaderBytes = 256 << 10;
/** A request line and its headers are there at once, or somebody types them. */
const headersTimeoutMs = 10_000;
/** How late that is noticed. */
const connectionsCheckingInterval = 2000;

export interface HttpServerOptions {
  readonly routes: readonly Route[];
  readonly identities: Identities;
  readonly credentialsOf: CredentialsReader;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly gate: Gate;
  /** Whether a path is that of a document for people, to which links of other pages may lead. */
  readonly isDocument: (path: string) => boolean;
  /** Who gets the page, which is the same for everybody. */
  readonly navigation?: PageNavigation;
  /** Where a browser without credentials that goes to a document is led; none: it is refused. */
  readonly signInPage?: string;
  /** The page that a provider of OpenID Connect leads to. */
  readonly isCallback?: (path: string) => boolean;
  readonly clock: Clock;
  readonly maxConnections: number;
  readonly largestBodyBytes: number;
  readonly guard: Pick<OriginGuard, 'refusalOf'>;
  /** What is served elsewhere, below a path of its own: sites of a centre. */
  readonly sites?: ServedSites | undefined;
  /** What other nodes of the site ask; undefined: there are none. */
  readonly nodes?: ServedNodes | undefined;
  /** How TLS is spoken; undefined: HTTP without it. */
  readonly tls?: TlsOptions | undefined;
}

/** What is asked of sites goes to them. Both reject with `ProblemError`: then nothing was answered. */
export interface ServedSites {
  isOfSite(url: string): boolean;
  /** What is answered here instead, and where that is. Throws `ProblemError`. */
  routesOf(url: string, caller: Caller): { readonly routes: RoutesOfSite; readonly url: string } | undefined;
  forward(request: IncomingMessage, response: ServerResponse, asking: Asking): Promise<void>;
  forwardUpgrade(request: IncomingMessage, socket: Socket, head: Buffer, asking: Asking): Promise<void>;
}

/** They show by themselves who asks. */
export interface ServedNodes {
  isAsked(url: string): boolean;
  /** Never rejects. */
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** What is answered here of a site, to callers with the rights that they have there. */
export interface RoutesOfSite {
  /** Its id. */
  readonly site: string;
  readonly routes: readonly Route[];
  readonly gate: Gate;
}

/** Who asks, and what they have to pass. */
interface AskedThrough {
  readonly identities: Pick<Identities, 'identify'>;
  readonly gate: Gate;
}

export interface HttpServer {
  readonly server: Server;
  /** Of bodies, also for everything else that is sent to the service and held in memory. */
  readonly budget: BodyBudget;
  /** From now on, new connections over TLS get this certificate; those that are open go on. */
  serveWith(context: SecureContextOptions): void;
  /** Ends the connections of clients whose certificates count no longer. */
  dismiss(isRefused: (certificate: X509Certificate) => boolean): void;
  listen(at: { readonly host: string; readonly port: number }): Promise<void>;
  /** Takes no more connections; resolves when those with a request under way have ended. */
  close(): Promise<void>;
}

export function createHttpServer({ routes, ...options }: HttpServerOptions): HttpServer {
  const { log, metrics, gate, clock } = options;
  const underWay = new UnderWay(options.identities);
  const budget = new BodyBudget(options.largestBodyBytes);
  const connections = new Connections({ max: options.maxConnections, clock, log });
  metrics.watch(frontMetrics(connections, budget));
  const endpointOf = (route: Route, { identities, gate }: AskedThrough = options) => ({
    route,
    operation: gate.operation(route.id, route),
    reader: requestReader(route, { ...options, identities, gate, underWay }),
    // Of all sites together: there may be thousands.
    count: metrics.answers.counterOf(route.method, route.path.replace(/^\/sites\/[^/]+/, '/sites/:site')),
  });
  const endpoints = new Router(routes, (route) => endpointOf(route));
  const ofSites = new WeakMap<RoutesOfSite, typeof endpoints>();
  /** Undefined: nothing of the kind is answered here. */
  const endpointsOfSite = (sites: ServedSites, { method, url = '' }: IncomingMessage, caller: Caller) => {
    const here = sites.routesOf(url, caller);
    if (here === undefined) return undefined;
    const router = ofSites.get(here.routes) ?? routerOfSite(here.routes);
    ofSites.set(here.routes, router);
    return router.findIfThere({ method, url: here.url });
  };
  const routerOfSite = ({ site, routes, gate }: RoutesOfSite): typeof endpoints => {
    const identities = {
      identify: (credentials: Credentials) => callerAt(options.identities.identify(credentials), site),
    };
    return new Router(routes, (route) => endpointOf(route, { identities, gate }));
  };
  const elsewhere = metrics.answers.counterOf('any', 'none');
  const onBroken = (error: Error) => {
    if (isFault(error)) log.error({ err: error }, 'sending a response failed because of an internal error');
    else log.debug(`a response was interrupted: ${error.message}`);
  };
  const fail = (response: ServerResponse, error: unknown, operation?: GatedOperation) => {
    if (response.headersSent) return onBroken(error as Error);
    if (gate.isStopping) response.setHeader('connection', 'close'); // else it would be waited for
    const { remoteAddress: source } = response.req.socket;
    gate.denied(operation, { caller: nobody, credentials: { source } }, '', error); // where nobody has recorded it yet
    const problem = gate.refuse(operation, error);
    const page = problem.problem === 'not-signed-in' ? signInPageFor(response.req, options) : undefined;
    if (problem.problem === 'unknown-path') response.setHeader('vary', 'accept'); // browsers get the page
    if (page === undefined) sendProblem(response, problem);
    else
      response.writeHead(302, { ...answerHeaders(response.socket), 'cache-control': 'no-store', location: page }).end();
  };

  /** Returns what counts the answer. */
  function take(request: IncomingMessage, response: ServerResponse): (elapsedMs: number) => void {
    let count = elsewhere;
    let operation: GatedOperation | undefined;
    const counting = (elapsedMs: number) => count(response.statusCode, elapsedMs);
    try {
      const fault = formFault(request);
      if (fault !== undefined) throw new ProblemError('malformed-request', fault);
      const { method, url = '' } = request;
      if (options.nodes?.isAsked(url) === true) {
        void options.nodes.answer(request, response);
        return counting;
      }
      const isView = options.navigation?.isPage(request) === true;
      const sites = !isView && options.sites?.isOfSite(url) ? options.sites : undefined;
      const asking = sites && askingOfSites(request, options);
      const ofSite = sites && asking && endpointsOfSite(sites, request, asking.caller);
      if (sites !== undefined && asking !== undefined && ofSite === undefined) {
        sites.forward(request, response, asking).catch((error: unknown) => fail(response, error));
        return counting;
      }
      const isLost =
        ofSite === undefined &&
        !isView &&
        options.navigation?.isOutside(request) === true &&
        endpoints.isNothing(request);
      const isPage = isView || isLost;
      const isSameForAll = isPage || (method === 'GET' && options.isCallback?.(url) === true);
      const isDocument = isSameForAll || (method === 'GET' && options.isDocument(url));
      const refusal = options.guard.refusalOf(guardedRequest(request, isDocument, isSameForAll));
      if (refusal !== undefined) throw new ProblemError(refusal, refusalDetail(request, refusal));
      const found = ofSite ?? endpoints.find(isPage ? { method, url: '/' } : request, response);
      const { reader, operation: asked } = found.endpoint;
      const route = isLost ? answeredWith(found.endpoint.route, 404) : found.endpoint.route;
      if (!isLost) count = found.endpoint.count;
      operation = asked;
      const carryOut = (call: Call) =>
        answer({ route, operation: asked, request, response, call, gate, underWay, onBroken });
      if (route.body === undefined) {
        carryOut(reader.read(request, response, found))?.catch((error: unknown) => fail(response, error, operation));
        return counting;
      }
      const held = budget.open();
      Promise.resolve(reader.readBody(request, response, found, held))
        .then(carryOut)
        .catch((error: unknown) => fail(response, error, operation))
        .finally(() => {
          held.close();
          // An unread body must not block the requests behind it on the connection.
          if (!request.readableEnded) request.unpipe().resume();
        });
    } catch (error) {
      fail(response, error, operation);
    }
    return counting;
  }

  const settings: ServerOptions = {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: headersTimeoutMs,
    requestTimeout: 0, // a body may take its time as long as it comes
    connectionsCheckingInterval,
    requireHostHeader: false, // `formFault` does, and Node would answer by itself
    // Who offers another protocol, such as h2c, is answered in this one; so is who sends a body, or has not waited for answers.
    shouldUpgradeCallback: ({ headers, socket }) =>
      headers.upgrade?.toLowerCase() === 'websocket' && !hasBody(headers) && connections.isIdle(socket),
  };
  const { tls } = options;
  const server: Server =
    tls === undefined ? createServer(settings) : createTlsServer({ ...settings, ...tls, allowHalfOpen: true });
  // A client that has ended its side may still expect the answer.
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  server.on('clientError', (error, socket) => {
    if (!connections.failHandshake(socket as Socket)) answerUnreadable(connections, error, socket as Socket);
  });
  server.on('connect', ({ socket }) => refuseTunnel(connections, socket));
  connections.watch(server, take);
  shareHeaderRoom(server, maxHeaderBytes);
  return {
    server,
    budget,
    listen: async ({ host, port }) => {
      server.listen(port, host);
      await once(server, 'listening');
    },
    serveWith: (context) => (server as Server & Partial<TlsServer>).setSecureContext?.({ ...tls, ...context }),
    dismiss: (isRefused) =>
      connections.dropWhere((socket) => {
        const certificate = certificateShown(socket);
        return certificate !== undefined && isRefused(certificate);
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        connections.dropHandshakes();
      }),
  };
}

/** Throws `ProblemError` where nobody may ask. */
function askingOfSites(
  request: IncomingMessage,
  { guard, identities, credentialsOf }: Pick<HttpServerOptions, 'guard' | 'identities' | 'credentialsOf'>,
): Asking {
  const refusal = guard.refusalOf(guardedRequest(request));
  if (refusal !== undefined) throw new ProblemError(refusal, refusalDetail(request, refusal));
  const credentials = credentialsOf(request);
  const caller = identities.identify(credentials);
  if (caller === nobody) throw new ProblemError('not-signed-in', 'The request has no credentials.');
  return { caller, credentials };
}

/** Not what the route is for: nobody keeps it. */
function answeredWith(route: Route, status: 404): Route {
  const { version: _, ...answer } = route.answer;
  return { ...route, answer: { ...answer, status } };
}

/** It leads back to the document. */
function signInPageFor(request: IncomingMessage, options: Pick<HttpServerOptions, 'signInPage' | 'isDocument'>) {
  const { method, url = '' } = request;
  const { signInPage, isDocument } = options;
  if (signInPage === undefined || method !== 'GET' || !isDocument(url) || !prefersPages(request)) return undefined;
  return `${signInPage}?to=${encodeURIComponent(url)}`;
}

function answerUnreadable(connections: Connections, error: NodeJS.ErrnoException, socket: Socket): void {
  // Headers that wait behind other requests are not read, and so not late.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && !connections.isIdle(socket)) return;
  const end = () => answerClientError(error, socket);
  const isBehind = error.code?.startsWith('HPE_') === true && connections.closeBehind(socket, end);
  if (!isBehind) connections.closeInTurn(socket, end);
}

/** Node hands over the socket, whatever else is in progress on it. */
function refuseTunnel(connections: Connections, socket: Socket): void {
  socket.on('error', () => socket.destroy());
  if (!connections.isIdle(socket)) socket.destroy();
  else {
    connections.closeInTurn(socket, () =>
      endWith(new ProblemError('malformed-request', 'CONNECT does not apply: this is no proxy.'), socket.resume()),
    );
  }
}

function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

function refusalDetail({ headers }: IncomingMessage, refusal: string): string {
  if (refusal === 'foreign-host') return `The Host is ${quoted(headers.host)}, which is no name of this service.`;
  const site = headers['sec-fetch-site'] as string | undefined;
  return `The Origin is ${quoted(headers.origin)}, Sec-Fetch-Site ${quoted(site)}: a page of another origin asks.`;
}

/** Other problems are caused by the client, or temporary. */
function isFault(error: Error): boolean {
  return !(error instanceof ProblemError) || error.status === 500;
}

function quoted(header: string | undefined): string {
  return header === undefined ? 'missing' : JSON.stringify(header.slice(0, 200));
}
