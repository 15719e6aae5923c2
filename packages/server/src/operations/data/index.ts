// The data-access interface, version 1.
export type { ChangedKind, Place } from './begin-order.ts';
export { DataAccess, type DatabaseSelection, type IsWanted, type ReadBytes, type Selection } from './data-access.ts';
