// What a thread needs that answers queries of records which are elsewhere, without what the rest of the server needs of the archive.
export type { Parcel, Section } from '../parcel/parcel.ts';
export { Columns, type Series, simulated } from '../records.ts';
export type { Block, Chunk } from './block.ts';
export { TombstoneFilter } from './tombstone-filter.ts';
