// What a command line was found to mean: which server, and who it asks as.

export interface ChosenServer {
  readonly url: string;
  /** The name of the context that it is of. */
  readonly context?: string;
  /** Certificates of whom to trust, as the context has it. */
  readonly caFile?: string;
  /** What it was chosen by, for people. */
  readonly by: string;
}

export interface Key {
  readonly url: string;
  /** Signed in with `--context`, or while it was the current one; else for the address, however it is named. */
  readonly context?: string;
  readonly user: string;
  /** The name of the token, by which it can be deleted. */
  readonly name: string;
  readonly token: string;
  /** In seconds since 1970. */
  readonly expires: number;
}

export interface ChosenToken {
  readonly token: string;
  /** What it was chosen by, for people. */
  readonly by: '--token-file' | 'TELLTALE_TOKEN' | 'telltale login';
  /** Of the keyring. */
  readonly key?: Key;
}
