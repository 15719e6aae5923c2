// One value read from a device, as the chain takes it.
import type { StoredValue } from '@telltale/schema';

export interface Reading {
  /** Undefined where there was none that could be read. */
  readonly value: StoredValue | undefined;
  readonly quality: number;
  readonly timeUs: number;
}

/** A reading without its value. */
export type PointStatus = Omit<Reading, 'value'>;
