// Objects that run under another name: their records and stored states follow, and then the configuration forgets the rename.
// Until that is on disk it is repeated: by this server, or by the next one.
import type { Clock } from '@telltale/schema';
import type { SeriesRename } from './archive/index.ts';
import type { Rename } from './cfgdb/index.ts';

export interface RenameHistoryOptions {
  readonly clock: Clock;
  /** Resolves when it is on disk. */
  readonly renameSeries: (renames: readonly SeriesRename[]) => Promise<void>;
  /** Resolves when the live state is on disk. */
  readonly stateWritten: () => Promise<void>;
  readonly confirm: (renames: readonly Rename[]) => Promise<void>;
}

const retryMs = 1000;

export class RenameHistory {
  readonly #options: RenameHistoryOptions;
  readonly #retries = new Set<() => void>();
  #isClosed = false;

  constructor(options: RenameHistoryOptions) {
    this.#options = options;
  }

  /** At once for what is recorded from now on; on disk later. */
  follow(renames: readonly Rename[]): void {
    if (renames.length > 0 && !this.#isClosed) void this.#carryOut(renames);
  }

  close(): void {
    this.#isClosed = true;
    for (const cancel of this.#retries) cancel();
  }

  async #carryOut(renames: readonly Rename[]): Promise<void> {
    const { clock, renameSeries, stateWritten, confirm } = this.#options;
    try {
      await renameSeries(renames.map(({ family: kind, from, to }) => ({ kind, from, to })));
      await stateWritten();
      await confirm(renames);
    } catch {
      if (this.#isClosed) return; // the next start repeats it
      const cancel = clock.after(retryMs, () => {
        this.#retries.delete(cancel);
        this.follow(renames);
      });
      this.#retries.add(cancel);
    }
  }
}
