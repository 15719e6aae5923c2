// The HTTP interfaces.
export { ArchiveOperations, archiveRoutes } from './archive/index.ts';
export { ChannelRequests, ChannelServer, Watches } from './channel/index.ts';
export { configRoutes, type Losses, type StackCatalogue } from './config/index.ts';
export { connectionLimits, mostFiles } from './connection-limits.ts';
export { DataAccess, dataRoutes } from './data/index.ts';
export { diagnosticRoutes, StackAccess } from './diagnostics/index.ts';
export { createHttpServer, type HttpServer, type HttpServerOptions } from './http-server.ts';
export { Metrics } from './metrics.ts';
export { ModuleAccess, moduleRoutes } from './modules/index.ts';
export { type OpenApi, openApiDocument } from './openapi.ts';
export type { Route } from './route.ts';
export { documents, probes, serviceRoutes } from './service.ts';
export { serviceMetrics } from './service-metrics.ts';
