// Where the value of a command is from.
import type { CommandOrigin, Datatype, StoredValue } from '@telltale/schema';
import type { WriteAttempt } from './write-attempt.ts';

/** Where the value of a command is from, for people who ask. */
export interface CommandView {
  readonly datatype: Datatype;
  readonly value: StoredValue;
  readonly timeUs: number;
  readonly origin: CommandOrigin;
  readonly by: string | undefined;
  /** What the device was sent for it. */
  readonly raw: string | undefined;
  /** The newest since the start. */
  readonly attempt: WriteAttempt | undefined;
}
