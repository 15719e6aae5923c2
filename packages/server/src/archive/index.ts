// The archive: the history of measurements, commands and alarms.
export * from './archive-access.ts';
export { type Kind, kinds, type SeriesKey } from './records.ts';
