// The OpenAPI 3.1 document, made from the catalogue of operations: every path, parameter, body, status and problem.
import {
  ArchiveTime,
  declarationOf,
  type HttpBody,
  type HttpOperation,
  httpOperationNames,
  Identifier,
  jsonType,
  Problem,
  type ProblemName,
  problemMediaType,
  problemPage,
  problems,
  tagOf,
} from '@telltale/schema';
import Type, { type TSchema } from 'typebox';
import { defaultPaths, type InterfacePaths, pathOf } from '../operations/index.ts';
import { queryOf } from './http-form.ts';

type Json = { [key: string]: unknown };

export interface OpenApi {
  readonly openapi: '3.1.0';
  readonly info: { title: string; version: string; description: string; license: { name: string; identifier: string } };
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { schemas: Record<string, Json>; securitySchemes: Record<string, Json> };
  /** Any of these will do. */
  readonly security: Record<string, string[]>[];
  readonly servers: { url: string; description: string }[];
  readonly tags: { name: string; description?: string; externalDocs?: { url: string } }[];
}

export interface Operation {
  readonly operationId: string;
  readonly tags: string[];
  readonly summary: string;
  readonly parameters?: Parameter[];
  readonly requestBody?: { required: true; content: Record<string, Json> };
  readonly responses: Record<string, OpenApiResponse>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description: string;
  readonly schema: Json;
}

export interface OpenApiResponse {
  readonly description: string;
  readonly content?: Record<string, Json>;
  readonly headers?: Json;
  /** The names of the problems behind a status, as the catalogue has them. */
  readonly 'x-problems'?: ProblemName[];
}

const everywhere: ProblemName[] = [
  'malformed-request',
  'invalid-query',
  'invalid-token',
  'invalid-certificate',
  'foreign-host',
  'foreign-origin',
  'headers-too-large',
  'too-many-requests',
  'too-many-connections',
  'internal',
];
const ofBodies: ProblemName[] = ['body-too-large', 'unsupported-media-type', 'request-timeout', 'overloaded'];
const ofLife: ProblemName[] = ['starting', 'stopping'];

const moduleToken =
  'A token that a user has made, or that of a function module, which it finds in TELLTALE_TOKEN. While there are no users, ' +
  'a program of this machine needs none.';

/** Times in a path, and which end of the interval each is. */
const ends = { t_since: 'The beginning of the interval.', t_until: 'Its end, which is not in it.' };

/** What an operation can answer other than success. */
export function problemsOf({ problems: own, permission, http }: HttpOperation): ProblemName[] {
  const names = [...own, ...everywhere, ...ofLife];
  if (permission !== 'public') names.push('not-signed-in');
  if (permission !== 'public' && permission !== 'signed-in') names.push('not-allowed');
  if (http.body !== undefined) names.push(...ofBodies);
  return [...new Set(names)];
}

export interface OpenApiOptions {
  readonly version: string;
  readonly operations?: Readonly<Record<string, HttpOperation>>;
  readonly paths?: InterfacePaths;
}

export function openApiDocument(options: OpenApiOptions): OpenApi {
  const { version, operations = ofHttp(), paths: interfaces = defaultPaths } = options;
  const components: Record<string, Json> = {};
  const paths: Record<string, Record<string, Operation>> = {};
  for (const [name, operation] of Object.entries<HttpOperation>(operations)) {
    const path = pathOf(operation.http, interfaces).replace(/:(\w+)/g, '{$1}');
    const method = operation.http.method.toLowerCase();
    paths[path] = { ...paths[path], [method]: operationOf(name, operation, components) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Telltale',
      version,
      description: 'Reads measurements, writes commands, raises alarms, keeps the history of a plant.',
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The service that this document was read from.' }],
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: { moduleToken: { type: 'http', scheme: 'bearer', description: moduleToken } },
    },
    security: [{}, { moduleToken: [] }],
    tags: [...new Set(Object.values(operations).map(({ tag }) => tag))].map((name) => {
      const tag = tagOf(name);
      if (tag === undefined) return { name };
      return { name, description: tag.description, externalDocs: { url: `/docs/guides/${tag.guide}.md` } };
    }),
  };
}

function ofHttp(): Record<string, HttpOperation> {
  return Object.fromEntries(httpOperationNames.map((name) => [name, declarationOf(name)]));
}

function operationOf(name: string, operation: HttpOperation, components: Record<string, Json>): Operation {
  const { tag, summary, http } = operation;
  const parameters = parametersOf(operation, components);
  return {
    operationId: name,
    tags: [tag],
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(http.body && { requestBody: requestBodyOf(http.body, components) }),
    responses: responsesOf(operation, components),
  };
}

function parametersOf({ http, input }: HttpOperation, components: Record<string, Json>): Parameter[] {
  const { path, names } = http;
  const query = queryOf(http, input);
  const parameters: Parameter[] = [];
  if (path.includes('/:name')) {
    const description = `The name of ${names}.`;
    parameters.push({ name: 'name', in: 'path', required: true, description, schema: plain(Identifier, components) });
  }
  if (path.includes('/:id')) {
    const schema = plain(Type.Integer({ minimum: 1 }), components);
    parameters.push({ name: 'id', in: 'path', required: true, description: 'The number of the revision.', schema });
  }
  for (const name of [
    'secret',
    'folder',
    'page',
    'file',
    'account',
    'session',
    'passkey',
    'approval',
    'member',
    'site',
  ]) {
    if (!path.includes(`/:${name}`)) continue;
    const { description = '', ...schema } = plain(input[name] as TSchema, components) as Json & {
      description?: string;
    };
    parameters.push({ name, in: 'path', required: true, description, schema });
  }
  for (const [name, end] of Object.entries(ends)) {
    if (!path.includes(`/:${name}`)) continue;
    const { description = '', ...schema } = plain(ArchiveTime, components) as Json & { description?: string };
    parameters.push({ name, in: 'path', required: true, description: `${end} ${description}`, schema });
  }
  for (const [name, type] of Object.entries(query.properties)) {
    const { description = '', ...schema } = plain(type, components) as Json & { description?: string };
    const required = query.required?.includes(name) ?? false;
    parameters.push({ name, in: 'query', required, description, schema });
  }
  return parameters;
}

function requestBodyOf(
  { types, schema }: HttpBody,
  components: Record<string, Json>,
): NonNullable<Operation['requestBody']> {
  return { required: true, content: contentOf(types, schema, components) };
}

/** The schema is that of JSON; other types are bytes. */
function contentOf(types: readonly string[], schema: TSchema | undefined, components: Record<string, Json>) {
  const described = (type: string) => schema !== undefined && (type === jsonType || types.length === 1);
  const entries = types.map((type): [string, Json] => [
    type,
    { schema: described(type) ? plain(schema as TSchema, components) : { type: 'string', format: 'binary' } },
  ]);
  return Object.fromEntries(entries);
}

function responsesOf(operation: HttpOperation, components: Record<string, Json>): Record<string, OpenApiResponse> {
  const { status, description, type, otherTypes = [], schema, isVersioned } = operation.http.answer;
  const content = type && contentOf([type, ...otherTypes], schema, components);
  const responses: Record<string, OpenApiResponse> = { [status]: { description, ...(content && { content }) } };
  if (isVersioned) responses[304] = { description: 'As the client has it (If-None-Match).' };
  const byStatus = Map.groupBy(problemsOf(operation), (name) => problems[name].status);
  for (const [code, names] of [...byStatus].sort(([a], [b]) => a - b)) {
    responses[code] = {
      description: names.map((name) => `${problems[name].title} (${problemPage(name)})`).join('; '),
      content: { [problemMediaType]: { schema: plain(Problem, components) } },
      'x-problems': names,
    };
  }
  return responses;
}

/** The schema as plain JSON, with every titled schema moved to the components. */
function plain(schema: TSchema, components: Record<string, Json>): Json {
  return moveTitled(JSON.parse(JSON.stringify(schema)) as Json, components);
}

function moveTitled(schema: Json, components: Record<string, Json>): Json {
  const moved = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, moveIn(value, components)]),
  ) as Json;
  if (Array.isArray(moved.items)) {
    // A tuple as in JSON Schema 2020-12, which OpenAPI 3.1 uses.
    const { items, additionalItems, ...rest } = moved;
    return { ...rest, prefixItems: items, items: additionalItems ?? true };
  }
  if (typeof schema.title !== 'string' || schema.type === undefined) return moved;
  const name = schema.title.replaceAll(/\W+/g, '_');
  components[name] = moved;
  return { $ref: `#/components/schemas/${name}` };
}

function moveIn(value: unknown, components: Record<string, Json>): unknown {
  if (Array.isArray(value)) return value.map((item) => moveIn(item, components));
  return typeof value === 'object' && value !== null ? moveTitled(value as Json, components) : value;
}
