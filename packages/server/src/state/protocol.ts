// What the thread that keeps the live state and its client say to each other.
export const keptFamilies = ['commands', 'alarms', 'simulations', 'uploads'] as const;
export type KeptFamily = (typeof keptFamilies)[number];

/** One object that is to be kept, as JSON text, or forgotten. */
export interface Entry {
  readonly family: KeptFamily;
  readonly name: string;
  readonly text: string | null;
}

/**
 * The database file, first; then what is to be on disk together, nothing being a trial of the disk, and whether somebody
 * knows what is missing; or the end. The next one comes after the answer.
 */
export type Request = { readonly open: string } | Commit | { readonly close: true };

export interface Commit {
  readonly entries: readonly Entry[];
  readonly acknowledges: boolean;
}

export type Answer = { readonly kept: true } | { readonly kept: false; readonly reason: string };

/** The first answer of the thread: what the file has, and what it should have; or why it cannot be opened. */
export type Opened =
  | { readonly entries: readonly Entry[]; readonly missing: readonly string[] }
  | { readonly unusable: string };
