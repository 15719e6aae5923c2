// The data-access interface, version 1.
export {
  type DatabaseSelection,
  type IsWanted,
  LiveData,
  type LiveKindName,
  type ReadBytes,
  type Reader,
  type Selection,
} from './live-data.ts';
export type { View, Views } from './views.ts';
