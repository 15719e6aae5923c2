// Answers of operations that are not bytes at once.
import type { Readable } from 'node:stream';

export interface StreamReply {
  readonly stream: Readable;
  readonly size: number;
  readonly filename: string;
}

/** An answer with headers of its own. */
export interface WithHeaders {
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** Undefined where the answer has none. */
  readonly body: unknown;
}

/** Bytes that a browser saves as a file, of a type that the request chose. */
export interface FileReply {
  readonly file: Uint8Array;
  readonly type: string;
  readonly filename: string;
}

/** The same bytes, plain and compressed, of which the client gets what it takes. */
export interface CodedReply {
  readonly type: string;
  readonly codings: { readonly identity: Uint8Array; readonly br?: Uint8Array; readonly gzip?: Uint8Array };
}

/** An answer of any length, sent as fast as the client takes it. */
export interface PagesReply {
  readonly pages: AsyncIterable<Uint8Array>;
  /** Ends them at once: the client is gone, or requested only the headers. */
  readonly cancel: () => void;
}
