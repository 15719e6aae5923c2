// Carries out the requests of the channel: reads a message, checks it against its schema, does it, and makes the answer.
import {
  type AlarmField,
  type AlarmOperation,
  type ChannelRequestFields,
  type ChannelRequestName,
  type Checker,
  type CommandField,
  channelRequestNames,
  checker,
  type FunctionModuleField,
  type ItemResult,
  type MeasurementField,
  ProblemError,
  RequestId,
  readJson,
  requestSchema,
} from '@telltale/schema';
import type { Logger } from 'pino';
import { type Caller, checkAccess, checkNamedWrite } from '../../access/index.ts';
import type { Lease } from '../../points/index.ts';
import type { ArchiveOperations } from '../archive/index.ts';
import type { DataAccess } from '../data/index.ts';
import type { StackAccess } from '../diagnostics/index.ts';
import type { ModuleAccess } from '../modules/index.ts';
import { toProblem } from '../problems.ts';
import { ArchiveRequests } from './archive-requests.ts';
import type { ChannelClient } from './channel-client.ts';
import { inOrder } from './in-order.ts';
import { requestAccess } from './request-access.ts';
import { StackRequests } from './stack-requests.ts';
import { namesField, type Watches, type WatchKind, watchKinds } from './watches.ts';

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
}

/** Requests of a client that may be under way at once: more are refused, so that none waits without a bound. */
const mostUnderWay = 1000;

type Request = Record<string, unknown>;
type ModuleOperation = ChannelRequestFields<'OperateFunctionModules'>['operations'][number];
type Handler = (client: ChannelClient, fields: Request) => Promise<Outcome> | Outcome;

/** What an answer has besides `request_id` and `result`: texts and lent bytes of JSON, by field. */
interface Outcome {
  readonly more?: Readonly<Record<string, string | Lease>>;
  /** Of a batch: what became of each item. */
  readonly results?: readonly ItemResult[];
  /** Done when the answer has been sent. */
  readonly afterwards?: () => void;
}

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
  /** Of all clients; each ends when it is answered. */
  readonly #unanswered = new Set<Promise<void>>();
  readonly counts = { good: 0, bad: 0 };

  constructor(options: ChannelRequestsOptions) {
    this.#options = options;
    this.#archive = new ArchiveRequests(options.archive);
    this.#stacks = new StackRequests(options.stacks);
    this.#handlers = {
      ...this.#reads(),
      ...this.#writes(),
      ...this.#watchRequests(),
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

  /** Answers every message, good or not. */
  take(client: ChannelClient, bytes: Buffer): void {
    const answered = this.#carryOut(client, bytes).finally(() => this.#unanswered.delete(answered));
    this.#unanswered.add(answered);
  }

  /** Resolves when all that is under way now is answered. */
  async finished(): Promise<void> {
    await Promise.all(this.#unanswered);
  }

  async #carryOut(client: ChannelClient, bytes: Buffer): Promise<void> {
    let id: RequestId | null = null;
    const underWay = this.#underWay.get(client) ?? 0;
    this.#underWay.set(client, underWay + 1);
    try {
      const message = readMessage(bytes);
      if (requestId.fits(message.id)) id = message.id as RequestId;
      if (underWay >= mostUnderWay) {
        throw new ProblemError('too-many-requests', `${mostUnderWay} requests of this client are under way.`);
      }
      const name = this.#check(message);
      checkAccess(client.caller, requestAccess[name]);
      const state = this.#options.unavailable();
      if (state !== undefined) throw new ProblemError(state, `The service is ${state}.`);
      const outcome = this.#handlers[name](client, message);
      // What is known at once is answered at once: behind the request there may be a close frame.
      this.#answer(client, id, outcome instanceof Promise ? await outcome : outcome);
    } catch (error) {
      const problem = toProblem(error as Error, this.#options.log);
      client.send(`{"request_id":${JSON.stringify(id)},"result":false,"error":${JSON.stringify(problem)}}`);
      this.counts.bad++;
    } finally {
      this.#underWay.set(client, (this.#underWay.get(client) ?? 1) - 1);
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

  #answer(client: ChannelClient, id: RequestId | null, { more = {}, results, afterwards }: Outcome): void {
    const failed = results?.find(({ result }) => !result);
    this.counts[failed === undefined ? 'good' : 'bad']++;
    const error = failed === undefined ? '' : `,"error":${JSON.stringify(failed.error)}`;
    const items = results === undefined ? '' : `,"results":${JSON.stringify(results)}`;
    const parts: Buffer[] = [
      Buffer.from(`{"request_id":${JSON.stringify(id)},"result":${failed === undefined}${error}${items}`),
    ];
    for (const [field, json] of Object.entries(more)) {
      parts.push(Buffer.from(`,"${field}":`), typeof json === 'string' ? Buffer.from(json) : json.bytes);
    }
    parts.push(Buffer.from('}'));
    client.send(Buffer.concat(parts));
    for (const json of Object.values(more)) if (typeof json !== 'string') json.release();
    afterwards?.();
  }

  get #modules(): ModuleAccess {
    const { modules } = this.#options;
    if (modules !== undefined) return modules;
    throw new ProblemError('starting', 'There are no function modules yet.');
  }

  #reads(): Pick<
    Record<ChannelRequestName, Handler>,
    'ReadMeasurements' | 'ReadCommands' | 'ReadAlarms' | 'ReadSimulations' | 'ReadDatabase'
  > {
    const { data } = this.#options;
    return {
      ReadMeasurements: (_client, { names, fields }) => {
        const selection = { names: names as string[], fields: fields as MeasurementField[] };
        return { more: { measurements: data.readMeasurements(selection) } };
      },
      ReadCommands: (_client, { names, fields }) => {
        const selection = { names: names as string[], fields: fields as CommandField[] };
        return { more: { commands: data.readCommands(selection) } };
      },
      ReadAlarms: (_client, { names, fields }) => {
        const selection = { names: names as string[], fields: fields as AlarmField[] };
        return { more: { alarms: data.readAlarms(selection) } };
      },
      ReadSimulations: () => ({ more: { simulations: data.readSimulations() } }),
      ReadDatabase: (_client, { select }) => {
        const found = data.readDatabase(select as ChannelRequestFields<'ReadDatabase'>['select']);
        const members = Object.entries(found).map(([kind, objects]) => `"${kind}":${objects}`);
        return { more: { database: `{${members.join(',')}}` } };
      },
    };
  }

  #writes(): Pick<
    Record<ChannelRequestName, Handler>,
    | 'WriteCommands'
    | 'SimulateMeasurements'
    | 'StopSimulation'
    | 'OperateAlarms'
    | 'AckAlarms'
    | 'OperateFunctionModules'
  > {
    const { data } = this.#options;
    return {
      WriteCommands: (client, { writes }) =>
        this.#batch(client, writes as ChannelRequestFields<'WriteCommands'>['writes'], ({ name, value }) =>
          data.writeCommand(name, value),
        ),
      SimulateMeasurements: (client, { simulations }) =>
        this.#batch(client, simulations as ChannelRequestFields<'SimulateMeasurements'>['simulations'], (each) =>
          data.simulate(each.name, {
            value: each.value,
            quality: each.quality,
            validForS: each['valid-for'],
            by: client.caller.author,
          }),
        ),
      StopSimulation: (client, { measurements }) =>
        this.#batch(client, named(measurements as string[]), ({ name }) => data.stopSimulation(name)),
      OperateAlarms: (client, { operations, authority }) =>
        this.#batch(client, operations as { name: string; opcode: AlarmOperation }[], ({ name, opcode }) =>
          data.operateAlarm(name, opcode, client.caller.authorityOr(authority as string | undefined)),
        ),
      AckAlarms: (client, { alarms, authority }) =>
        this.#batch(client, named(alarms as string[]), ({ name }) =>
          data.operateAlarm(name, 'acknowledge', client.caller.authorityOr(authority as string | undefined)),
        ),
      OperateFunctionModules: (client, { operations }) =>
        this.#batch(client, operations as ModuleOperation[], ({ name, opcode }) => this.#modules.operate(name, opcode)),
    };
  }

  #watchRequests(): Pick<Record<ChannelRequestName, Handler>, Extract<ChannelRequestName, `${string}atch${string}s`>> {
    const handlers: Partial<Record<ChannelRequestName, Handler>> = {};
    for (const [request, kind] of Object.entries(watchKinds)) {
      const carryOut = request.startsWith('Un') ? this.#unwatch : this.#watch;
      handlers[request as ChannelRequestName] = (client, fields) =>
        carryOut.call(this, client, kind, fields[namesField(kind)] as string[] | 'all');
    }
    return handlers as Record<ChannelRequestName, Handler>;
  }

  /** The answer comes first, then the present values. */
  #watch(client: ChannelClient, of: WatchKind, names: string[] | 'all'): Outcome {
    const { watches } = this.#options;
    const kind = watches.of(of);
    if (names === 'all') return { afterwards: () => kind.watchAll(client) };
    const refusal = watches.refuse(client, of, names.length);
    if (refusal !== undefined) throw refusal;
    const found = names.filter((name) => kind.has(name));
    const afterwards = () => kind.watch(client, found);
    if (found.length === names.length) return { afterwards };
    return {
      results: names.map((name) => (kind.has(name) ? { name, result: true } : unknown(namesField(of), name))),
      afterwards,
    };
  }

  #unwatch(client: ChannelClient, of: WatchKind, names: string[] | 'all'): Outcome {
    const kind = this.#options.watches.of(of);
    if (names === 'all') kind.leave(client);
    else kind.unwatch(client, names);
    return {};
  }

  /** Each item by itself; of a write, one that the client may not write to is refused. */
  async #batch<Item extends { name: string }>(
    { caller }: { readonly caller: Caller },
    items: readonly Item[],
    carryOut: (item: Item) => Promise<void>,
  ): Promise<Outcome> {
    const results = await inOrder(items, async (item): Promise<ItemResult> => {
      try {
        checkNamedWrite(caller, item.name);
        await carryOut(item);
        return { name: item.name, result: true };
      } catch (error) {
        return { name: item.name, result: false, error: toProblem(error as Error, this.#options.log).toJSON() };
      }
    });
    return { results };
  }
}

function readMessage(bytes: Buffer): Request {
  const message = readJson(bytes);
  if (typeof message === 'object' && message !== null && !Array.isArray(message)) return message as Request;
  throw new ProblemError('malformed-json', 'A message is one JSON object.');
}

function unknown(field: string, name: string): ItemResult {
  const problem = new ProblemError('unknown-object', `${field} has no ${JSON.stringify(name.slice(0, 80))}.`);
  return { name, result: false, error: problem.toJSON() };
}

function named(names: readonly string[]): { name: string }[] {
  return names.map((name) => ({ name }));
}
