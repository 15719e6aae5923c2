// Asks for the operations of the catalogue: method, path and query are what their declarations say, by the table made of them.
import type { HttpForm, HttpOperationName, InputOf } from '@telltale/schema';
import type { Unreachable } from './errors.ts';
import { operationForms } from './operation-forms.ts';
import { type Download, pathName, pathPart, type Sent, type Transport } from './transport.ts';

/** What an operation is asked with. A text may stand for a number or a list, as it goes over the wire. */
export type Input<N extends HttpOperationName> = {
  readonly [Key in keyof InputOf<N>]: InputOf<N>[Key] | string | undefined;
};

/** Beside the input: a body, the form of the answer, a signal. */
export type Besides = Omit<Sent, 'query'>;

interface Request {
  readonly method: HttpForm['method'];
  readonly path: string;
  readonly sent: Sent;
}

export class OperationCalls {
  readonly #transport: Transport;

  /** The transport of the interface that has the operations. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The answer: an object or an array. */
  async json<Body extends object, N extends HttpOperationName>(
    operation: N,
    input: Input<N>,
    besides?: Besides,
  ): Promise<Body> {
    const { method, path, sent } = requestOf(operation, input, besides);
    return this.#transport.json(path, sent, method);
  }

  /** From name to object; it has no prototype. */
  async collection<Item, N extends HttpOperationName>(
    operation: N,
    input: Input<N>,
    besides?: Besides,
  ): Promise<Record<string, Item>> {
    const { path, sent } = requestOf(operation, input, besides);
    return this.#transport.collection(path, sent);
  }

  /** Resolves when it has happened. */
  async send<N extends HttpOperationName>(operation: N, input: Input<N>, besides?: Besides): Promise<void> {
    const { method, path, sent } = requestOf(operation, input, besides);
    if (method !== 'GET') await this.#transport.send(method, path, sent);
  }

  /** An answer of any length, as it comes. */
  async download<N extends HttpOperationName>(operation: N, input: Input<N>, besides?: Besides): Promise<Download> {
    const { method, path, sent } = requestOf(operation, input, besides);
    return this.#transport.download(path, sent, method === 'POST' ? 'POST' : 'GET');
  }

  /** What has answered makes no sense. */
  stranger<N extends HttpOperationName>(operation: N, input: Input<N>, what: string): Unreachable {
    return this.#transport.stranger(operationForms[operation].method, pathOf(operation, input), what);
  }
}

/** Where an operation is, from the path of its interface. */
function pathOf<N extends HttpOperationName>(operation: N, input: Input<N>): string {
  const { method, path, refusal: special } = operationForms[operation];
  const refusal = special ?? (method === 'GET' ? 'unknown-object' : 'invalid-name');
  const given: Readonly<Record<string, unknown>> = input;
  return path
    .replace(/^\/(?:data|config\/v2)?\/?/, '')
    .replace(/:(\w+)/g, (_, name: string) =>
      name === 'name' ? pathName(String(given[name]), refusal) : pathPart(String(given[name]), refusal),
    );
}

function requestOf<N extends HttpOperationName>(operation: N, input: Input<N>, besides: Besides = {}): Request {
  const { method, path, inBody } = operationForms[operation];
  const given = Object.entries(input);
  const query = given.filter(([name]) => !inBody?.includes(name) && !path.includes(`:${name}`));
  const members = given.filter(([name]) => inBody?.includes(name));
  return {
    method,
    path: pathOf(operation, input),
    sent: {
      ...besides,
      ...(inBody && { json: Object.fromEntries(members) }),
      query: Object.fromEntries(query) as NonNullable<Sent['query']>,
    },
  };
}
