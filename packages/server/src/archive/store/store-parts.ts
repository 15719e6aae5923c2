// What the parts of the store share.
import type { Damage } from '../files/damage.ts';
import type { Erasures } from './erasures.ts';
import type { Inventory, ListedParts } from './inventory.ts';
import type { Retention } from './retention.ts';
import type { SteadyClock } from './steady-clock.ts';

export interface StoreParts extends ListedParts {
  readonly folder: string;
  /** Asked before anything is deleted for its age. */
  readonly steady: SteadyClock;
  readonly erasures: Erasures;
  readonly inventory: Inventory;
  readonly onDamage: (damage: Damage) => void;
  /** Replaced as a whole when it is set. */
  retention: Retention;
}
