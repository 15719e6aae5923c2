// The archive: the history of measurements, commands and alarms.
export { Archive, UnusableArchive } from './archive.ts';
export * from './archive-access.ts';
export { type Damage, Damaged } from './files/damage.ts';
export { isMissing } from './files/damaged-files.ts';
export { replaceFile, systemDisk } from './files/disk.ts';
export type { OutgoingAccess, OutgoingClient, ReceivedState, TakenParcel } from './protocol.ts';
export { placeText, readPlace } from './query/newest-transitions.ts';
export {
  Columns,
  type Kind,
  kinds,
  replaces,
  type Series,
  type SeriesKey,
  type SeriesRename,
  simulated,
  storedBits,
} from './records.ts';
export { Archiving, type ArchivingStats } from './rules/archiving.ts';
export type { RecordSink } from './rules/recorder.ts';
export { isArchived } from './rules/rule-table.ts';
export { type QueryCounts, type QueryThread, type QueryThreadEvents, RunningQueries } from './running-queries.ts';
export { Turnstile, type Visitor } from './turnstile.ts';
