// Carries out one kind of request, as the catalogue declares it: its operation, item by item for a batch; or a watch.
// Only its implementation knows what an operation does.
import {
  type ChannelRequest,
  type Checker,
  checker,
  declarationOf,
  type ItemResult,
  itemSchema,
  jsonType,
  type Permission,
  ProblemError,
} from '@telltale/schema';
import type { Caller } from '../../access/index.ts';
import {
  type Asked,
  type Asking,
  type Gate,
  type GatedOperation,
  type Implementations,
  type ImplementedName,
  type Note,
  type PagesReply,
  runOf,
} from '../../operations/index.ts';
import type { Lease } from '../../points/index.ts';
import type { Slices } from '../../runtime/index.ts';
import type { ChannelClient } from './channel-client.ts';
import { inOrder } from './in-order.ts';
import type { AnswerBytes, Outcome } from './outcome.ts';
import type { RecordsAnswer } from './records-answer.ts';
import { unwatch, type Watched as WatchedObjects, watch } from './watch-requests.ts';
import type { Watches } from './watches.ts';

export interface RequestHandlerParts {
  /** Operations without an implementation are refused. */
  readonly implementations: Partial<Implementations>;
  readonly watches: Watches;
  readonly slices: Slices;
  readonly gate: Gate;
  readonly records: RecordsAnswer;
}

/** The fields of a message or of an item: among them the input of its operation. */
type Fields = Readonly<Record<string, unknown>>;

type Watched = NonNullable<ChannelRequest['watch']>;

interface AskedOperation {
  readonly gated: GatedOperation;
  readonly when: readonly (readonly [string, unknown])[];
  readonly run: (input: Fields, asked: Asked) => unknown;
}

export class RequestHandler {
  readonly #request: ChannelRequest;
  readonly #parts: RequestHandlerParts;
  readonly #operations: readonly AskedOperation[];
  readonly #answerFields: readonly string[];
  /** Of a batch, checks an item by itself: one that is wrong does not stop the others. */
  readonly #item: Checker | undefined;

  constructor(request: ChannelRequest, parts: RequestHandlerParts) {
    this.#request = request;
    this.#parts = parts;
    const item = itemSchema(request.request);
    this.#item = item && checker(item);
    this.#answerFields = Object.keys(request.answer ?? {});
    this.#operations = request.operations.map(({ name, when }) => ({
      gated: parts.gate.operation(name, declarationOf(name)),
      when: Object.entries(when),
      run: implementationOf(parts.implementations, name as ImplementedName),
    }));
  }

  get isInOrder(): boolean {
    return this.#request.isInOrder === true;
  }

  /** The operation of the message; of a batch one of them that the caller may ask for, if any: each item has its own. */
  operationOf(message: Fields, { rights }: Caller): GatedOperation {
    if (this.#request.batch === undefined) return this.#chosen(message).gated;
    const permitted = this.#operations.find(({ gated: { permission } }) => rights.has(permission as Permission));
    return (permitted ?? this.#chosen(message)).gated;
  }

  handle(client: ChannelClient, message: Fields): Promise<Outcome> | Outcome {
    const { watch: watched, batch } = this.#request;
    if (watched !== undefined) return this.#watch(client, message, watched);
    return batch === undefined ? this.#single(client, message) : this.#batch(client, message, batch);
  }

  #single(client: ChannelClient, message: Fields): Promise<Outcome> | Outcome {
    const { gate } = this.#parts;
    const { gated, run } = this.#chosen(message);
    const name = typeof message.name === 'string' ? message.name : '';
    this.#admitTo(gated, client, message.name as string | undefined);
    return gate.carryOut(gated, askingOf(client), name, (note) => {
      const result = run(message, askedBy(client, note));
      if (!(result instanceof Promise)) return this.#outcomeOf(client, name, result);
      return result.then((settled) => this.#outcomeOf(client, name, settled));
    });
  }

  /** Each item on its own; one that the client may not write to is refused. All are queued at once. */
  async #batch(client: ChannelClient, message: Fields, field: string): Promise<Outcome> {
    const { gate, slices } = this.#parts;
    const { caller } = client;
    const asking = askingOf(client);
    const { [field]: items, ...shared } = message;
    const turns = (items as readonly (string | (Fields & { readonly name: string }))[]).map((item) => {
      const fields = typeof item === 'string' ? { name: item } : item;
      const { gated, run } = this.#chosen(fields);
      return { fields, gated, run, turn: gate.turn(gated, caller, fields.name) };
    });
    const carryOut = async ({ fields, gated, run }: (typeof turns)[number]): Promise<ItemResult> => {
      const { name } = fields;
      try {
        this.#checkItem(fields);
        this.#admitTo(gated, client, name);
        await gate.carryOut(gated, asking, name, (note) => run({ ...shared, ...fields }, askedBy(client, note)));
        return { name, result: true };
      } catch (error) {
        return { name, result: false, error: gate.refuse(gated, error).toJSON() };
      }
    };
    return { results: await inOrder(turns, (each) => each.turn.begin(() => carryOut(each)), slices) };
  }

  #admitTo(gated: GatedOperation, client: ChannelClient, name: string | undefined): void {
    const { gate } = this.#parts;
    try {
      gate.admitTo(gated, client.caller, name);
    } catch (error) {
      gate.denied(gated, askingOf(client), name ?? '', error);
      throw error;
    }
  }

  #checkItem(fields: Fields): void {
    const faults = this.#item?.faults(fields) ?? [];
    if (faults.length > 0) throw new ProblemError('invalid-body', `${faults[0]?.path} ${faults[0]?.message}.`, faults);
  }

  #watch(client: ChannelClient, message: Fields, { kind, ends }: Watched): Promise<Outcome> | Outcome {
    const { gate, watches, slices } = this.#parts;
    const [field = ''] = Object.keys(this.#request.fields);
    const what = message[field] as WatchedObjects;
    return gate.carryOut<Outcome>(this.#chosen(message).gated, askingOf(client), '', () =>
      ends ? unwatch(watches, kind, client, what) : watch({ watches, kind, field, client, what, slices }),
    );
  }

  #chosen(fields: Fields): AskedOperation {
    const [first] = this.#operations as readonly [AskedOperation];
    if (this.#operations.length === 1) return first;
    return this.#operations.find(({ when }) => when.every(([field, value]) => fields[field] === value)) ?? first;
  }

  /** The one field of an answer is the result; of several, each is a member of it. */
  #outcomeOf(client: ChannelClient, name: string, result: unknown): Promise<Outcome> | Outcome {
    const [field, ...others] = this.#answerFields;
    if (field === undefined) return {};
    // HTTP streams {"name":[…]}; a message has the list alone, whole.
    if (this.#request.request === 'ReadArchive') {
      const gathered = this.#parts.records.gather(client, name, result as PagesReply | Lease);
      return gathered.then((records) => ({ more: { [field]: records } }));
    }
    if (others.length === 0) return { more: { [field]: bytesOf(result) } };
    const members = result as Readonly<Record<string, unknown>>;
    return { more: Object.fromEntries(this.#answerFields.map((each) => [each, JSON.stringify(members[each])])) };
  }
}

function implementationOf(implementations: Partial<Implementations>, name: ImplementedName): AskedOperation['run'] {
  const implementation = implementations[name];
  if (implementation !== undefined)
    return runOf(implementation as Parameters<typeof runOf>[0]) as AskedOperation['run'];
  return () => {
    throw new ProblemError('starting', `${name} is not served yet.`);
  };
}

/** A text is JSON already. */
function bytesOf(result: unknown): string | AnswerBytes {
  if (typeof result === 'string') return result;
  const isBytes = typeof result === 'object' && result !== null && ('bytes' in result || 'pieces' in result);
  return isBytes ? (result as AnswerBytes) : JSON.stringify(result);
}

/** Who asks over a connection. */
export function askingOf(client: ChannelClient): Asking {
  return { caller: client.caller, credentials: { source: client.remoteAddress } };
}

function askedBy(client: ChannelClient, note: Note): Asked {
  return { ...askingOf(client), connection: client, signal: () => client.gone(), type: jsonType, note };
}
