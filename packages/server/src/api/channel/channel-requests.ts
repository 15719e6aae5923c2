// Carries out the requests of the channel: reads a message, checks it against its schema, does it, and makes the answer.
import {
  type ChannelRequestName,
  type Checker,
  channelRequestNames,
  channelRequests,
  checker,
  type ItemResult,
  ProblemError,
  RequestId,
  readJson,
  requestSchema,
  strangersJson,
} from '@telltale/schema';
import type { Logger } from 'pino';
import type { ArchiveOperations, DataAccess, Gate, ModuleAccess, StackAccess } from '../../operations/index.ts';
import { type Gathered, type Gathering, Pieces, stepItems } from '../../points/index.ts';
import { toProblem } from '../problems.ts';
import { ArchiveRequests } from './archive-requests.ts';
import { Backlog } from './backlog.ts';
import type { ChannelClient } from './channel-client.ts';
import { readRequests } from './read-requests.ts';
import type { Handler, Handlers, Outcome } from './request-handler.ts';
import { RequestOrder } from './request-order.ts';
import { StackRequests } from './stack-requests.ts';
import { watchRequests } from './watch-requests.ts';
import type { Watches } from './watches.ts';
import { writeRequests } from './write-requests.ts';

export interface ChannelRequestsOptions {
  readonly data: DataAccess;
  /** Without these, what is asked of them is refused. */
  readonly archive?: ArchiveOperations;
  readonly stacks?: StackAccess;
  readonly modules?: ModuleAccess;
  readonly watches: Watches;
  readonly log: Logger;
  readonly gate: Gate;
}

/** Requests of a client that may be under way at once: more are refused, so that none waits without a bound. */
const mostUnderWay = 1000;

/** A longer message is read, and begun, in slices; a shorter one within a millisecond or two. */
const longBytes = 16 << 10;

/** Answered in the order in which they came, also where one of them takes a while. */
const readsInOrder: ReadonlySet<ChannelRequestName> = new Set([
  'ReadMeasurements',
  'ReadCommands',
  'ReadAlarms',
  'ReadSimulations',
  'ReadDatabase',
]);

const isWatch = /^(?:W|Unw)atch/;

const requestId = checker(RequestId);

export class ChannelRequests {
  readonly #options: ChannelRequestsOptions;
  readonly #checkers = new Map<string, Checker>(
    channelRequestNames.map((name) => [name, checker(requestSchema(name))]),
  );
  readonly #handlers: Handlers;
  readonly #archive: ArchiveRequests;
  readonly #stacks: StackRequests;
  readonly #underWay = new WeakMap<ChannelClient, number>();
  readonly #order = new RequestOrder();
  /** Of all clients; each ends when it is answered. */
  readonly #unanswered = new Set<Promise<void>>();
  readonly counts = { good: 0, bad: 0 };
  /** What waits for all clients. */
  readonly backlog = new Backlog();

  constructor(options: ChannelRequestsOptions) {
    this.#options = options;
    this.#archive = new ArchiveRequests(options.archive, this.backlog);
    this.#stacks = new StackRequests(options.stacks);
    this.#handlers = {
      ...readRequests(options.data),
      ...writeRequests({ ...options, modules: () => this.#modules }),
      ...watchRequests(options.watches, options.data.slices),
      ReadArchive: async (client, fields) => ({ more: { records: await this.#archive.read(client, fields) } }),
      EraseArchive: ({ caller }, fields) => {
        const erase = async () => {
          await this.#archive.erase(fields);
          return {};
        };
        return options.gate.carryOut('EraseArchive', channelRequests.EraseArchive, caller, fields.name, erase);
      },
      ReadConnectors: (_client, fields) => ({ more: this.#stacks.read('connector', fields) }),
      ReadProviders: (_client, fields) => ({ more: this.#stacks.read('provider', fields) }),
      ExplainMeasurement: async (_client, fields) => ({ more: await this.#stacks.explain(fields) }),
      BrowseConnector: async (client, fields) => ({ more: await this.#stacks.browse(client, fields) }),
      ReadFunctionModules: (_client, selection) => ({ more: { function_modules: this.#modules.read(selection) } }),
      AnswerQuery: ({ caller }, { query_id: queryId, status }) => {
        if (caller.module === undefined) {
          throw new ProblemError('not-a-module', 'Only a function module answers queries, and this client is none.');
        }
        this.#modules.answer(caller.module, queryId, status);
        return {};
      },
      Heartbeat: () => ({}),
    };
  }

  /** Answers every message, good or not, and resolves then. Those of a client are begun in the order in which they came. */
  take(client: ChannelClient, bytes: Buffer): Promise<void> {
    const before = this.#order.before(client) ?? client.whenTaken();
    const isShort = bytes.length <= longBytes && before === undefined;
    const begin = isShort ? undefined : this.#order.hold(client);
    const carryOut = async (): Promise<void> => {
      await client.whenTaken(); // nothing more is made for who has still to take a long answer
      return this.#carryOut(client, bytes, begin);
    };
    const carriedOut = before === undefined ? this.#carryOut(client, bytes, begin) : before.then(carryOut);
    const answered = carriedOut.finally(() => this.#unanswered.delete(answered));
    this.#unanswered.add(answered);
    return answered;
  }

  /** Resolves when all that is under way now is answered. */
  async finished(): Promise<void> {
    await Promise.all(this.#unanswered);
  }

  /** `onBegun` lets those behind it begin; undefined where they need not wait, unless it begins bit by bit. */
  async #carryOut(client: ChannelClient, bytes: Buffer, onBegun: (() => void) | undefined): Promise<void> {
    let id: RequestId | null = null;
    let begun = onBegun;
    const underWay = this.#underWay.get(client) ?? 0;
    this.#underWay.set(client, underWay + 1);
    try {
      const message = asObject(bytes.length <= longBytes ? readJson(bytes) : await this.#readInSlices(bytes));
      if (requestId.fits(message.id)) id = message.id as RequestId;
      if (underWay >= mostUnderWay) {
        throw new ProblemError('too-many-requests', `${mostUnderWay} requests of this client are under way.`);
      }
      const name = this.#check(message);
      this.#options.gate.admit(channelRequests[name], client.caller);
      // Checked against the schema of this very request.
      const outcome = (this.#handlers[name] as (client: ChannelClient, fields: object) => ReturnType<Handler<never>>)(
        client,
        message,
      );
      const isInOrder = isWatch.test(name) || readsInOrder.has(name);
      if (!isInOrder) begun?.();
      else if (outcome instanceof Promise) begun ??= this.#order.hold(client);
      // What is known at once is answered at once: behind the request there may be a close frame.
      const settled = outcome instanceof Promise ? await outcome : outcome;
      const results = settled.results && this.#options.data.slices.run(textsOf(settled.results), () => client.isOpen);
      this.#answer(client, id, settled, results instanceof Promise ? await results : results);
      const more = client.isOpen ? settled.afterwards?.() : undefined;
      if (more === undefined) return;
      begun ??= this.#order.hold(client);
      await more;
    } catch (error) {
      const problem = toProblem(error as Error, this.#options.log);
      client.send(`{"request_id":${JSON.stringify(id)},"result":false,"error":${JSON.stringify(problem)}}`);
      this.counts.bad++;
    } finally {
      this.#underWay.set(client, (this.#underWay.get(client) ?? 1) - 1);
      begun?.();
    }
  }

  #check(message: Record<string, unknown>): ChannelRequestName {
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
    { more = {}, results = [] }: Outcome,
    resultTexts: Gathered | undefined,
  ): void {
    const failed = results.find(({ result }) => !result);
    const error = failed === undefined ? '' : `,"error":${JSON.stringify(failed.error)}`;
    const parts: Buffer[] = [
      Buffer.from(`{"request_id":${JSON.stringify(id)},"result":${failed === undefined}${error}`),
    ];
    if (resultTexts !== undefined) parts.push(Buffer.from(',"results":'), ...resultTexts.pieces);
    const read: Buffer[] = [];
    for (const [field, json] of Object.entries(more)) {
      read.push(Buffer.from(`,"${field}":`));
      if (typeof json === 'string') read.push(Buffer.from(json));
      else read.push(...('pieces' in json ? json.pieces : [json.bytes]));
    }
    const release = () => {
      for (const json of Object.values(more)) if (typeof json !== 'string') json.release?.();
    };
    try {
      this.#admit(read);
    } catch (refusal) {
      release();
      throw refusal;
    }
    this.counts[failed === undefined ? 'good' : 'bad']++;
    client.send([...parts, ...read, Buffer.from('}')], release);
  }

  /** Throws where too much waits for clients. What a request has changed is told in any case: only what is read counts. */
  #admit(read: readonly Buffer[]): void {
    for (const piece of read) this.backlog.hold(piece);
    try {
      this.backlog.admit(read.reduce((sum, { length }) => sum + length, 0));
    } finally {
      for (const piece of read) this.backlog.release(piece);
    }
  }

  async #readInSlices(bytes: Buffer): Promise<unknown> {
    const reader = strangersJson(bytes);
    await this.#options.data.slices.each(reader.read(), () => undefined);
    return reader.value;
  }

  get #modules(): ModuleAccess {
    const { modules } = this.#options;
    if (modules !== undefined) return modules;
    throw new ProblemError('starting', 'There are no function modules yet.');
  }
}

function asObject(message: unknown): Record<string, unknown> {
  if (typeof message === 'object' && message !== null && !Array.isArray(message))
    return message as Record<string, unknown>;
  throw new ProblemError('malformed-json', 'A message is one JSON object.');
}

/** A JSON array of them. */
function* textsOf(results: readonly ItemResult[]): Gathering {
  const pieces = new Pieces();
  pieces.byte(0x5b);
  for (let at = 0; at < results.length; at += stepItems) {
    const texts = results.slice(at, at + stepItems).map((result) => JSON.stringify(result));
    pieces.append(Buffer.from(`${at === 0 ? '' : ','}${texts.join(',')}`));
    yield;
  }
  pieces.byte(0x5d);
  return { pieces: pieces.end() };
}
