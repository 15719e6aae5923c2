// Carries out the requests of the channel: reads a message, checks it against its schema, does it, and makes the answer.
import {
  type ChannelRequestFields,
  type ChannelRequestName,
  type Checker,
  channelRequestNames,
  checker,
  type FunctionModuleField,
  type ItemResult,
  ProblemError,
  RequestId,
  readJson,
  requestSchema,
  strangersJson,
} from '@telltale/schema';
import type { Logger } from 'pino';
import { checkAccess } from '../../access/index.ts';
import { inSlices } from '../../runtime/index.ts';
import type { ArchiveOperations } from '../archive/index.ts';
import type { DataAccess } from '../data/index.ts';
import type { StackAccess } from '../diagnostics/index.ts';
import type { ModuleAccess } from '../modules/index.ts';
import { toProblem } from '../problems.ts';
import { ArchiveRequests } from './archive-requests.ts';
import type { ChannelClient } from './channel-client.ts';
import { readRequests } from './read-requests.ts';
import { requestAccess } from './request-access.ts';
import { type Handler, manyItems, type Outcome, type Request } from './request-handler.ts';
import { StackRequests } from './stack-requests.ts';
import { watchRequests } from './watch-requests.ts';
import { type Watches, watchKinds } from './watches.ts';
import { writeRequests } from './write-requests.ts';

export interface ChannelRequestsOptions {
  readonly data: DataAccess;
  /** Without these, what is asked of them is refused. */
  readonly archive?: ArchiveOperations;
  readonly stacks?: StackAccess;
  readonly modules?: ModuleAccess;
  readonly watches: Watches;
  readonly log: Logger;
  /** Why the service cannot answer now; undefined where it can. */
  readonly unavailable: () => 'starting' | 'stopping' | undefined;
  /** Why nothing may be written now, though reads are answered; undefined where it may. */
  readonly writeRefusal?: () => ProblemError | undefined;
}

/** Requests of a client that may be under way at once: more are refused, so that none waits without a bound. */
const mostUnderWay = 1000;

/** A longer message is read, and begun, in slices; a shorter one within a millisecond or two. */
const longBytes = 16 << 10;

const requestId = checker(RequestId);

export class ChannelRequests {
  readonly #options: ChannelRequestsOptions;
  readonly #checkers = new Map<string, Checker>(
    channelRequestNames.map((name) => [name, checker(requestSchema(name))]),
  );
  readonly #handlers: Record<ChannelRequestName, Handler>;
  readonly #archive: ArchiveRequests;
  readonly #stacks: StackRequests;
  readonly #underWay = new WeakMap<ChannelClient, number>();
  /** Of clients one of whose messages is long: the end of the beginning of the last one. */
  readonly #beginnings = new WeakMap<ChannelClient, Promise<unknown>>();
  /** Of all clients; each ends when it is answered. */
  readonly #unanswered = new Set<Promise<void>>();
  readonly counts = { good: 0, bad: 0 };

  constructor(options: ChannelRequestsOptions) {
    this.#options = options;
    this.#archive = new ArchiveRequests(options.archive);
    this.#stacks = new StackRequests(options.stacks);
    this.#handlers = {
      ...readRequests(options.data),
      ...writeRequests({ data: options.data, modules: () => this.#modules, log: options.log }),
      ...watchRequests(options.watches),
      ReadArchive: async (client, fields) => ({
        more: { records: await this.#archive.read(client, fields as ChannelRequestFields<'ReadArchive'>) },
      }),
      EraseArchive: async (_client, fields) => {
        await this.#archive.erase(fields as ChannelRequestFields<'EraseArchive'>);
        return {};
      },
      ReadConnectors: (_client, fields) => ({
        more: this.#stacks.read('connector', fields as ChannelRequestFields<'ReadConnectors'>),
      }),
      ReadProviders: (_client, fields) => ({
        more: this.#stacks.read('provider', fields as ChannelRequestFields<'ReadProviders'>),
      }),
      ExplainMeasurement: async (_client, fields) => ({
        more: await this.#stacks.explain(fields as ChannelRequestFields<'ExplainMeasurement'>),
      }),
      BrowseConnector: async (client, fields) => ({
        more: await this.#stacks.browse(client, fields as ChannelRequestFields<'BrowseConnector'>),
      }),
      ReadFunctionModules: (_client, { names, fields }) => {
        const selection = { names: names as string[], fields: fields as FunctionModuleField[] };
        return { more: { function_modules: this.#modules.read(selection) } };
      },
      AnswerQuery: ({ caller }, { query_id: queryId, status }) => {
        if (caller.module === undefined) {
          throw new ProblemError('not-a-module', 'Only a function module answers queries, and this client is none.');
        }
        this.#modules.answer(caller.module, queryId as number, status as string | undefined);
        return {};
      },
      Heartbeat: () => ({}),
    };
  }

  /** Answers every message, good or not, and resolves then. Those of a client are begun in the order in which they came. */
  take(client: ChannelClient, bytes: Buffer): Promise<void> {
    const isShort = bytes.length <= longBytes && !this.#beginnings.has(client);
    const carriedOut = isShort ? this.#carryOut(client, bytes, () => undefined) : this.#inTurn(client, bytes);
    const answered = carriedOut.finally(() => this.#unanswered.delete(answered));
    this.#unanswered.add(answered);
    return answered;
  }

  /** Resolves when all that is under way now is answered. */
  async finished(): Promise<void> {
    await Promise.all(this.#unanswered);
  }

  /** A long message, or one behind it: while it is read, no more are taken of the client. */
  async #inTurn(client: ChannelClient, bytes: Buffer): Promise<void> {
    const before = this.#beginnings.get(client);
    const { promise: begun, resolve: onBegun } = Promise.withResolvers<void>();
    this.#beginnings.set(client, begun);
    client.hold();
    begun.then(() => {
      if (this.#beginnings.get(client) !== begun) return;
      this.#beginnings.delete(client);
      client.release();
    });
    await before;
    await this.#carryOut(client, bytes, onBegun);
  }

  async #carryOut(client: ChannelClient, bytes: Buffer, onBegun: () => void): Promise<void> {
    let id: RequestId | null = null;
    const underWay = this.#underWay.get(client) ?? 0;
    this.#underWay.set(client, underWay + 1);
    try {
      const message = asObject(bytes.length <= longBytes ? readJson(bytes) : await readInSlices(bytes));
      if (requestId.fits(message.id)) id = message.id as RequestId;
      if (underWay >= mostUnderWay) {
        throw new ProblemError('too-many-requests', `${mostUnderWay} requests of this client are under way.`);
      }
      const name = this.#check(message);
      checkAccess(client.caller, requestAccess[name]);
      const state = this.#options.unavailable();
      if (state !== undefined) throw new ProblemError(state, `The service is ${state}.`);
      const unwritable = requestAccess[name] === 'read' ? undefined : this.#options.writeRefusal?.();
      if (unwritable !== undefined) throw unwritable;
      const outcome = this.#handlers[name](client, message);
      // A watch of many names begins bit by bit: what comes behind it may end it.
      if (watchKinds[name] === undefined) onBegun();
      // What is known at once is answered at once: behind the request there may be a close frame.
      const settled = outcome instanceof Promise ? await outcome : outcome;
      const { results = [] } = settled;
      this.#answer(client, id, settled, results.length > manyItems ? await textInSlices(results) : textOf(settled));
      const more = settled.afterwards?.();
      if (more !== undefined) await more;
    } catch (error) {
      const problem = toProblem(error as Error, this.#options.log);
      client.send(`{"request_id":${JSON.stringify(id)},"result":false,"error":${JSON.stringify(problem)}}`);
      this.counts.bad++;
    } finally {
      this.#underWay.set(client, (this.#underWay.get(client) ?? 1) - 1);
      onBegun();
    }
  }

  #check(message: Request): ChannelRequestName {
    const { request } = message;
    const schema = typeof request === 'string' ? this.#checkers.get(request) : undefined;
    if (schema === undefined) {
      const known = channelRequestNames.join(', ');
      throw new ProblemError('unknown-request', `request must be one of ${known}.`);
    }
    if (!schema.fits(message)) {
      const faults = schema.faults(message);
      throw new ProblemError('invalid-body', `${faults[0]?.path} ${faults[0]?.message}.`, faults);
    }
    return request as ChannelRequestName;
  }

  #answer(
    client: ChannelClient,
    id: RequestId | null,
    { more = {}, results }: Outcome,
    resultsText: string | undefined,
  ): void {
    const failed = results?.find(({ result }) => !result);
    this.counts[failed === undefined ? 'good' : 'bad']++;
    const error = failed === undefined ? '' : `,"error":${JSON.stringify(failed.error)}`;
    const items = resultsText === undefined ? '' : `,"results":${resultsText}`;
    const parts: Buffer[] = [
      Buffer.from(`{"request_id":${JSON.stringify(id)},"result":${failed === undefined}${error}${items}`),
    ];
    for (const [field, json] of Object.entries(more)) {
      parts.push(Buffer.from(`,"${field}":`), typeof json === 'string' ? Buffer.from(json) : json.bytes);
    }
    parts.push(Buffer.from('}'));
    client.send(Buffer.concat(parts));
    for (const json of Object.values(more)) if (typeof json !== 'string') json.release();
  }

  get #modules(): ModuleAccess {
    const { modules } = this.#options;
    if (modules !== undefined) return modules;
    throw new ProblemError('starting', 'There are no function modules yet.');
  }
}

async function readInSlices(bytes: Buffer): Promise<unknown> {
  const reader = strangersJson(bytes);
  await inSlices(reader.read(), () => undefined);
  return reader.value;
}

function asObject(message: unknown): Request {
  if (typeof message === 'object' && message !== null && !Array.isArray(message)) return message as Request;
  throw new ProblemError('malformed-json', 'A message is one JSON object.');
}

function textOf({ results }: Outcome): string | undefined {
  return results === undefined ? undefined : JSON.stringify(results);
}

async function textInSlices(results: readonly ItemResult[]): Promise<string> {
  const texts: string[] = [];
  await inSlices(results, (result) => texts.push(JSON.stringify(result)));
  return `[${texts.join(',')}]`;
}
