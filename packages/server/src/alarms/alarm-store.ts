// What the alarms want of the disk; the composition hands in who does it.
import type { AlarmState } from '@telltale/schema';

/** The last transition of an alarm. */
export interface StoredAlarm {
  readonly name: string;
  readonly state: AlarmState;
  readonly timeUs: number;
  readonly authority: string;
  /** What its device said of it. */
  readonly message?: string | undefined;
}

/** Carries out in the order of the calls. A rejection means that the call has changed nothing. */
export interface AlarmStore {
  /** Resolves when it is on disk. */
  saveAlarm(alarm: StoredAlarm): Promise<void>;
  /** Resolves when nothing is on disk about the name. */
  deleteAlarm(name: string): Promise<void>;
}
