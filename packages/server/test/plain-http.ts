// The real HTTP server around the routes of a test, always available, with room enough for any test that does not say
// otherwise.
import { systemClock } from '@telltale/schema';
import pino from 'pino';
import { ModuleTokens } from '../src/access/index.ts';
import { createHttpServer, type HttpServer, type HttpServerOptions, Metrics } from '../src/api/index.ts';

export function plainHttp(options: Pick<HttpServerOptions, 'routes'> & Partial<HttpServerOptions>): HttpServer {
  return createHttpServer({
    tokens: new ModuleTokens(),
    log: pino({ level: 'silent' }),
    metrics: new Metrics(),
    unavailable: () => undefined,
    alwaysAvailable: new Set(),
    documents: new Set(),
    clock: systemClock,
    maxConnections: 1000,
    largestBodyBytes: 64 << 20,
    ...options,
  });
}
