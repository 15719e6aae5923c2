// What the parts of the store share.
import type { Damage } from '../files/damage.ts';
import type { Inventory, ListedParts } from './inventory.ts';
import type { Retention } from './retention.ts';
import type { SteadyClock } from './steady-clock.ts';
import type { Tombstones } from './tombstones.ts';

export interface StoreParts extends ListedParts {
  readonly folder: string;
  /** Asked before anything is deleted for its age. */
  readonly steady: SteadyClock;
  readonly tombstones: Tombstones;
  readonly inventory: Inventory;
  readonly onDamage: (damage: Damage) => void;
  /** Replaced as a whole when it is set. */
  retention: Retention;
}
