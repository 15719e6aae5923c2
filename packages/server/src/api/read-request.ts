// All checks of a request before its handler: the caller and its permission, names, query, type and length of the body,
// the type of the answer.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { accountNamePattern, type Clock, isIdentifier, jsonType, ProblemError, reservedName } from '@telltale/schema';
import Type from 'typebox';
import { type Caller, type Credentials, type Identities, nobody } from '../access/index.ts';
import { type Gate, noNote } from '../operations/index.ts';
import type { HeldBody } from './body-budget.ts';
import { chooseType } from './choose-type.ts';
import type { CredentialsReader } from './credentials.ts';
import { checkBody, isHeld, lengthOf, limited, readWhole } from './read-body.ts';
import { queryReader } from './read-query.ts';
import { awaitsContinue } from './request-form.ts';
import { type Call, objectOf, type Route, type RouteAnswer, type RouteBody } from './route.ts';
import type { Found } from './router.ts';
import type { UnderWay } from './under-way.ts';

const noQuery = Type.Object({}, { additionalProperties: false });
const noBytes = new Uint8Array();

export interface RequestReaderOptions {
  readonly identities: Pick<Identities, 'identify'>;
  readonly credentialsOf: CredentialsReader;
  readonly clock: Clock;
  readonly gate: Gate;
  readonly underWay: UnderWay;
}

type Target = Pick<Found<unknown>, 'params' | 'query'>;

export interface RequestReader {
  /** Throws `ProblemError` where something is wrong. */
  readonly read: (request: IncomingMessage, response: ServerResponse, target: Target) => Call;
  /** The same, and its body; `held` counts the bytes of one that is read whole. */
  readonly readBody: (
    request: IncomingMessage,
    response: ServerResponse,
    target: Target,
    held: HeldBody,
  ) => Promise<Call> | Call;
}

/** Compiles the checks of one route, once. */
export function requestReader(route: Route, options: RequestReaderOptions): RequestReader {
  const { identities, credentialsOf, clock, gate, underWay } = options;
  const readQuery = route.ignoresQuery ? () => ({}) : queryReader(route.query ?? noQuery, route.lists);
  const operation = gate.operation(route.id, route);
  const admitted = (credentials: Credentials, params: Target['params']): Caller => {
    const { name } = params;
    let caller = nobody;
    try {
      caller = identities.identify(credentials);
      gate.admit(operation, caller);
      if (name !== undefined && name !== '') checkName(name, route);
      gate.admitTo(operation, caller, name);
      return caller;
    } catch (error) {
      gate.denied(operation, { caller, credentials }, objectOf(params), error);
      throw error;
    }
  };
  const read: RequestReader['read'] = (request, response, { params, query }) => {
    const credentials = credentialsOf(request);
    const caller = admitted(credentials, params);
    const {
      name = '',
      account = '',
      session = '',
      passkey = '',
      approval = '',
      member = '',
      secret = '',
      site = '',
      id: idText,
      t_since = '',
      t_until = '',
      folder = '',
      page = '',
      file = '',
    } = params;
    if (account !== '') checkAccountName(account, route);
    const id = idText === undefined ? 0 : readId(idText);
    let gone: AbortSignal | undefined;
    return {
      path: {
        name,
        account,
        session,
        passkey,
        approval,
        member,
        secret,
        site,
        id,
        t_since,
        t_until,
        folder,
        page,
        file,
      },
      query: readQuery(query),
      caller,
      credentials,
      signal: () => (gone ??= endOf(response)),
      connection: request.socket,
      whole: noBytes,
      stream: request,
      bodyType: '',
      type: typeOf(route.answer, request.headers.accept),
      note: noNote,
    };
  };
  return {
    read,
    readBody: (request, response, target, held) => {
      const body = route.body as RouteBody;
      const call = { ...read(request, response, target), bodyType: checkBody(request.headers, body) };
      const begin = awaitsContinue(request) ? () => response.writeContinue() : undefined;
      const stream = limited(request, body, clock, begin);
      const end = underWay.begin(call.caller, route.permission, (problem) => {
        // A body that is taken as it comes has a handler already, whose failure is recorded.
        if (isHeld(body)) gate.denied(operation, call, call.path.name, problem);
        stream.destroy(problem);
      });
      stream.once('close', end);
      response.once('close', end); // a body that nobody reads does not close
      if (!isHeld(body)) return { ...call, stream };
      const expected = { stream, held, length: lengthOf(request.headers), maxBytes: body.maxBytes };
      return readWhole(expected).then((whole) => ({ ...call, stream, whole }));
    },
  };
}

/** One for all: to make one takes longer than to refuse a request. */
const goneReason = new ProblemError(
  'malformed-request',
  'The client closed its side of the connection before the answer was there; what may take long ends then.',
);

/** Aborted with the connection, when the answer is out, and when the client ends its side. */
function endOf(answer: ServerResponse): AbortSignal {
  const ending = new AbortController();
  const end = () => ending.abort(goneReason);
  const { socket } = answer;
  if (answer.destroyed || socket === null || socket.readableEnded) {
    end();
    return ending.signal;
  }
  socket.once('end', end);
  answer.once('close', () => {
    socket.off('end', end);
    end();
  });
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

const accountName = new RegExp(accountNamePattern);

function checkAccountName(name: string, { method }: Route): void {
  if (accountName.test(name)) return;
  throw new ProblemError(
    method === 'GET' ? 'unknown-object' : 'invalid-name',
    `${JSON.stringify(name.slice(0, 80))} is not a name: 1 to 64 characters of 0-9, a-z, A-Z, _, ., @ and -.`,
  );
}

function readId(text: string): number {
  const id = Number(text);
  if (/^\d{1,15}$/.test(text)) return id;
  throw new ProblemError('unknown-revision', `There is no revision ${JSON.stringify(text.slice(0, 80))}.`);
}

function typeOf({ type = jsonType, otherTypes }: RouteAnswer, accept: string | undefined): string {
  if (otherTypes === undefined || accept === undefined) return type;
  const offered = [type, ...otherTypes];
  const chosen = chooseType(accept, offered);
  if (chosen !== undefined) return chosen;
  throw new ProblemError('not-acceptable', `The Accept here is ${offered.join(' or ')}.`);
}
