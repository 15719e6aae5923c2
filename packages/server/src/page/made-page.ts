// The page as the thread hands it over, and as it is served: its files, each in the codings that a browser may take.

/** Of one file; a coding is missing where it would not be shorter. */
export interface PageFile {
  readonly type: string;
  readonly codings: { readonly identity: Uint8Array; readonly br?: Uint8Array; readonly gzip?: Uint8Array };
}

/** What a request for a file gets. */
export interface PageAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: PageFile;
}

export interface MadePage {
  /** Of the index; assets have theirs in their names. */
  readonly version: string;
  readonly index: PageFile;
  /** By name. */
  readonly assets: ReadonlyMap<string, PageFile>;
}

export interface PageThread {
  make(): MadePage;
}
