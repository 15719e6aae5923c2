// What the main thread and the thread that parses imports say to each other, on one port an import. Whoever closes the
// port ends the import.
import type { MessagePort } from 'node:worker_threads';
import { type BatchMessage, type Datatype, type Fault, ProblemError, type ProblemName } from '@telltale/schema';

/** Whose records they are. */
export interface ImportKey {
  readonly kind: 'measurements' | 'commands';
  readonly name: string;
  readonly datatype: Datatype;
}

/** To the thread: an import begins. */
export interface BeginImport {
  readonly key: ImportKey;
  /** The type of the body. */
  readonly type: string;
  readonly port: MessagePort;
}

export interface SentProblem {
  readonly problem: ProblemName;
  readonly detail: string;
  readonly errors: Fault[] | undefined;
}

export function sentProblem({ problem, message: detail, errors }: ProblemError): SentProblem {
  return { problem, detail, errors };
}

export function receivedProblem({ problem, detail, errors }: SentProblem): ProblemError {
  return new ProblemError(problem, detail, errors);
}

export type ToImport =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** Of the body. */
  | { readonly kind: 'end' }
  /** What became of the last batch. */
  | { readonly kind: 'stored' }
  | { readonly kind: 'refused'; readonly problem: SentProblem };

export type FromImport =
  /** So many bytes were parsed: as many more may be sent. */
  | { readonly kind: 'parsed'; readonly bytes: number }
  /** The next one comes after the answer to this one. */
  | { readonly kind: 'batch'; readonly batch: BatchMessage }
  /** All records are stored. */
  | { readonly kind: 'done' }
  | { readonly kind: 'refused'; readonly problem: SentProblem }
  /** A fault of the server. */
  | { readonly kind: 'failed'; readonly error: unknown };
