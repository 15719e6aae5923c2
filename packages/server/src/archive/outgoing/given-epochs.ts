// The epochs that a lease has given to an archive, and of which nothing was sent yet.
import type { GivenEpoch } from '../files/outgoing-file.ts';
import { placeOf } from '../parcel/parcel.ts';
import type { DestinationParts } from './outgoing-parts.ts';

/** With more of them, the last one has what the others would have. */
const mostGiven = 100;

/** Where there is none: everything is of the present epoch. */
export const noneGiven = { from: Number.POSITIVE_INFINITY, erased: Number.POSITIVE_INFINITY } as const;

/** In order; those of which nothing was recorded are left out. */
export function withNext(given: readonly GivenEpoch[], next: GivenEpoch): GivenEpoch[] {
  const recorded = given.filter(({ from }) => from < next.from);
  const last = recorded[mostGiven - 1];
  if (last === undefined) return [...recorded, next];
  return [...recorded.slice(0, mostGiven - 1), { ...last, epoch: next.epoch }];
}

/** Of the epochs that a lease has given before the archive went there. */
export function givenSoFar({ epochs }: DestinationParts): GivenEpoch[] {
  const own = epochs.spans.filter(({ epoch }) => epoch > 0);
  return own.map(({ epoch, from, erased }) => ({ epoch, from: placeOf(from, 0), erased }));
}
