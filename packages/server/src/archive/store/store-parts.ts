// What the parts of the store share.
import type { Clock } from '@telltale/schema';
import type { Catalogue } from '../files/catalogue.ts';
import type { Damage } from '../files/damage.ts';
import type { Disk } from '../files/disk.ts';
import type { BlockList } from './block-list.ts';
import type { Erasures } from './erasures.ts';
import type { Generations } from './generations.ts';
import type { Inventory } from './inventory.ts';
import type { Retention } from './retention.ts';
import type { SteadyClock } from './steady-clock.ts';

export interface StoreParts {
  readonly folder: string;
  readonly disk: Disk;
  readonly clock: Clock;
  /** Asked before anything is deleted for its age. */
  readonly steady: SteadyClock;
  readonly catalogue: Catalogue;
  readonly generations: Generations;
  readonly blocks: BlockList;
  readonly erasures: Erasures;
  readonly inventory: Inventory;
  readonly onDamage: (damage: Damage) => void;
  /** Replaced as a whole when it is set. */
  retention: Retention;
}
