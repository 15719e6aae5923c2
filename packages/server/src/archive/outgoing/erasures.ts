// What was erased, as it is sent.
import { everySeries, type Tombstone, wholeGeneration } from '../files/tombstones-file.ts';
import { type ParcelErasure, parcelLimits, placeOf } from '../parcel/parcel.ts';
import type { MemoryRecords } from './memory-records.ts';
import type { OutgoingParts } from './outgoing-parts.ts';

export interface SentErasures {
  readonly erasures: readonly ParcelErasure[];
  /** All up to this one are among them, or were sent before. */
  readonly erased: number;
  /** None is left. */
  readonly areAll: boolean;
}

/** At most so many of those that came after one, up to the last one of the epoch. */
export function erasuresAfter(
  { tombstones }: Pick<OutgoingParts, 'tombstones'>,
  memory: MemoryRecords,
  { after, last, most }: { readonly after: number; readonly last: number; readonly most: number },
): SentErasures {
  const ofEpoch = tombstones.after(after).filter(({ seq }) => seq <= last);
  const fresh = ofEpoch.slice(0, Math.min(most, parcelLimits.erasures));
  const own = fresh.filter(({ series, offset }) => series !== everySeries && !isOfOther({ offset }));
  const erasures = own.map((tombstone): ParcelErasure => {
    const { series, sinceUs, untilUs } = tombstone;
    return { series, sinceUs, untilUs, place: placeAt(tombstone) };
  });
  // Those that are forgotten by now had nothing to erase.
  const areAll = fresh.length === ofEpoch.length;
  const erased = areAll ? Math.max(after, Math.min(last, tombstones.lastSeq)) : (fresh.at(-1)?.seq ?? after);
  return { erasures, erased, areAll };

  /** Of a generation in blocks its end: it is sent from them without what was erased, or was sent before the erasure. */
  function placeAt({ seq, generation }: Pick<Tombstone, 'seq' | 'generation'>): number {
    const table = memory.table(generation);
    if (table === undefined) return placeOf(generation + 1, 0) - 1;
    return placeOf(generation, tombstones.positionOf(seq) ?? table.committed);
  }
}

/** What another node has erased, it says itself to whoever has to know. */
function isOfOther({ offset }: Pick<Tombstone, 'offset'>): boolean {
  return offset === wholeGeneration;
}
