// What the thread that keeps the live state can be asked for.
export const storedFamilies = ['commands', 'alarms', 'simulations', 'uploads', 'disabled-links'] as const;
export type StoredFamily = (typeof storedFamilies)[number];

/** One object to store, as JSON text, or to delete. */
export interface Entry {
  readonly family: StoredFamily;
  readonly name: string;
  readonly text: string | null;
}

export interface StateThread {
  /** First: what the database file at this path has, and what it should have; or why it cannot be opened. */
  open(path: string): Opened;
  /** Commits entries together, and whether what is missing is acknowledged; none: tries the disk. Returns its error. */
  commit(entries: readonly Entry[], acknowledges: boolean): string | undefined;
  /** Last. */
  close(): void;
}

export type Opened =
  | { readonly entries: readonly Entry[]; readonly missing: readonly string[] }
  | { readonly unusable: string };
