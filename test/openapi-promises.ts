// What an OpenAPI document promises about the answer to a request: which statuses, problems, types and bodies.
import { type Checker, checker, problemMediaType, problemPage, problems } from '@telltale/schema';
import { referred, type Schema, type Schemas } from './json-from-schema.ts';
import type { HttpRequest, OpenApiDocument, Operation } from './requests-from-openapi.ts';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** It was longer than anybody wanted to read. */
  readonly isCut?: boolean;
}

/** Problems that a healthy server on a healthy disk does not have. */
const neverHere = new Set(['internal', 'storage-failed', 'starting', 'stopping', 'request-timeout']);

/** What can be wrong before the path is looked at. */
const beforeRouting = ['malformed-request', 'foreign-host', 'foreign-origin'];

interface Place {
  readonly operation: Operation | undefined;
  /** Of the path, whatever the method of the request. */
  readonly methods: ReadonlySet<string>;
}

export class OpenApiPromises {
  readonly #document: OpenApiDocument;
  readonly #checkers = new Map<Schema, Checker>();
  readonly #types: ReadonlyMap<string, string>;
  readonly #succeeded = new Set<string>();

  constructor(document: OpenApiDocument) {
    this.#document = document;
    this.#types = new Map(Object.keys(problems).map((name) => [problemPage(name as keyof typeof problems), name]));
  }

  /** What is wrong with the answer, or nothing. */
  wrongWith(request: HttpRequest, answer: HttpAnswer): string | undefined {
    const { operation, methods } = this.#find(request);
    const isHead = request.method === 'HEAD';
    if (answer.status >= 400 && !isHead) return this.#wrongWithProblem(answer, operation, methods);
    const response = operation?.responses[answer.status];
    if (isHead)
      return operation === undefined || response !== undefined ? undefined : 'the document has no such status';
    if (operation === undefined) return 'succeeds, but the document has no such operation';
    if (response === undefined) return `${operation.operationId} has no such status in the document`;
    this.#succeeded.add(operation.operationId);
    const contents = Object.entries(response.content ?? {});
    if (contents.length === 0) return answer.body.length === 0 ? undefined : 'has a body where none is documented';
    const content = contents.find(([each]) => mediaTypeOf(answer) === each.split(';', 1)[0]);
    if (content === undefined) return `is of type ${mediaTypeOf(answer)}, not ${contents.map(([each]) => each)}`;
    const [type, { schema }] = content;
    return type === 'application/json' && !answer.isCut ? this.#misfit(answer.body, schema) : undefined;
  }

  /** The operations of which no answer so far was a success. */
  neverSucceeded(): string[] {
    const all = Object.values(this.#document.paths).flatMap((item) => Object.values(item));
    return all.map(({ operationId }) => operationId).filter((id) => !this.#succeeded.has(id));
  }

  #wrongWithProblem(
    answer: HttpAnswer,
    operation: Operation | undefined,
    methods: ReadonlySet<string>,
  ): string | undefined {
    if (mediaTypeOf(answer) !== problemMediaType) return `is an error of type ${mediaTypeOf(answer)}`;
    const misfit = this.#misfit(answer.body, { $ref: '#/components/schemas/Problem' });
    if (misfit !== undefined) return misfit;
    const problem = JSON.parse(answer.body.toString()) as { type: string; status: number };
    const name = this.#types.get(problem.type);
    if (name === undefined) return `${problem.type} is not in the catalogue of problems`;
    if (problem.status !== answer.status) return `says ${problem.status} in its body`;
    if (neverHere.has(name)) return `is the problem ${name}`;
    if (operation !== undefined) {
      const listed = operation.responses[answer.status]?.['x-problems'] ?? [];
      return listed.includes(name) ? undefined : `${operation.operationId} has no problem ${name} in the document`;
    }
    if (beforeRouting.includes(name)) return undefined;
    if (methods.size === 0) return name === 'unknown-path' ? undefined : `is ${name} where there is no path`;
    if (name !== 'method-not-allowed') return `is ${name} where the method does not apply`;
    const allow = String(answer.headers.allow).split(', ').sort().join();
    return allow === [...methods].sort().join() ? undefined : `allows ${allow}, the document ${[...methods]}`;
  }

  #misfit(body: Buffer, schema: Schema): string | undefined {
    let data: unknown;
    try {
      data = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    } catch (error) {
      return `is not JSON: ${(error as Error).message}`;
    }
    const known = this.#checkers.get(schema) ?? checker(withoutReferences(schema, this.#document.components.schemas));
    this.#checkers.set(schema, known);
    const [fault] = known.faults(data);
    return fault === undefined ? undefined : `does not fit its schema: ${fault.path} ${fault.message}`;
  }

  /** The operation that a request is for: fixed parts of a path win over parameters, slashes are folded. */
  #find({ method, path }: HttpRequest): Place {
    const parts = partsOf(path.split(/[?#]/, 1)[0] ?? '');
    const wanted = (method === 'HEAD' ? 'GET' : method).toLowerCase();
    const matching = Object.entries(this.#document.paths)
      .filter(([template]) => parts !== undefined && matches(partsOf(template) ?? [], parts))
      .sort(([a], [b]) => Number(a.includes('{')) - Number(b.includes('{')))
      .map(([, item]) => item);
    const methods = new Set(matching.flatMap((item) => Object.keys(item)).map((each) => each.toUpperCase()));
    if (methods.has('GET')) methods.add('HEAD');
    return { operation: matching.find((item) => item[wanted] !== undefined)?.[wanted], methods };
  }
}

function mediaTypeOf({ headers }: HttpAnswer): string {
  return String(headers['content-type']).split(';', 1)[0] ?? '';
}

/** Undefined where the path cannot be decoded. */
function partsOf(path: string): string[] | undefined {
  try {
    return path
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function matches(template: string[], parts: string[]): boolean {
  return template.length === parts.length && template.every((part, at) => part.startsWith('{') || part === parts[at]);
}

function withoutReferences(schema: Schema, schemas: Schemas): Schema {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    if ('$ref' in value) return resolve(referred(String(value.$ref), schemas));
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolve(each)]));
  };
  return resolve(schema) as Schema;
}
