// The data-access interface, version 1.
export { DataAccess, type DatabaseSelection, type IsWanted, type ReadBytes, type Selection } from './data-access.ts';
