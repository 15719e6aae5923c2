// What of the store is needed to say what is to be sent.
import type { Epochs } from '../store/epochs.ts';
import type { ListedParts } from '../store/inventory.ts';
import type { Tombstones } from '../store/tombstones.ts';

export interface OutgoingParts extends Omit<ListedParts, 'clock'> {
  readonly folder: string;
  readonly tombstones: Tombstones;
  readonly epochs: Epochs;
}

/** And of one of the destinations. */
export interface DestinationParts extends OutgoingParts {
  /** The name of a node, or `theStore`. */
  readonly destination: string;
  /** Whether one of them needs a generation, which is in blocks, as it came. */
  readonly isRetained: (generation: number) => boolean;
}
