// Everything that is checked about a request before its handler sees it: who asks and whether that one may, names, query,
// type and length of the body, the type that the answer shall have.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { type Checker, checker, type Fault, isIdentifier, ProblemError, reservedName } from '@telltale/schema';
import Type from 'typebox';
import { checkAccess, checkNamedWrite, type ModuleTokens } from '../access/index.ts';
import { chooseType } from './choose-type.ts';
import { accessOf, type Call, jsonType, type Route, type RouteAnswer, type RouteBody } from './route.ts';
import type { PathParameters } from './router.ts';

const noQuery = Type.Object({}, { additionalProperties: false });
const noBytes = new Uint8Array();

export type RequestReader = (
  request: IncomingMessage,
  response: ServerResponse,
  params: PathParameters,
  query: object,
) => Promise<Call> | Call;

/** Compiles the checks of one route, once. A request without a body is read at once. */
export function requestReader(route: Route, tokens: Pick<ModuleTokens, 'identify'>): RequestReader {
  const query = checker(route.query ?? noQuery);
  const access = accessOf(route);
  return (request, response, params, given) => {
    const caller = tokens.identify(request.headers.authorization);
    checkAccess(caller, access);
    const { name = '', id: idText, t_since: tSince = '', t_until: tUntil = '' } = params;
    if (name !== '') checkName(name, route);
    if (access === 'named-write') checkNamedWrite(caller, name);
    const id = idText === undefined ? 0 : readId(idText);
    const call: Call = {
      name,
      id,
      tSince,
      tUntil,
      query: readQuery(query, given),
      caller,
      signal: () => endOf(response),
      connection: request.socket,
      json: noBytes,
      stream: request,
      bodyType: '',
      type: typeOf(route.answer, request.headers.accept),
    };
    const body = route.body;
    if (body === undefined) return call;
    const bodyType = readType(request.headers['content-type'], body);
    checkLength(request.headers['content-length'], body);
    const stream = limited(request, body);
    if (body.schema === undefined || body.isStreamed) return { ...call, stream, bodyType };
    return readWhole(stream).then((json) => ({ ...call, stream, bodyType, json }));
  };
}

/** Aborted with the connection, or when the answer is out and nobody cares any more. */
function endOf(answer: ServerResponse): AbortSignal {
  const ending = new AbortController();
  if (answer.destroyed) ending.abort();
  else answer.once('close', () => ending.abort());
  return ending.signal;
}

function checkName(name: string, { method, path, problems }: Route): void {
  if (!isIdentifier(name)) {
    const what = `${JSON.stringify(name.slice(0, 80))} is not a name: 1 to 64 characters of 0-9, a-z, A-Z and _.`;
    const unknown = problems.includes('unknown-stack') ? 'unknown-stack' : 'unknown-object';
    throw new ProblemError(method === 'GET' ? unknown : 'invalid-name', what);
  }
  if (name === reservedName && method === 'PUT' && path.endsWith('/:name')) {
    throw new ProblemError('reserved-name', `${reservedName} lists the family; no object may be called so.`);
  }
}

function readId(text: string): number {
  const id = Number(text);
  if (/^\d{1,15}$/.test(text)) return id;
  throw new ProblemError('unknown-revision', `There is no revision ${JSON.stringify(text.slice(0, 80))}.`);
}

function readQuery(query: Checker, given: object): Readonly<Record<string, unknown>> {
  if (isEmpty(given) && query.fits(given)) return given as Record<string, unknown>;
  const coerced = query.coerce(given);
  if (query.fits(coerced)) return coerced as Record<string, unknown>;
  const faults = query.faults(coerced).map(({ path, message }): Fault => ({ path: path.slice(1), message }));
  const [first] = faults;
  throw new ProblemError('invalid-query', `${first?.path} ${first?.message}.`, faults);
}

function typeOf({ type = jsonType, otherTypes }: RouteAnswer, accept: string | undefined): string {
  if (otherTypes === undefined || accept === undefined) return type;
  const offered = [type, ...otherTypes];
  const chosen = chooseType(accept, offered);
  if (chosen !== undefined) return chosen;
  throw new ProblemError('not-acceptable', `The Accept here is ${offered.join(' or ')}.`);
}

function readType(header: string | undefined, { types }: RouteBody): string {
  const type = header?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== undefined && types.includes(type)) return type;
  const got = type === undefined ? 'There is none' : `It is ${JSON.stringify(type.slice(0, 80))}`;
  throw new ProblemError('unsupported-media-type', `${got}; the Content-Type here is ${types.join(' or ')}.`);
}

function checkLength(header: string | undefined, body: RouteBody): void {
  if (header !== undefined && Number(header) > body.maxBytes) throw tooLarge(body);
}

function tooLarge({ maxBytes, setting }: RouteBody): ProblemError {
  return new ProblemError('body-too-large', `At most ${maxBytes} bytes are taken here; ${setting} sets the limit.`);
}

/** The same bytes until there are too many: then it fails. */
function limited(source: Readable, body: RouteBody): Readable {
  let bytes = 0;
  const counter = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      bytes += chunk.length;
      if (bytes > body.maxBytes) done(tooLarge(body));
      else done(null, chunk);
    },
  });
  counter.on('error', () => undefined); // for whoever reads it; where nobody does, it must not end the process
  source.once('error', (error) => counter.destroy(error));
  source.once('aborted', () => counter.destroy(new ProblemError('malformed-request', 'The body ended too early.')));
  return source.pipe(counter);
}

async function readWhole(stream: Readable): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export const jsonBody = (schema: RouteBody['schema'] & object, maxBytes: number): RouteBody => ({
  types: [jsonType],
  schema,
  maxBytes,
  setting: '--max-json-size',
});

function isEmpty(object: object): boolean {
  for (const _key in object) return false;
  return true;
}
