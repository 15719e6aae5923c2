// What is sent of the archive: pieces of it, and the parcels that they become. The main thread does without it.
export { BlockSections } from '../outgoing/block-section.ts';
export { liveSection } from '../outgoing/live-section.ts';
export type { BlockToSend, Discarded, OutgoingCounts, OutgoingPiece } from '../outgoing/outgoing-piece.ts';
export { allOfBlock, type Position, positionText } from '../outgoing/position.ts';
export {
  BadParcel,
  decodeParcel,
  decodeParcelFront,
  type ParcelFront,
  unpackedBytes,
} from './decode-parcel.ts';
export { encodeParcel } from './encode-parcel.ts';
export * from './parcel.ts';
