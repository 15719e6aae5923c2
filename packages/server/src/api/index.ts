// The HTTP interfaces.
export { answerHeaders } from './answer-headers.ts';
export { ChannelRequests, ChannelServer, Watches } from './channel/index.ts';
export { connectionLimits, mostFiles } from './connection-limits.ts';
export { type CredentialsReader, credentialsReader, type Entrance } from './credentials.ts';
export { documentsOf, isDocument, pagePolicy, setupPage, setupPolicy, signInPage, signInPolicy } from './documents.ts';
export {
  createHttpServer,
  type HttpServer,
  type HttpServerOptions,
  type RoutesOfSite,
  type ServedNodes,
  type ServedSites,
} from './http-server.ts';
export { type Metric, Metrics, type Sample } from './metrics.ts';
export { type OpenApi, openApiDocument } from './openapi.ts';
export { operationRoutes } from './operation-routes.ts';
export { pageNavigation } from './page-navigation.ts';
export { objectOf, type Route } from './route.ts';
export { Router } from './router.ts';
