// What the configuration's thread and its client can ask of each other.
import type { Blame, CleanedPicture, CopyRequest, CopyResult, Family } from '@telltale/schema';
import type { SealKeys } from '../secrets/index.ts';
import type { Author } from './authors-rights.ts';
import type { ChangedObjects } from './changed-objects.ts';
import type { Committing, Configuration, Rendering } from './configuration.ts';
import type { Figures } from './content.ts';
import type { CopyOptions } from './copy-objects.ts';
import type { GenerateOptions } from './generate.ts';
import type { PutTableOptions } from './put-table.ts';
import type { Rename } from './renamed-references.ts';
import type { RenderingBytes } from './rendering.ts';
import type { SiteBytes, SiteHead } from './shared/site-bytes.ts';
import type { SharedBytes } from './shared-bytes.ts';
import type { WriteTableOptions } from './write-table.ts';

export interface Start {
  readonly path: string;
  /** Module addresses whose default export is a stack. */
  readonly stackModules: readonly string[];
  /** Of `Agreement`. */
  readonly agreement: SharedArrayBuffer;
  readonly secretKeys: SealKeys;
  /** Of another `Agreement`, that the other nodes of the site have a change; undefined: there are none. */
  readonly sharing: SharedArrayBuffer | undefined;
}

/** Everything that can be asked of the configuration. */
export type Operations = Omit<
  Configuration,
  | 'replace'
  | 'close'
  | 'for'
  | 'takeRendered'
  | 'takeChanged'
  | 'figures'
  | 'copying'
  | 'transaction'
  | 'objects'
  | 'objectsAfter'
  | 'sealed'
  | 'takenFault'
  | 'content'
  | 'made'
  | 'blaming'
  | 'comparing'
  | 'beginningToShare'
> & {
  /** This node leads the site from now on: the other nodes have each change before it is answered. */
  beginSharing(head: SiteHead | undefined): Promise<void>;
  /** Carries out the operations of a body. Reads go on while it is read. */
  transaction(body: Uint8Array, options: Committing, author: string): Promise<void>;
  /** A family as a table. Reads and changes go on while it is written; it is of the moment of asking. */
  table(family: Family, options: WriteTableOptions): Promise<SharedBytes>;
  /** Makes a family what a table says, and tells in JSON what has changed. Reads go on while it is read. */
  putTable(family: Family, table: Uint8Array, options: PutTableOptions, author: string): Promise<SharedBytes>;
  /** Makes the objects of a type, and tells in JSON what has changed. Reads go on while they are made. */
  generate(body: Uint8Array, options: GenerateOptions, author: string): Promise<SharedBytes>;
  /** What was generated, as JSON. */
  typicals(): SharedBytes;
  /** What an SVG would be in a picture, and what it loses; nothing is stored. */
  cleanPicture(body: Uint8Array): CleanedPicture;
  /** Copies an object, or a connector with its points, under new names. */
  copy(request: CopyRequest, options: CopyOptions, author: string): CopyResult;
  /** What is different between two configurations. Reads and changes go on meanwhile. */
  compare(from: string, to: string): Promise<SharedBytes>;
  /** Who changed each field of an object last. Reads and changes go on meanwhile. */
  blame(family: Family, name: string): Promise<Blame>;
  /** Writes a copy of the objects into a new file at `path`. Reads go on meanwhile; changes wait. */
  writeCopy(path: string): Promise<void>;
  /** Replaces the database by the rows of an uploaded file. */
  upload(path: string, options: Rendering, author: string): Promise<void>;
};

export type Method = keyof Operations;

/** These are carried out one at a time, in the order of asking. */
export const changes: ReadonlySet<Method> = new Set<Method>([
  'put',
  'delete',
  'transaction',
  'putTable',
  'copy',
  'generate',
  'render',
  'restore',
  'discard',
  'rename',
  'confirmRenames',
  'upload',
  'acknowledgeMissing',
  'tryDisk',
  'adoptChange',
  'takeRevision',
  'adoptWhole',
  'proposeAgain',
  'beginSharing',
  'reseal',
  'settleSharing',
]);

/** These too, beside the changes: each has revisions unpacked in memory, and takes its time. */
export const longReads: ReadonlySet<Method> = new Set<Method>(['compare', 'blame']);

export type Arguments<M extends Method> = Parameters<Operations[M]>;
export type Result<M extends Method> = Awaited<ReturnType<Operations[M]>>;

export interface ConfigurationThread {
  /** First: whether the database could be opened, and what it lacks. What was rendered last is reported before. */
  open(start: Start): Promise<Opened>;
  /** Without an author, the service itself asks. */
  carryOut(method: Method, args: readonly unknown[], author: Author | undefined): Promise<Carried>;
  /** After all that was asked before: closes the database. */
  close(): Promise<void>;
}

export interface Carried {
  readonly result: unknown;
  /** Of an edit. */
  readonly changed: ChangedObjects | undefined;
}

export type Opened = { readonly missing: readonly string[] } | { readonly unusable: string };

export interface ConfigurationClient {
  /** With the renames that the history may not have followed yet. */
  rendered(rendering: RenderingBytes, renames: readonly Rename[]): void;
  /** What an operation is about to render, inside its transaction: the thread waits for the agreement. */
  proposed(rendering: RenderingBytes, renames: readonly Rename[]): void;
  /** Before the answer to a change: whether what it has proposed is on disk. Then it takes effect; else it is discarded. */
  concluded(isRendered: boolean): void;
  /** What a change has done, inside its transaction: the thread waits until the other nodes of the site have it. */
  sharing(entries: readonly SiteBytes[]): void;
  /** Before the answer to a change that the disk did not take. */
  diskRefused(reason: string): void;
  figures(figures: Figures): void;
}
