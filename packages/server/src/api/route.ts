// A route of the service as data: the router, the checks before a handler and the OpenAPI document all read it.
import type { Readable } from 'node:stream';
import type { ProblemName } from '@telltale/schema';
import type { TObject, TSchema } from 'typebox';

export type Method = 'GET' | 'PUT' | 'POST' | 'DELETE';

export interface Route {
  readonly method: Method;
  /** With `:name` for an identifier and `:id` for a number. */
  readonly path: string;
  /** Unique, for clients that are generated from the OpenAPI document. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  /** What `:name` stands for, where the path has it. */
  readonly names?: string;
  readonly query?: TObject;
  readonly body?: RouteBody;
  readonly answer: RouteAnswer;
  /** What can go wrong beyond what can go wrong everywhere. */
  readonly problems: readonly ProblemName[];
  /**
   * Gives, or resolves with, nothing, bytes (lent or not) or text of the answer's type, data for JSON, or a
   * `StreamReply`.
   */
  readonly handle: (call: Call) => unknown;
}

export interface RouteBody {
  readonly types: readonly string[];
  /** Of a JSON body; other bodies reach the handler as a stream. */
  readonly schema?: TSchema;
  readonly maxBytes: number;
  /** The setting that `maxBytes` comes from. */
  readonly setting: string;
}

export interface RouteAnswer {
  readonly status: 200 | 204 | 302;
  readonly description: string;
  readonly type?: string;
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
  /** Checked and coerced. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The whole JSON body, not yet parsed. */
  readonly json: Uint8Array;
  /** The body of a route that takes bytes; it fails with a problem when it grows too long. */
  readonly stream: Readable;
  /** Who asks. */
  readonly author: string;
}

export interface StreamReply {
  readonly stream: Readable;
  readonly size: number;
  readonly filename: string;
}

export const jsonType = 'application/json';

/** The path is taken by a parameter of another one: `/alarms/names` by `/alarms/:name`. */
export function isShadowed(path: string, paths: Iterable<string>): boolean {
  const parts = path.split('/');
  for (const other of paths) {
    const others = other.split('/');
    if (other === path || others.length !== parts.length) continue;
    if (others.every((part, index) => part === parts[index] || part.startsWith(':'))) return true;
  }
  return false;
}
