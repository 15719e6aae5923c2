// Runs changes of the configuration, and says what a failing disk means for the client.
import { ProblemError } from '@telltale/schema';
import { ReplacedUnsynced } from './replace-database.ts';

/** Thrown to end a transaction that should leave nothing behind. */
export class RolledBack extends Error {}

export class DiskRefused extends ProblemError {
  readonly reason: string;

  constructor(reason: string, outcome = 'nothing was changed') {
    super('storage-failed', `${reason}; ${outcome}.`);
    this.reason = reason;
  }
}

/** Problems of the client's own pass through. */
export function onDisk(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (error instanceof RolledBack) return;
    if (error instanceof ProblemError) throw error;
    if (error instanceof ReplacedUnsynced) {
      throw new DiskRefused(error.message, 'the database was replaced, and may be the one before after a power cut');
    }
    throw new DiskRefused((error as Error).message);
  }
}
