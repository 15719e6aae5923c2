// How the service carries out the operations of the catalogue. One that is declared and not implemented does not compile.
import type { Readable } from 'node:stream';
import type { InputOf, OperationName, operations } from '@telltale/schema';
import type { Caller } from '../../access/index.ts';

/** What a transport knows of who asks, and of what came along with the input. */
export interface Asked {
  /** Who asks; it may. */
  readonly caller: Caller;
  /** Aborted when whoever asks is gone before the answer. */
  readonly signal: () => AbortSignal;
  /** On which it was asked: the same one for all requests of a connection. */
  readonly connection: { readonly remoteAddress?: string | undefined };
  /** The whole JSON body, not yet parsed. */
  readonly json: Uint8Array;
  /** The body of an operation that takes bytes; it fails with a problem when it grows too long. */
  readonly stream: Readable;
  /** Of the body, where there is one. */
  readonly bodyType: string;
  /** Of the answer, as the client wants it. */
  readonly type: string;
}

/**
 * Gives, or resolves with, nothing, bytes (lent, gathered or neither) or text of the answer's type, data for JSON, a
 * `StreamReply` or a `PagesReply`.
 */
export type Run<N extends OperationName> = (input: InputOf<N>, asked: Asked) => unknown;

/** With what a client may keep of its answer. */
export interface Versioned<N extends OperationName> {
  readonly run: Run<N>;
  /** Equal texts mean that it would be answered the same again. */
  readonly version: () => string;
}

export type Implementations = {
  readonly [N in OperationName]: (typeof operations)[N]['http']['answer'] extends { readonly isVersioned: true }
    ? Versioned<N>
    : Run<N>;
};
