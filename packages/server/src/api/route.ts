// A route of the service as data: the router, the checks before a handler and the OpenAPI document all read it.
import type { Readable } from 'node:stream';
import type { ProblemName } from '@telltale/schema';
import type { TObject, TSchema } from 'typebox';
import type { Access, Caller } from '../access/index.ts';

export type Method = 'GET' | 'PUT' | 'POST' | 'DELETE';

export interface Route {
  readonly method: Method;
  /** With `:name` for an identifier, `:id` for a number, `:t_since` and `:t_until` for the ends of an interval. */
  readonly path: string;
  /** Unique, for clients that are generated from the OpenAPI document. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  /** What it does, to whom asks; where it is not said, a GET reads and everything else is a write of people alone. */
  readonly access?: Access;
  /** What `:name` stands for, where the path has it. */
  readonly names?: string;
  readonly query?: TObject;
  readonly body?: RouteBody;
  readonly answer: RouteAnswer;
  /** What can go wrong beyond what can go wrong everywhere. */
  readonly problems: readonly ProblemName[];
  /**
   * Gives, or resolves with, nothing, bytes (lent, gathered or neither) or text of the answer's type, data for JSON, a
   * `StreamReply` or a `PagesReply`.
   */
  readonly handle: (call: Call) => unknown;
}

export interface RouteBody {
  readonly types: readonly string[];
  /** Of a JSON body; other bodies reach the handler as a stream. */
  readonly schema?: TSchema;
  /** JSON reaches the handler as a stream as well. */
  readonly isStreamed?: true;
  readonly maxBytes: number;
  /** The setting that `maxBytes` comes from. */
  readonly setting: string;
}

export interface RouteAnswer {
  readonly status: 200 | 204 | 302;
  readonly description: string;
  readonly type?: string;
  /** What a client may have in the place of `type`, by the Accept header. */
  readonly otherTypes?: readonly string[];
  readonly schema?: TSchema;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Of an answer that a client may keep: equal texts mean that it would be answered the same again. Throws where the
   * handler would refuse the query.
   */
  readonly version?: (query: Call['query']) => string;
}

export interface Call {
  readonly name: string;
  readonly id: number;
  /** Of a path with an interval, as they were sent. */
  readonly tSince: string;
  readonly tUntil: string;
  /** Checked and coerced. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The whole JSON body, not yet parsed. */
  readonly json: Uint8Array;
  /** The body of a route that takes bytes; it fails with a problem when it grows too long. */
  readonly stream: Readable;
  /** Of the body, where there is one. */
  readonly bodyType: string;
  /** Of the answer, as the client wants it. */
  readonly type: string;
  /** Who asks; it may. */
  readonly caller: Caller;
  /** Aborted when whoever asks is gone before the answer. */
  readonly signal: () => AbortSignal;
  /** On which it was asked: the same one for all requests of a connection. */
  readonly connection: { readonly remoteAddress?: string | undefined };
}

export interface StreamReply {
  readonly stream: Readable;
  readonly size: number;
  readonly filename: string;
}

/** An answer of any length, sent as fast as the client takes it. */
export interface PagesReply {
  readonly pages: AsyncIterable<Uint8Array>;
  /** Ends them at once: the client is gone, or wanted the headers alone. */
  readonly cancel: () => void;
}

/** A route that says nothing is closed rather than open. */
export const accessOf = ({ access, method }: Route): Access => access ?? (method === 'GET' ? 'read' : 'write');

export const jsonType = 'application/json';

/** What can be wrong with the JSON of a body, whatever its schema is. */
export const ofJsonBodies = ['malformed-json', 'json-too-deep', 'json-too-large', 'duplicate-key'] as const;

/** Whether each request for `path` fits `other` as well: `/alarms/names` is taken by `/alarms/:name`, and by itself. */
export function takes(other: string, path: string): boolean {
  const [parts, others] = [path.split('/'), other.split('/')];
  return others.length === parts.length && others.every((part, at) => part === parts[at] || part.startsWith(':'));
}
