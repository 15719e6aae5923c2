// What the configuration's thread and its client say to each other.
import type { Family, Fault, ProblemName } from '@telltale/schema';
import type { Configuration } from './configuration.ts';
import type { RenderingBytes } from './rendering.ts';

/** What the thread needs to begin. */
export interface Start {
  /** The database file. */
  readonly path: string;
  /** Module addresses whose default export is a stack. */
  readonly stackModules: readonly string[];
  /** Of `Agreement`. */
  readonly agreement: SharedArrayBuffer;
}

/** Told with every answer, so that nobody has to ask. */
export interface Figures {
  readonly objects: Readonly<Record<Family, number>>;
  readonly upToDate: boolean;
}

/** Everything that can be asked of the configuration. */
export type Operations = Omit<
  Configuration,
  'replace' | 'close' | 'takeRendered' | 'counts' | 'copying' | 'transaction'
> & {
  /** Carries out the operations of a body. Reads go on while it is read. */
  transaction(body: Uint8Array, options: { commit: boolean; render: boolean }, author: string): Promise<void>;
  /** Writes a copy of the objects into a new file at `path`. Reads go on meanwhile; changes wait. */
  writeCopy(path: string): Promise<void>;
  /** Replaces the database by the rows of an uploaded file. */
  upload(path: string, options: { render: boolean }, author: string): Promise<void>;
  /** After all that was asked before: closes the database. */
  close(): void;
};

export type Method = keyof Operations;

/** These are carried out one at a time, in the order of asking. */
export const changes: ReadonlySet<Method> = new Set<Method>([
  'put',
  'delete',
  'transaction',
  'render',
  'restore',
  'upload',
  'acknowledgeMissing',
  'tryDisk',
  'close',
]);
export type Arguments<M extends Method> = Parameters<Operations[M]>;
export type Result<M extends Method> = Awaited<ReturnType<Operations[M]>>;

export interface Request {
  readonly id: number;
  readonly method: Method;
  readonly args: readonly unknown[];
}

export type Answer = {
  readonly id: number;
  /** Of a change: whether what it has proposed is on disk. Then it takes effect, and else it is dropped. */
  readonly isRendered: boolean;
} & (
  | { readonly result: unknown; readonly figures: Figures }
  | {
      readonly problem: ProblemName;
      readonly detail: string;
      readonly errors: Fault[] | undefined;
      /** Why the disk did not take it, where that is the problem. */
      readonly diskReason: string | undefined;
    }
  | { readonly failure: string }
);

/** What an operation is about to render, inside its transaction: the thread waits for the agreement. */
export interface Proposal {
  readonly proposed: RenderingBytes;
}

/** Of arguments and results, those bytes that have their memory for themselves: it is handed over as it is, without a copy. */
export function ownBuffers(values: readonly unknown[]): ArrayBuffer[] {
  return values.flatMap((value) => {
    if (!(value instanceof Uint8Array) || !(value.buffer instanceof ArrayBuffer)) return [];
    return value.byteLength === value.buffer.byteLength ? [value.buffer] : [];
  });
}

/** Gives the memory of such bytes back at once: they may be large, and would lie until they are collected. */
export function release(bytes: Uint8Array): void {
  for (const buffer of ownBuffers([bytes])) buffer.transfer(0);
}

/** The first messages of the thread: what was rendered last, and then whether the rest could be opened, and what it lacks. */
export type Opened =
  | { readonly rendering: RenderingBytes }
  | { readonly opened: true; readonly figures: Figures; readonly missing: readonly string[] }
  | { readonly opened: false; readonly unusable: string };
