// The archive over HTTP, and its operations for the channel.
export { ArchiveOperations, type ReadOptions } from './archive-operations.ts';
export { progressPages } from './archive-wire.ts';
export { visitorOf } from './visitor-of.ts';
