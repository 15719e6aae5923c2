// How the service carries out the operations of the catalogue. One that is declared and not implemented does not compile.
import type { Readable } from 'node:stream';
import type { InputOf, OperationName, operations, WatchOperationName } from '@telltale/schema';
import type { Caller, Credentials } from '../../access/index.ts';
import type { Note } from '../recording.ts';

/** What a transport knows about the caller. */
export interface Asked {
  /** The caller; it has permission. */
  readonly caller: Caller;
  /** What it brought, and from where. */
  readonly credentials: Credentials;
  /** Aborted when the caller is gone before the answer. The same one each time. */
  readonly signal: () => AbortSignal;
  /** Its connection: the same one for all requests of a connection. */
  readonly connection: { readonly remoteAddress?: string | undefined };
  /** The type of the answer that the client prefers. */
  readonly type: string;
  /** Of a rendering that was signed: where the configuration is another one by now, it is refused. */
  readonly version?: string | undefined;
  /** Adds to the record of an audited operation. */
  readonly note: Note;
}

/** With a body that is not input. */
export interface AskedWithBody extends Asked {
  /** All of a body of JSON, or of one that is declared so, not yet parsed. */
  readonly whole: Uint8Array;
  /** The body of an operation that takes bytes; it fails with a problem when it grows too long. */
  readonly stream: Readable;
  /** Of the body, where there is one. */
  readonly bodyType: string;
}

type AskedOf<N extends OperationName> = (typeof operations)[N] extends { readonly http: { readonly body: infer Body } }
  ? Body extends { readonly isInput: true }
    ? Asked
    : AskedWithBody
  : Asked;

/** Gives, or resolves with, nothing, bytes, text of the answer's type, data for JSON, or a streamed reply. */
export type Run<N extends OperationName> = (input: InputOf<N>, asked: AskedOf<N>) => unknown;

/** With the cache validator of its answer. */
export interface Versioned<N extends OperationName> {
  readonly run: Run<N>;
  /** Equal texts mean that this caller would be answered the same again; undefined: nobody knows. Of the query it knows nothing. */
  readonly version: (asked: Asked, path: { readonly name: string }) => string | undefined;
}

/** Watches are carried out by the channel, which knows its clients. */
export type ImplementedName = Exclude<OperationName, WatchOperationName>;

export type Implementations = {
  readonly [N in ImplementedName]: (typeof operations)[N] extends {
    readonly http: { readonly answer: { readonly isVersioned: true } };
  }
    ? Versioned<N>
    : Run<N>;
};

/** Whichever an operation takes of it. */
export function runOf<N extends ImplementedName>(
  implementation: Run<N> | Versioned<N>,
): (input: InputOf<N>, asked: AskedWithBody) => unknown {
  const run = typeof implementation === 'function' ? implementation : implementation.run;
  return run as (input: InputOf<N>, asked: AskedWithBody) => unknown;
}
