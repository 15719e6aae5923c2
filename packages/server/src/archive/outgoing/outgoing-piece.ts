// What the thread of the archive hands to the sender. Plain data: it crosses to another thread as it is.
import type { ParcelErasure } from '../parcel/parcel.ts';
import type { Series } from '../records.ts';
import type { Position } from './position.ts';

export interface OutgoingPiece extends OutgoingCounts {
  /** What is sent with the rest of this, but for the block. */
  readonly position: Position;
  /** Those that the store does not know, or by another name. */
  readonly series: readonly Series[];
  /** Numbers of those that it knows by another name. */
  readonly renamed: readonly number[];
  readonly erasures: readonly ParcelErasure[];
  readonly live: readonly LiveRecords[];
  readonly block: NextBlock | undefined;
  /** Everything of the present epoch is sent by this position: this one comes next. Undefined: there is more, or no other epoch. */
  readonly nextEpoch: number | undefined;
}

export interface OutgoingCounts {
  readonly discarded: Discarded;
  /** Records that were stored, since the archive is sent. */
  readonly stored: number;
  /** Records that were discarded before they came to the archive. */
  readonly dropped: number;
  /** Records that wait to be sent after this, about; and the time of the oldest, 0 where nothing waits. */
  readonly waiting: number;
  readonly oldestUnsentUs: number;
}

/** Records in order of arrival. */
export interface LiveRecords {
  /** Places. */
  readonly from: number;
  readonly to: number;
  readonly series: Uint32Array<ArrayBuffer>;
  readonly times: Float64Array<ArrayBuffer>;
  /** Doubles or 64-bit integers; of texts nothing that counts. */
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly qualities: Uint16Array<ArrayBuffer>;
  /** By position. */
  readonly texts: readonly string[];
  /** 1: it was erased meanwhile. Undefined: none was. */
  readonly isErased: Uint8Array<ArrayBuffer> | undefined;
}

/** A block of which something is to be sent; or there is none left in the first range. */
export type NextBlock = BlockToSend | { readonly path: undefined };

export interface BlockToSend {
  readonly path: string;
  readonly partition: number;
  readonly genFrom: number;
  readonly genTo: number;
  readonly isRepeated: boolean;
  /** Records up to here were sent. */
  readonly after: { readonly series: number; readonly timeUs: number } | undefined;
  /** Of all series. */
  readonly erased: readonly ErasedOfBlock[];
}

export interface ErasedOfBlock {
  readonly seq: number;
  readonly series: number;
  readonly sinceUs: number;
  readonly untilUs: number;
}

/** Records that were deleted before they were sent, since the archive is sent. */
export interface Discarded {
  readonly count: number;
  readonly sinceUs: number;
  readonly untilUs: number;
}

export const nothingDiscarded: Discarded = { count: 0, sinceUs: 0, untilUs: 0 };

/** What goes to another thread without a copy. */
export function buffersOfPiece({ live }: OutgoingPiece): ArrayBuffer[] {
  return live.flatMap(({ series, times, numbers, qualities, isErased }) =>
    [series, times, numbers, qualities, isErased].flatMap((column) => column?.buffer ?? []),
  );
}
