// The data-access interface, version 1.
export { alarmTriggers } from './alarm-triggers.ts';
export {
  type DatabaseSelection,
  type IsWanted,
  LiveData,
  type LiveKindName,
  type ReadBytes,
  type Reader,
  type Selection,
} from './live-data.ts';
export { liveAlarm, type PlantCounts, plantCounts } from './plant-counts.ts';
export { RateMeter } from './rate-meter.ts';
export type { View, Views } from './views.ts';
