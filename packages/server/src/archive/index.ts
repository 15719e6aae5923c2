// The archive: the history of measurements, commands and alarms.
export { Archive, UnusableArchive } from './archive.ts';
export * from './archive-access.ts';
export { type Damage, Damaged } from './files/damage.ts';
export { isMissing } from './files/damaged-files.ts';
export { replaceFile, systemDisk } from './files/disk.ts';
export { BlockSections } from './outgoing/block-section.ts';
export { liveSection } from './outgoing/live-section.ts';
export type { BlockToSend, Discarded, OutgoingCounts, OutgoingPiece } from './outgoing/outgoing-piece.ts';
export { allOfBlock, type Position, positionText } from './outgoing/position.ts';
export {
  BadParcel,
  decodeParcel,
  decodeParcelFront,
  decodeParcelHead,
  type ParcelFront,
  type ParcelHead,
  unpackedBytes,
} from './parcel/decode-parcel.ts';
export { encodeParcel } from './parcel/encode-parcel.ts';
export * from './parcel/parcel.ts';
export type { OutgoingAccess, OutgoingClient } from './protocol.ts';
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
