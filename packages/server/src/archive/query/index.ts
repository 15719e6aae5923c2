// What a thread needs that answers queries of records which are elsewhere, without what the rest of the server needs of the archive.

export { powersOfTen } from '../codec/decimals.ts';
export type { Summary } from '../codec/summary.ts';
export type { Parcel, Section } from '../parcel/parcel.ts';
export { Columns, type Series, simulated } from '../records.ts';
export { dropReplaced } from '../store/tail.ts';
export { sortByTime } from '../store/time-order.ts';
export type { Arrival, Block, Chunk } from './block.ts';
export { firstFrom } from './time-search.ts';
export { TombstoneFilter } from './tombstone-filter.ts';
