// What a thread needs that answers queries of records which are elsewhere, without what the rest of the server needs of the archive.

export type { ReadRequest } from '../archive-access.ts';
export { ByteReader } from '../codec/byte-reader.ts';
export { powersOfTen } from '../codec/decimals.ts';
export { type ChunkSpan, readSummary, type Summary } from '../codec/summary.ts';
export { BadParcel, decodeParcel } from '../parcel/decode-parcel.ts';
export type { Parcel, Section } from '../parcel/parcel.ts';
export type { Begin, ReaderClient, Snapshots } from '../protocol.ts';
export { Reader, type ReaderSource } from '../reader.ts';
export { Columns, type Kind, type Series, simulated } from '../records.ts';
export { needsHead, type SnapshotRequest, snapshotRequest } from '../snapshot-request.ts';
export type { SeriesSnapshot, SnapshotBlock } from '../store/snapshot.ts';
export { dropReplaced } from '../store/tail.ts';
export { sortByTime } from '../store/time-order.ts';
export type { Arrival, Block, Chunk } from './block.ts';
export { firstFrom } from './time-search.ts';
export { TombstoneFilter } from './tombstone-filter.ts';
