// The archive over HTTP, and its operations for the channel.
export { ArchiveOperations, type ReadOptions } from './archive-operations.ts';
export { archiveRoutes } from './archive-routes.ts';
export { visitorOf } from './visitor-of.ts';
