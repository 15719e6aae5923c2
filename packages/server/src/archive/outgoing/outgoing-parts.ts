// What of the store is needed to say what is to be sent.
import type { ListedParts } from '../store/inventory.ts';
import type { Tombstones } from '../store/tombstones.ts';

export interface OutgoingParts extends Omit<ListedParts, 'clock'> {
  readonly folder: string;
  readonly tombstones: Tombstones;
}
