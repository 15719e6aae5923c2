// What the operations of the archive are made of: intervals, imports, and its state on the wire.
export type { ArchiveStorage } from './archive-growth.ts';
export { progressPages, statsOnWire } from './archive-wire.ts';
export { Imports } from './imports.ts';
export { type Interval, readInterval } from './interval.ts';
export { visitorOf } from './visitor-of.ts';
