// The archive: the history of measurements, commands and alarms.
export { Archive, UnusableArchive } from './archive.ts';
export * from './archive-access.ts';
export { readPlace } from './query/newest-transitions.ts';
export { type Kind, kinds, type SeriesKey, type SeriesRename } from './records.ts';
export { Archiving, type ArchivingStats } from './rules/archiving.ts';
export { isArchived } from './rules/rule-table.ts';
export { Turnstile, type Visitor } from './turnstile.ts';
