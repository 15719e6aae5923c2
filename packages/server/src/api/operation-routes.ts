// The routes of HTTP, derived from the catalogue of operations and from what carries them out.
import {
  type BodyLimit,
  declarationOf,
  type HttpForm,
  type InputOf,
  type OperationName,
  operationNames,
} from '@telltale/schema';
import {
  type Gate,
  type Implementations,
  type InterfacePaths,
  pathOf,
  type Run,
  type Versioned,
} from '../operations/index.ts';
import { isInPath, listsOf, queryOf } from './http-form.ts';
import type { Call, Route, RouteBody } from './route.ts';

export interface OperationRoutesOptions {
  /** Of the operations that are served. */
  readonly implementations: Partial<Implementations>;
  readonly paths: InterfacePaths;
  readonly gate: Gate;
  readonly limits: Readonly<Record<BodyLimit, number>>;
  /** Of answers, beside those that all have. */
  readonly headers?: Partial<Record<OperationName, Readonly<Record<string, string>>>>;
}

export function operationRoutes(options: OperationRoutesOptions): Route[] {
  return operationNames.flatMap((name) => {
    const implementation = options.implementations[name] as Run<typeof name> | Versioned<typeof name> | undefined;
    return implementation === undefined ? [] : [routeOf(name, implementation, options)];
  });
}

function routeOf<N extends OperationName>(
  name: N,
  implementation: Run<N> | Versioned<N>,
  options: OperationRoutesOptions,
): Route {
  const declared = declarationOf(name);
  const { effect, audited, input, problems, http } = declared;
  const run = typeof implementation === 'function' ? implementation : implementation.run;
  const version = typeof implementation === 'function' ? undefined : implementation.version;
  const inputOf = inputReader<N>(http);
  const headers = options.headers?.[name];
  return {
    method: http.method,
    path: pathOf(http, options.paths),
    id: name,
    effect,
    audited,
    ...(declared.isAlwaysAvailable && { isAlwaysAvailable: true }),
    query: queryOf(http, input),
    lists: listsOf(input),
    ...(http.body !== undefined && { body: bodyOf(http.body, options.limits) }),
    answer: { ...http.answer, ...(headers && { headers }), ...(version && { version }) },
    problems,
    handle: (call) =>
      options.gate.carryOut(name, declared, call.caller, call.path.name, () => run(inputOf(call), call)),
  };
}

function bodyOf(
  { limit, ...body }: NonNullable<HttpForm['body']>,
  limits: OperationRoutesOptions['limits'],
): RouteBody {
  return { ...body, maxBytes: limits[limit], setting: `--${limit}` };
}

/** Puts path and query together; both have been checked. */
function inputReader<N extends OperationName>({ path }: HttpForm): (call: Call) => InputOf<N> {
  const inPath = (['name', 'id', 't_since', 't_until'] as const).filter((name) => isInPath(path, name));
  return (call) => {
    const input: Record<string, unknown> = { ...call.query };
    for (const name of inPath) input[name] = call.path[name];
    return input as InputOf<N>;
  };
}
