// A chunk of the store, as far as it is known without its arrays.
import type { Summary } from '../../archive/query/index.ts';
import type { Place } from './place.ts';

export interface StoredRow extends Place {
  readonly firstUs: number;
  readonly lastUs: number;
  /** Behind others of the same first time and rank. */
  readonly part: number;
  readonly count: number;
  readonly hasSimulated: boolean;
  readonly summary: Summary | undefined;
}
