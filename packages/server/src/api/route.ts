// A route of HTTP as data: the router and the checks before a handler read it. It is derived from the catalogue of operations.
import type { HttpAnswer, HttpBody, Method, ProblemName } from '@telltale/schema';
import type { TObject } from 'typebox';
import type { AskedWithBody, Guarded } from '../operations/index.ts';
import type { ListItem } from './read-list.ts';

export interface Route extends Guarded {
  readonly method: Method;
  /** With `:name` for an identifier, `:id` for a number, `:t_since` and `:t_until` for the ends of an interval, others for texts. */
  readonly path: string;
  readonly id: string;
  readonly query?: TObject;
  readonly ignoresQuery?: true;
  /** Parameters that are lists, comma-separated: the form of their items. */
  readonly lists?: ReadonlyMap<string, ListItem>;
  readonly body?: RouteBody;
  readonly answer: RouteAnswer;
  /** What can go wrong beyond what can go wrong everywhere. */
  readonly problems: readonly ProblemName[];
  /** Gives, or resolves with, nothing, bytes, text of the answer's type, data for JSON, or a streamed reply. */
  readonly handle: (call: Call) => unknown;
}

export interface RouteBody extends Omit<HttpBody, 'limit'> {
  readonly maxBytes: number;
  /** The setting that `maxBytes` comes from. */
  readonly setting: string;
}

export interface RouteAnswer extends Omit<HttpAnswer, 'status'> {
  /** 404 is that of the page where there is no such view. */
  readonly status: HttpAnswer['status'] | 404;
  readonly headers?: Readonly<Record<string, string>>;
  /** For a cacheable answer: equal texts mean that the caller would be answered the same again. */
  readonly version?: (call: Call) => string | undefined;
}

export interface Call extends AskedWithBody {
  /** The parameters in the path, where it has any. */
  readonly path: PathInput;
  /** Checked and coerced. */
  readonly query: Readonly<Record<string, unknown>>;
}

export interface PathInput {
  readonly name: string;
  /** Of a user, role, token or certificate. */
  readonly account: string;
  /** The id of a session. */
  readonly session: string;
  /** That of a passkey. */
  readonly passkey: string;
  /** The id of a request for approval. */
  readonly approval: string;
  /** The id of a member of the bus, or of an invitation. */
  readonly member: string;
  /** The name of a secret. */
  readonly secret: string;
  /** The id or the name of a site. */
  readonly site: string;
  readonly id: number;
  /** The ends of an interval, as they were sent. */
  readonly t_since: string;
  readonly t_until: string;
  /** Of a document, as they were sent. */
  readonly folder: string;
  readonly page: string;
  /** Of the page for people, likewise. */
  readonly file: string;
}

/** What an operation is done to, for the audit trail. */
export function objectOf(path: { readonly [P in keyof PathInput]?: PathInput[P] | string }): string {
  const { name, account, session, passkey, approval, member, secret, site, id } = path;
  if (secret) return `${name}/${secret}`;
  return `${name || account || session || passkey || approval || member || site || id || ''}`;
}

/** Whether each request for `path` fits `other` as well: `/alarms/names` is taken by `/alarms/:name`, and by itself. */
export function takes(other: string, path: string): boolean {
  const [parts, others] = [path.split('/'), other.split('/')];
  return others.length === parts.length && others.every((part, at) => part === parts[at] || part.startsWith(':'));
}
