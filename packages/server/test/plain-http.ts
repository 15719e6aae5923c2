// The real HTTP server around the routes of a test, always available, with room enough for any test that does not say
// otherwise.
import { type BodyLimit, systemClock } from '@telltale/schema';
import pino from 'pino';
import { overTls } from '../../../test/over-tls.ts';
import { OriginGuard, TrustedProxies } from '../src/access/index.ts';
import {
  createHttpServer,
  credentialsReader,
  type HttpServer,
  type HttpServerOptions,
  Metrics,
  operationRoutes,
  type Route,
} from '../src/api/index.ts';
import { Gate, type Implementations } from '../src/operations/index.ts';
import { tlsOptions } from '../src/tls/index.ts';
import { openAccess } from './open-access.ts';

export const plainCredentials = credentialsReader({ proxies: new TrustedProxies(undefined), clock: systemClock });

/** Always available, to whoever may. */
export const openGate = new Gate({ unavailable: () => undefined, log: pino({ level: 'silent' }) });

export function plainHttp(options: Pick<HttpServerOptions, 'routes'> & Partial<HttpServerOptions>): HttpServer {
  const { pair } = overTls;
  return createHttpServer({
    identities: openAccess(),
    credentialsOf: plainCredentials,
    log: pino({ level: 'silent' }),
    metrics: new Metrics(),
    gate: openGate,
    isDocument: () => false,
    clock: systemClock,
    maxConnections: 1000,
    largestBodyBytes: 64 << 20,
    guard: new OriginGuard({ host: '127.0.0.1' }),
    ...(pair && { tls: { ...tlsOptions, cert: pair.certificate, key: pair.key } }),
    ...options,
  });
}

const enough: Record<BodyLimit, number> = {
  'max-json-size': 64 << 20,
  'max-database-size': 64 << 20,
  'max-executable-size': 64 << 20,
  'max-backfill-size': 64 << 20,
};

/** The real routes of some operations, at their usual paths. */
export function plainRoutes(
  implementations: Partial<Implementations>,
  limits: Partial<typeof enough> = {},
  gate = openGate,
): Route[] {
  const paths = { data: '/data', config: '/config/v2', access: '/access' };
  return operationRoutes({ implementations, paths, gate, limits: { ...enough, ...limits } });
}
