// Watches the data folder and its files: a file that was removed, moved away or replaced still accepts writes, which
// are then lost. Files are identified by device and inode; a file that is put back counts as never removed.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@telltale/schema';
import type { Logger } from 'pino';

export interface FolderWatchOptions {
  readonly path: string;
  readonly names: readonly string[];
  readonly clock: Clock;
  /** Something is missing, and what; or, undefined, everything is there again. */
  readonly onFault: (reason: string | undefined) => void;
}

const periodMs = 1000;

export class FolderWatch {
  readonly #options: FolderWatchOptions;
  readonly #identities = new Map<string, string>();
  /** Paths that get another file by the server's own doing, and how often just now. */
  readonly #changing = new Map<string, number>();
  #failure: string | undefined;
  #cancel: (() => void) | undefined;
  #isClosed = false;

  constructor(options: FolderWatchOptions) {
    this.#options = options;
  }

  /** Why data that is written now would be lost; undefined where everything is there. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** What is there now must stay. */
  async open(): Promise<void> {
    const { path, names } = this.#options;
    for (const each of [path, ...names.map((name) => join(path, name))]) {
      const identity = await identityOf(each);
      if (identity !== gone) this.#identities.set(each, identity); // what could not be made yet is not missed
    }
    this.#wait();
  }

  /** The server itself replaces the file of this name. */
  async whileReplacing<Result>(name: string, replace: () => Promise<Result>): Promise<Result> {
    const path = join(this.#options.path, name);
    this.#changing.set(path, (this.#changing.get(path) ?? 0) + 1);
    try {
      return await replace();
    } finally {
      if (this.#identities.has(path)) this.#identities.set(path, await identityOf(path));
      const others = (this.#changing.get(path) ?? 1) - 1;
      if (others > 0) this.#changing.set(path, others);
      else this.#changing.delete(path);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
  }

  #wait(): void {
    if (!this.#isClosed) this.#cancel = this.#options.clock.after(periodMs, () => this.#look());
  }

  async #look(): Promise<void> {
    const found = await this.#gone();
    if (this.#isClosed) return;
    if (found !== this.#failure) {
      this.#failure = found;
      this.#options.onFault(found);
    }
    this.#wait();
  }

  async #gone(): Promise<string | undefined> {
    for (const [path, identity] of this.#identities) {
      if (this.#changing.has(path)) continue;
      const now = await identityOf(path);
      if (now === identity || this.#changing.has(path)) continue;
      return now === gone ? `${path} was removed or moved away` : `${path} was replaced by something else`;
    }
    return undefined;
  }
}

/** The files of the service itself; what becomes of them is in the log. */
export function watchDataFolder({ path, clock, log }: Pick<FolderWatchOptions, 'path' | 'clock'> & { log: Logger }) {
  return new FolderWatch({
    path,
    names: ['cfgdb.sqlite', 'state.sqlite', 'access.sqlite', 'archive', 'audit'],
    clock,
    onFault: (reason) => {
      if (reason === undefined) log.info('the data folder is whole again');
      else log.error(`${reason}: nothing is written until it is put back`);
    },
  });
}

const gone = 'gone';

async function identityOf(path: string): Promise<string> {
  try {
    const { dev, ino } = await stat(path, { bigint: true });
    return `${dev} ${ino}`;
  } catch {
    return gone;
  }
}
