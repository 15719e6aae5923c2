// What the thread that keeps entries can be asked for.

/** One object to store, as JSON text, or to delete. */
export interface Entry {
  readonly family: string;
  readonly name: string;
  readonly text: string | null;
}

/** The database file of a store. */
export interface EntryForm {
  readonly applicationId: number;
  /** The format of the data folder. */
  readonly version: number;
  /** Whether to create a new file, and report it, where the file is gone; else opening fails. */
  readonly mayBeGone: boolean;
  /** What it means that changes are missing. */
  readonly meaning: string;
}

export interface EntryThread {
  /** First: what the database file at this path has, and what it should have; or why it cannot be opened. */
  open(path: string, form: EntryForm): Opened;
  /** Commits entries together, and whether what is missing is acknowledged; none: tries the disk. Returns its error. */
  commit(entries: readonly Entry[], acknowledges: boolean): string | undefined;
  /** Last. */
  close(): void;
}

export type Opened =
  | { readonly entries: readonly Entry[]; readonly missing: readonly string[] }
  | { readonly unusable: string };
