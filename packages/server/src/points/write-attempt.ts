// The newest write to a command that was asked for, whatever became of it: for people who ask why it is what it is.
import { type CommandWrite, ProblemError } from '@telltale/schema';

export interface WriteAttempt {
  /** As it was given; a long one is cut. */
  readonly value: string;
  readonly timeUs: number;
  readonly by: string | undefined;
  outcome: CommandWrite['outcome'];
  /** What the device or the service said. */
  error: string | undefined;
}

const mostCharacters = 200;

export function beginAttempt(value: string, timeUs: number, by: string | undefined): WriteAttempt {
  const shown = value.length <= mostCharacters ? value : `${value.slice(0, mostCharacters).toWellFormed()}…`;
  return { value: shown, timeUs, by, outcome: 'underway', error: undefined };
}

/** `hasDevice`: else the disk is where it goes, and what that refuses was not written. */
export function failAttempt(attempt: WriteAttempt, error: unknown, hasDevice: boolean): void {
  attempt.error = (error as Error).message;
  attempt.outcome = outcomeOf(error, hasDevice);
}

function outcomeOf(error: unknown, hasDevice: boolean): CommandWrite['outcome'] {
  if (!(error instanceof ProblemError) || error.problem === 'write-timeout') return 'unknown';
  return error.problem === 'storage-failed' && hasDevice ? 'accepted' : 'refused';
}
