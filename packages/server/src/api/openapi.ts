// The OpenAPI 3.1 document, made from the routes: every path, parameter, body, status and problem.
import {
  ArchiveTime,
  Identifier,
  Problem,
  type ProblemName,
  problemMediaType,
  problemPage,
  problems,
} from '@telltale/schema';
import Type, { type TSchema } from 'typebox';
import { accessOf, jsonType, type Route, type RouteBody } from './route.ts';

type Json = { [key: string]: unknown };

export interface OpenApi {
  readonly openapi: '3.1.0';
  readonly info: { title: string; version: string; description: string; license: { name: string } };
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { schemas: Record<string, Json>; securitySchemes: Record<string, Json> };
  /** Any of these will do. */
  readonly security: Record<string, string[]>[];
  readonly tags: { name: string }[];
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
  'The token of a function module, which it finds in TELLTALE_TOKEN: it reads everything, and writes to the names that ' +
  'its properties.writes lists. A program of this machine needs none.';

/** Times in a path, and which end of the interval each is. */
const ends = { t_since: 'The beginning of the interval.', t_until: 'Its end, which is not in it.' };

/** What a route can answer other than success. */
export function problemsOf(route: Route): ProblemName[] {
  const names = [...route.problems, ...everywhere, ...ofLife];
  if (accessOf(route) !== 'read') names.push('not-allowed');
  if (route.body !== undefined) names.push(...ofBodies);
  return [...new Set(names)];
}

export function openApiDocument({ version, routes }: { version: string; routes: readonly Route[] }): OpenApi {
  const components: Record<string, Json> = {};
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, components) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Telltale',
      version,
      description: 'Reads measurements, writes commands, raises alarms, keeps the history of a plant.',
      license: { name: 'Apache-2.0' },
    },
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: { moduleToken: { type: 'http', scheme: 'bearer', description: moduleToken } },
    },
    security: [{}, { moduleToken: [] }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
  };
}

function operationOf(route: Route, components: Record<string, Json>): Operation {
  const parameters = parametersOf(route, components);
  return {
    operationId: route.id,
    tags: [route.tag],
    summary: route.summary,
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && { requestBody: requestBodyOf(route.body, components) }),
    responses: responsesOf(route, components),
  };
}

function parametersOf({ path, names, query }: Route, components: Record<string, Json>): Parameter[] {
  const parameters: Parameter[] = [];
  if (path.includes('/:name')) {
    const description = `The name of ${names}.`;
    parameters.push({ name: 'name', in: 'path', required: true, description, schema: plain(Identifier, components) });
  }
  if (path.includes('/:id')) {
    const schema = plain(Type.Integer({ minimum: 1 }), components);
    parameters.push({ name: 'id', in: 'path', required: true, description: 'The number of the revision.', schema });
  }
  for (const [name, end] of Object.entries(ends)) {
    if (!path.includes(`/:${name}`)) continue;
    const { description = '', ...schema } = plain(ArchiveTime, components) as Json & { description?: string };
    parameters.push({ name, in: 'path', required: true, description: `${end} ${description}`, schema });
  }
  for (const [name, type] of Object.entries(query?.properties ?? {})) {
    const { description = '', ...schema } = plain(type, components) as Json & { description?: string };
    const required = query?.required?.includes(name) ?? false;
    parameters.push({ name, in: 'query', required, description, schema });
  }
  return parameters;
}

function requestBodyOf(
  { types, schema }: RouteBody,
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

function responsesOf(route: Route, components: Record<string, Json>): Record<string, OpenApiResponse> {
  const { status, description, type, otherTypes = [], schema } = route.answer;
  const content = type && contentOf([type, ...otherTypes], schema, components);
  const responses: Record<string, OpenApiResponse> = { [status]: { description, ...(content && { content }) } };
  if (route.answer.version !== undefined) responses[304] = { description: 'As the client has it (If-None-Match).' };
  const byStatus = Map.groupBy(problemsOf(route), (name) => problems[name].status);
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
    // A tuple as JSON Schema 2020-12, which OpenAPI 3.1 speaks, has it.
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
