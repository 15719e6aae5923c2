// The routes of HTTP, derived from the catalogue of operations and from what carries them out.
import {
  type BodyLimit,
  checker,
  declarationOf,
  type HttpBody,
  type HttpForm,
  type HttpOperationName,
  httpOperationNames,
  type InputOf,
  ProblemError,
  readJson,
} from '@telltale/schema';
import Type from 'typebox';
import {
  type Gate,
  type Implementations,
  type InterfacePaths,
  pathOf,
  type Run,
  runOf,
  type Versioned,
} from '../operations/index.ts';
import { isInPath, listsOf, queryOf } from './http-form.ts';
import { type Call, objectOf, type Route, type RouteBody } from './route.ts';

export interface OperationRoutesOptions {
  readonly implementations: Partial<Implementations>;
  readonly paths: InterfacePaths;
  readonly gate: Gate;
  readonly limits: Readonly<Record<BodyLimit, number>>;
  readonly headers?: Partial<Record<HttpOperationName, Readonly<Record<string, string>>>>;
}

export function operationRoutes(options: OperationRoutesOptions): Route[] {
  return httpOperationNames.flatMap((name) => {
    const implementation = options.implementations[name] as Run<typeof name> | Versioned<typeof name> | undefined;
    return implementation === undefined ? [] : [routeOf(name, implementation, options)];
  });
}

function routeOf<N extends HttpOperationName>(
  name: N,
  implementation: Run<N> | Versioned<N>,
  options: OperationRoutesOptions,
): Route {
  const declared = declarationOf(name);
  const { effect, permission, audited, input, problems, http } = declared;
  const run = runOf(implementation);
  const version = typeof implementation === 'function' ? undefined : implementation.version;
  const inputOf = inputReader<N>(http);
  const headers = options.headers?.[name];
  const { gate } = options;
  const operation = gate.operation(name, declared);
  const carryOut = (call: Call) =>
    gate.carryOut(operation, call, objectOf(call.path), (note) =>
      run(inputOf(call), audited ? { ...call, note } : call),
    );
  /** It may have waited for others on the same object. */
  const carryOutInTurn = (call: Call) => {
    const { name } = call.path;
    try {
      gate.admitTo(operation, call.caller, name);
    } catch (error) {
      gate.denied(operation, call, name, error);
      throw error;
    }
    return carryOut(call);
  };
  return {
    method: http.method,
    path: pathOf(http, options.paths),
    id: name,
    effect,
    permission,
    audited,
    ...(declared.isAlwaysAvailable && { isAlwaysAvailable: true }),
    query: queryOf(http, input),
    ...(http.ignoresQuery && { ignoresQuery: true }),
    lists: listsOf(input),
    ...(http.body !== undefined && { body: bodyOf(http.body, options.limits) }),
    answer: {
      ...http.answer,
      ...(headers && { headers }),
      ...(version && { version: (call: Call) => version(call, call.path) }),
    },
    problems,
    handle: operation.isOrdered
      ? (call) => gate.turn(operation, call.caller, call.path.name).begin(() => carryOutInTurn(call))
      : carryOut,
  };
}

/** What it is done to. */
function bodyOf(
  { limit, ...body }: NonNullable<HttpForm['body']>,
  limits: OperationRoutesOptions['limits'],
): RouteBody {
  return { ...body, maxBytes: limits[limit], setting: `--${limit}` };
}

/** Longer than any body that is input: it is read beside the live values. */
const mostInputBytes = 64 << 10;

/** Puts path and query, which have been checked, and the body together. */
function inputReader<N extends HttpOperationName>({ path, body }: HttpForm): (call: Call) => InputOf<N> {
  const readBody = body?.isInput ? bodyReader(body) : undefined;
  const inPath = (
    [
      'name',
      'account',
      'session',
      'passkey',
      'approval',
      'member',
      'secret',
      'site',
      'id',
      't_since',
      't_until',
      'folder',
      'page',
      'file',
    ] as const
  ).filter((name) => isInPath(path, name));
  return (call) => {
    const input: Record<string, unknown> = { ...call.query, ...readBody?.(call.whole) };
    for (const name of inPath) input[name] = call.path[name];
    return input as InputOf<N>;
  };
}

function bodyReader({ schema = Type.Object({}) }: HttpBody): (json: Uint8Array) => object {
  const check = checker(schema);
  return (json) => {
    if (json.length > mostInputBytes) {
      throw new ProblemError('body-too-large', `At most ${mostInputBytes} bytes are taken here.`);
    }
    const input = readJson(json);
    if (check.fits(input)) return input as object;
    const faults = check.faults(input);
    throw new ProblemError('invalid-body', `${faults[0]?.path || 'The body'} ${faults[0]?.message}.`, faults);
  };
}
