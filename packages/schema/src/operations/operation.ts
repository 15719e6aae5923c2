// The declaration of an operation of the service, as data: its effect, input and output, its HTTP and channel form.
// Routes, channel requests, both reference documents and the table of permissions are derived from it.
import type { Static, TObject, TSchema } from 'typebox';
import { jsonType } from '../media-types.ts';
import type { Permission } from '../permissions.ts';
import type { ProblemName } from '../problem.ts';

/** `configure` is any change of the configuration; `maintain` changes how data is stored, not what it says. */
export type Action =
  | 'read'
  | 'simulate'
  | 'write'
  | 'operate'
  | 'erase'
  | 'import'
  | 'maintain'
  | 'configure'
  | 'acknowledge'
  | 'sign-in';

export type Resource =
  | 'measurements'
  | 'commands'
  | 'alarms'
  | 'approvals'
  | 'connectors'
  | 'providers'
  | 'certificates'
  | 'function-modules'
  | 'pictures'
  | 'trends'
  | 'archive'
  | 'configuration'
  | 'access'
  | 'service'
  | 'sites'
  | 'bus'
  | 'audit';

/** What an operation does, and to which kind of object: the base of permissions. */
export interface Effect {
  readonly action: Action;
  readonly resource: Resource;
}

export type Method = 'GET' | 'PUT' | 'POST' | 'DELETE';

/** The setting that limits the length of a body. */
export type BodyLimit = 'max-json-size' | 'max-database-size' | 'max-executable-size' | 'max-backfill-size';

export interface HttpBody {
  readonly types: readonly string[];
  /** Of a JSON body; other bodies reach the implementation as a stream. */
  readonly schema?: TSchema;
  /** Its members are inputs, checked. Such a body is short. */
  readonly isInput?: true;
  /** JSON reaches it as a stream as well. */
  readonly isStreamed?: true;
  /** Bytes reach it whole, as JSON does. */
  readonly isWhole?: true;
  readonly limit: BodyLimit;
}

export interface HttpAnswer {
  readonly status: 200 | 204 | 302;
  readonly description: string;
  readonly type?: string;
  /** What a client may get instead of `type`, by the Accept header. */
  readonly otherTypes?: readonly string[];
  readonly schema?: TSchema;
  /** A client may cache it and revalidate it. */
  readonly isVersioned?: true;
}

export interface HttpForm {
  readonly method: Method;
  /** The whole path, with the interfaces' default paths; `:name` is the input `name`. Other inputs are the query. */
  readonly path: string;
  /** Whatever the query has, it is not looked at: others have written it. */
  readonly ignoresQuery?: true;
  /** What `:name` names, where the path has it. */
  readonly names?: string;
  readonly body?: HttpBody;
  readonly answer: HttpAnswer;
}

/** What a client of the channel can watch. */
export type WatchKind =
  | 'measurements'
  | 'commands'
  | 'alarms'
  | 'function_modules'
  | 'function_module_logs'
  | 'connectors'
  | 'providers';

/** A request of the channel. Where it covers several operations, each of them declares it, with its own `when`. */
export interface ChannelForm {
  readonly request: string;
  readonly summary?: string;
  /** What the message has besides `request` and `id`. */
  readonly fields: Readonly<Record<string, TSchema>>;
  /** What a good answer has besides `request_id` and `result`: one field is the result; of several, each is a member of it. */
  readonly answer?: Readonly<Record<string, TSchema>>;
  /** The field with the items of a batch. Each has its own answer, in `results`; a text is the name of its object. */
  readonly batch?: string;
  /** What the message, or an item of the batch, has where it means this operation and not another one. */
  readonly when?: Readonly<Record<string, string | boolean>>;
  /** Answered before the requests behind it, also where it takes a while. */
  readonly isInOrder?: true;
  readonly watch?: { readonly kind: WatchKind; readonly ends: boolean };
}

/**
 * What a caller must be permitted: `public` is open to everybody, `signed-in` to everybody who says who they are, `owner` to
 * whoever owns the data folder, over the socket in it. What the difference that it makes needs beyond this is looked at by
 * whoever carries it out.
 */
export type Needed = Permission | 'public' | 'signed-in' | 'owner';

export interface DeclaredOperation {
  readonly tag: string;
  readonly summary: string;
  readonly effect: Effect;
  readonly permission: Needed;
  /** Whether who did it, when and to what is recorded in the audit trail. */
  readonly audited: boolean;
  /** By name. Arrays are comma-separated in a query. */
  readonly input: Readonly<Record<string, TSchema>>;
  /** What can go wrong beyond what can go wrong everywhere. */
  readonly problems: readonly ProblemName[];
  /** Answered also while the service starts and stops. */
  readonly isAlwaysAvailable?: true;
  /** At least one of these. */
  readonly http?: HttpForm;
  readonly channel?: readonly ChannelForm[];
}

export interface HttpOperation extends DeclaredOperation {
  readonly http: HttpForm;
}

export type OperationInput<O extends DeclaredOperation> = Static<TObject<O['input']>>;

/** What an operation is on: how the documents group it, and the kind of object. */
export type Subject = Pick<DeclaredOperation, 'tag'> & Pick<Effect, 'resource'>;

/** Of an operation that changes nothing. */
export const reads = ({ tag, resource }: Subject, permission: Needed) =>
  ({ tag, effect: { action: 'read', resource }, permission, audited: false }) as const;

/** Of an operation that changes something. */
export const changes = ({ tag, resource }: Subject, action: Exclude<Action, 'read'>, permission: Needed) =>
  ({ tag, effect: { action, resource }, permission, audited: true }) as const;

export const declare = <const O extends DeclaredOperation>(operation: O): O => operation;

export function inputsInBody({ body }: HttpForm): readonly string[] {
  return body?.isInput ? Object.keys((body.schema as TObject).properties) : [];
}

/** The possible faults of the JSON of a body, whatever its schema. */
export const ofJsonBodies = ['malformed-json', 'json-too-deep', 'json-too-large', 'duplicate-key'] as const;

/** What a write to a named object can be answered with, beside its own problems. */
export const ofNamedWrites = ['invalid-name', 'unknown-object', 'storage-failed'] as const;

export const json = <S extends TSchema>(description: string, schema: S) =>
  ({ status: 200, description, type: jsonType, schema }) as const;

export const done = (description: string) => ({ status: 204, description }) as const;
