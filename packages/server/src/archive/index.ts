// The archive: the history of measurements, commands and alarms.
export { Archive, UnusableArchive } from './archive.ts';
export * from './archive-access.ts';
export { BadParcel, decodeParcel, decodeParcelHead, type ParcelHead } from './parcel/decode-parcel.ts';
export { encodeParcel } from './parcel/encode-parcel.ts';
export * from './parcel/parcel.ts';
export { readPlace } from './query/newest-transitions.ts';
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
export { isArchived } from './rules/rule-table.ts';
export { Turnstile, type Visitor } from './turnstile.ts';
