// The command line that carries out an operation: to be pasted into a shell as it is.
import type { ExamplePlant } from '../../operations/index.ts';
import type { Operation } from '../openapi.ts';
import { exampleObject, exampleOf } from './docs-example.ts';
import type { JsonSchema, Schemas } from './json-schema.ts';

/** Optional parameters that do not go with the others, such as selectors with names. */
const insteadOfOthers = new Set(['max-points', 'tz', 'connector', 'datatype', 'area', 'quality', 'search']);

/** Optional parameters that the example of a write has too: what it does ends by itself. */
const inWrites = new Set(['valid-for']);

/** An hour of long ago: an example that erases finds nothing there. */
const erased = new Map([
  ['t_since', '946684800'],
  ['t_until', '946688400'],
]);

const extensions = new Map([
  ['application/x-sqlite3', '.sqlite'],
  ['text/csv', '.csv'],
]);

/** The one entry of a `content` that the examples use. */
export interface Media {
  readonly type: string;
  readonly schema: JsonSchema;
}

export function firstMedia(content: Readonly<Record<string, { schema?: unknown }>> | undefined): Media | undefined {
  const [entry] = Object.entries(content ?? {});
  return entry && { type: entry[0], schema: (entry[1].schema ?? {}) as JsonSchema };
}

export function isBinary({ schema }: Media): boolean {
  return schema.format === 'binary';
}

export interface ExampleSources {
  readonly schemas: Schemas;
  readonly plant: ExamplePlant;
}

/** Reading shows the optional query too; a write does what it does without. */
export function curlExample(method: string, path: string, operation: Operation, sources: ExampleSources): string {
  const [status, answer] = Object.entries(operation.responses)[0] ?? [];
  const answerMedia = firstMedia(answer?.content);
  const body = firstMedia(operation.requestBody?.content);
  const url = exampleUrl(method, path, operation, sources);
  const options = [...(status === '200' ? [] : ['-i']), ...(method === 'get' ? [] : ['-X', method.toUpperCase()])];
  const start = ['curl', ...options].join(' ');
  const parts = options.length === 0 ? [`${start} ${quoted(url)}`] : [start, quoted(url)];
  if (body !== undefined) {
    parts.push(`-H ${quoted(`Content-Type: ${body.type}`)}`, dataOption(body, path, sources));
  }
  if (answerMedia !== undefined && isBinary(answerMedia)) parts.push(`-o ${quoted(fileName(path, answerMedia.type))}`);
  return parts.join(' \\\n  ');
}

function dataOption(body: Media, path: string, sources: ExampleSources): string {
  if (isBinary(body)) return `--data-binary ${quoted(`@${fileName(path, body.type)}`)}`;
  const json = exampleJson(exampleOf(body.schema, { ...sources, object: exampleObject(path, sources.plant) }));
  return `--data ${quoted(json.replaceAll('\n', '\n  '))}`;
}

/** On one line where it is short. */
export function exampleJson(value: unknown): string {
  const line = JSON.stringify(value);
  return line.length <= 60 ? line : JSON.stringify(value, null, 2).replace(/\[\s+(\d+),\s+(\d+)\s+\]/g, '[$1, $2]');
}

function exampleUrl(method: string, path: string, { parameters = [] }: Operation, sources: ExampleSources): string {
  const { plant } = sources;
  const object = exampleObject(path, plant);
  const values = new Map<string, string>();
  for (const { name: field, schema } of parameters) {
    const value =
      (method === 'delete' && erased.get(field)) ||
      (field === 'id' && plant.revision) ||
      exampleOf(schema, { ...sources, object, field });
    values.set(field, value === true ? '1' : encodeURIComponent(String(value)).replaceAll('%2C', ','));
  }
  const filled = path.replace(/\{([^}]+)\}/g, (_, field: string) => values.get(field) ?? object.name);
  const query = parameters
    .filter(
      (parameter) =>
        parameter.in === 'query' && (parameter.required || method === 'get' || inWrites.has(parameter.name)),
    )
    .filter((parameter) => !insteadOfOthers.has(parameter.name))
    .map((parameter) => `${encodeURIComponent(parameter.name)}=${values.get(parameter.name)}`);
  return plant.base + filled + (query.length > 0 ? `?${query.join('&')}` : '');
}

function fileName(path: string, type: string): string {
  const segment = path.split('/').findLast((part) => part !== '' && !part.startsWith('{')) ?? 'file';
  return segment + (extensions.get(type) ?? '');
}

/** One word of a POSIX shell. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
