// What is counted of the alarms.
import type { AlarmState } from '@telltale/schema';

export interface AlarmCounts {
  readonly byState: Readonly<Record<AlarmState, number>>;
  readonly transitions: number;
  readonly storeFailures: number;
  /** Alarms whose state on disk is not yet the present one. */
  readonly unsaved: number;
  readonly operationsPending: number;
}
