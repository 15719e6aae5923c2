// What the parts of the store share.
import type { Clock } from '@telltale/schema';
import type { Damage } from '../files/damage.ts';
import type { Destinations } from '../outgoing/destinations.ts';
import type { OutgoingParts } from '../outgoing/outgoing-parts.ts';
import type { Epochs } from './epochs.ts';
import type { Inventory } from './inventory.ts';
import type { Retention } from './retention.ts';
import type { SteadyClock } from './steady-clock.ts';

export interface StoreParts extends OutgoingParts {
  readonly clock: Clock;
  /** Asked before anything is deleted for its age. */
  readonly steady: SteadyClock;
  readonly inventory: Inventory;
  readonly onDamage: (damage: Damage) => void;
  readonly epochs: Epochs;
  readonly outgoing: Destinations;
  /** Replaced as a whole when it is set. */
  retention: Retention;
}
