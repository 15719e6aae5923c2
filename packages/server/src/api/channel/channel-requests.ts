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
  strangersJson,
} from '@telltale/schema';
import type { Logger } from 'pino';
import { type Caller, checkAccess, checkNamedWrite } from '../../access/index.ts';
import type { Lease } from '../../points/index.ts';
import { inSlices } from '../../runtime/index.ts';
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
import { WatchBatch } from './watch-batch.ts';
import { namesField, type Watchable, type Watches, type WatchKind, watchKinds } from './watches.ts';

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

/** So many are looked at in slices; a short message has fewer. */
const manyItems = 5000;

type Request = Record<string, unknown>;
type ModuleOperation = ChannelRequestFields<'OperateFunctionModules'>['operations'][number];
type Handler = (client: ChannelClient, fields: Request) => Promise<Outcome> | Outcome;

/** What an answer has besides `request_id` and `result`: texts and lent bytes of JSON, by field. */
interface Outcome {
  readonly more?: Readonly<Record<string, string | Lease>>;
  /** Of a batch: what became of each item. */
  readonly results?: readonly ItemResult[];
  /** Done when the answer has been sent. */
  readonly afterwards?: () => Promise<void> | undefined;
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

  #reads(): Pick<
    Record<ChannelRequestName, Handler>,
    'ReadMeasurements' | 'ReadCommands' | 'ReadAlarms' | 'ReadSimulations' | 'ReadDatabase'
  > {
    const { data } = this.#options;
    /** Of many names, those that are not there are left out first. */
    const selecting =
      (
        objects: { find(name: string): number },
        read: (names: string[] | undefined, fields: unknown) => Outcome,
      ): Handler =>
      (_client, { names, fields }) =>
        isMany(names)
          ? knownAmong(names, objects).then((known) => read(known, fields))
          : read(names as string[] | undefined, fields);
    return {
      ReadMeasurements: selecting(data.measurements, (names, fields) => ({
        more: { measurements: data.readMeasurements({ names, fields: fields as MeasurementField[] }) },
      })),
      ReadCommands: selecting(data.commands, (names, fields) => ({
        more: { commands: data.readCommands({ names, fields: fields as CommandField[] }) },
      })),
      ReadAlarms: selecting(data.alarms, (names, fields) => ({
        more: { alarms: data.readAlarms({ names, fields: fields as AlarmField[] }) },
      })),
      ReadSimulations: () => ({ more: { simulations: data.readSimulations() } }),
      ReadDatabase: (_client, { select }) => {
        const read = (known: Selected): Outcome => {
          const members = Object.entries(data.readDatabase(known)).flatMap(([kind, objects], at) => [
            Buffer.from(`${at === 0 ? '{' : ','}"${kind}":`),
            objects,
          ]);
          const bytes = Buffer.concat([...members, Buffer.from(members.length === 0 ? '{}' : '}')]);
          return { more: { database: { bytes, release: () => undefined } } };
        };
        const selected = select as Selected;
        return Object.values(selected).some(isMany) ? knownIn(selected, data).then(read) : read(selected);
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
  #watch(client: ChannelClient, of: WatchKind, names: string[] | 'all'): Promise<Outcome> | Outcome {
    const { watches } = this.#options;
    const kind = watches.of(of);
    if (names === 'all') {
      return {
        afterwards: () => {
          kind.watchAll(client);
          return undefined;
        },
      };
    }
    const refusal = watches.refuse(client, of, names.length);
    if (refusal !== undefined) throw refusal;
    const batch = new WatchBatch(namesField(of), (name) => kind.has(name));
    const outcome = (): Outcome => ({
      ...(batch.results !== undefined && { results: batch.results }),
      afterwards: () => kind.watch(client, batch.found),
    });
    if (names.length > manyItems) return inSlices(names, (name) => batch.take(name)).then(outcome);
    for (const name of names) batch.take(name);
    return outcome();
  }

  #unwatch(client: ChannelClient, of: WatchKind, names: string[] | 'all'): Promise<Outcome> | Outcome {
    const kind = this.#options.watches.of(of);
    if (names === 'all') kind.leave(client);
    else if (names.length > manyItems) return this.#unwatchMany(client, kind, names);
    else kind.unwatch(client, names);
    return {};
  }

  /** So many at a time as one turn takes. */
  async #unwatchMany(client: ChannelClient, kind: Watchable, names: readonly string[]): Promise<Outcome> {
    const starts = Array.from({ length: Math.ceil(names.length / manyItems) }, (_, at) => at * manyItems);
    await inSlices(starts, (start) => kind.unwatch(client, names.slice(start, start + manyItems)));
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

function isMany(names: unknown): names is string[] {
  return Array.isArray(names) && names.length > manyItems;
}

/** In slices. */
async function knownAmong(names: readonly string[], objects: { find(name: string): number }): Promise<string[]> {
  const known = new Set<string>();
  await inSlices(names, (name) => {
    if (objects.find(name) >= 0) known.add(name);
  });
  return [...known];
}

type Selected = ChannelRequestFields<'ReadDatabase'>['select'];

async function knownIn(select: Selected, data: DataAccess): Promise<Selected> {
  const known: Selected = { ...select };
  for (const kind of ['measurements', 'commands', 'alarms'] as const) {
    const names = select[kind];
    if (isMany(names)) known[kind] = await knownAmong(names, data[kind]);
  }
  return known;
}

function named(names: readonly string[]): { name: string }[] {
  return names.map((name) => ({ name }));
}
