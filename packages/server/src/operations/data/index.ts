// The data-access interface, version 1.
export { type DatabaseSelection, type IsWanted, LiveData, type ReadBytes, type Selection } from './live-data.ts';
