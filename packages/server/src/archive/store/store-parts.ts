// What the parts of the store share.
import type { Clock } from '@telltale/schema';
import type { Damage } from '../files/damage.ts';
import type { Outgoing } from '../outgoing/outgoing.ts';
import type { OutgoingParts } from '../outgoing/outgoing-parts.ts';
import type { Inventory } from './inventory.ts';
import type { Retention } from './retention.ts';
import type { SteadyClock } from './steady-clock.ts';

export interface StoreParts extends OutgoingParts {
  readonly clock: Clock;
  /** Asked before anything is deleted for its age. */
  readonly steady: SteadyClock;
  readonly inventory: Inventory;
  readonly onDamage: (damage: Damage) => void;
  /** Undefined: the archive goes nowhere. */
  outgoing: Outgoing | undefined;
  /** Replaced as a whole when it is set. */
  retention: Retention;
}
