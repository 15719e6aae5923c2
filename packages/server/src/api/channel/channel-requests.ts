// Carries out the requests of the channel: reads a message, checks it against its schema, does it, and makes the answer.
import {
  type Checker,
  channelRequestNames,
  channelRequests,
  checker,
  type ItemResult,
  openRequestSchema,
  ProblemError,
  RequestId,
  readJson,
  strangersJson,
} from '@telltale/schema';
import type { Gate, GatedOperation, Implementations } from '../../operations/index.ts';
import { type Gathered, type Gathering, Pieces, stepItems } from '../../points/index.ts';
import type { Slices } from '../../runtime/index.ts';
import { Backlog } from './backlog.ts';
import type { ChannelClient } from './channel-client.ts';
import type { Outcome } from './outcome.ts';
import { RecordsAnswer } from './records-answer.ts';
import { askingOf, RequestHandler } from './request-handler.ts';
import { RequestOrder } from './request-order.ts';
import type { Watches } from './watches.ts';

export interface ChannelRequestsOptions {
  /** Operations without an implementation are refused. */
  readonly implementations: Partial<Implementations>;
  readonly watches: Watches;
  /** For long messages, and answers of many items. */
  readonly slices: Slices;
  readonly gate: Gate;
}

/** A longer message is parsed, and started, in slices; a shorter one within a millisecond or two. */
const longBytes = 16 << 10;

interface KnownRequest {
  readonly schema: Checker;
  readonly handler: RequestHandler;
}

const requestId = checker(RequestId);

export class ChannelRequests {
  readonly #options: ChannelRequestsOptions;
  readonly #known: ReadonlyMap<string, KnownRequest>;
  readonly #underWay = new WeakMap<ChannelClient, number>();
  readonly #order = new RequestOrder();
  /** Of all clients; each ends when it is answered. */
  readonly #unanswered = new Set<Promise<void>>();
  readonly counts = { good: 0, bad: 0 };
  readonly backlog = new Backlog();

  constructor(options: ChannelRequestsOptions) {
    this.#options = options;
    const parts = { ...options, records: new RecordsAnswer(this.backlog) };
    this.#known = new Map(
      channelRequestNames.map((name) => [
        name,
        { schema: checker(openRequestSchema(name)), handler: new RequestHandler(channelRequests[name], parts) },
      ]),
    );
  }

  /** Answers every message, valid or not, and resolves then. Those of a client are started in order of arrival. */
  take(client: ChannelClient, bytes: Buffer): Promise<void> {
    const before = this.#order.before(client) ?? client.whenTaken();
    const isShort = bytes.length <= longBytes && before === undefined;
    const begin = isShort ? undefined : this.#order.hold(client);
    const carryOut = async (): Promise<void> => {
      await client.whenTaken(); // nothing more is made for a client that has still to take a long answer
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
    let operation: GatedOperation | undefined;
    let isCarriedOut = false;
    const { gate, slices } = this.#options;
    const underWay = this.#underWay.get(client) ?? 0;
    this.#underWay.set(client, underWay + 1);
    try {
      const message = asObject(bytes.length <= longBytes ? readJson(bytes) : await this.#readInSlices(bytes));
      if (requestId.fits(message.id)) id = message.id as RequestId;
      const { schema, handler } = this.#find(message);
      operation = handler.operationOf(message, client.caller);
      checkMessage(schema, message);
      gate.admit(operation, client.caller, underWay);
      const outcome = handler.handle(client, message);
      if (!handler.isInOrder) begun?.();
      else if (outcome instanceof Promise) begun ??= this.#order.hold(client);
      // An outcome that is known at once is answered at once: behind the request there may be a close frame.
      const settled = outcome instanceof Promise ? await outcome : outcome;
      isCarriedOut = settled.results === undefined; // items of a batch are counted each
      const results = settled.results && slices.run(textsOf(settled.results), () => client.isOpen);
      this.#answer(client, id, settled, results instanceof Promise ? await results : results);
      isCarriedOut = false;
      const more = client.isOpen ? settled.afterwards?.() : undefined;
      if (more === undefined) return;
      begun ??= this.#order.hold(client);
      await more;
    } catch (error) {
      if (operation !== undefined) gate.denied(operation, askingOf(client), '', error);
      const problem = gate.refuse(operation, error, isCarriedOut);
      client.send(`{"request_id":${JSON.stringify(id)},"result":false,"error":${JSON.stringify(problem)}}`);
      this.counts.bad++;
    } finally {
      this.#underWay.set(client, (this.#underWay.get(client) ?? 1) - 1);
      begun?.();
    }
  }

  #find({ request }: Record<string, unknown>): KnownRequest {
    const known = typeof request === 'string' ? this.#known.get(request) : undefined;
    if (known !== undefined) return known;
    throw new ProblemError('unknown-request', `request must be one of ${channelRequestNames.join(', ')}.`);
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

  /** Throws where too much is queued for clients. Only reads count: changes by a request are reported in any case. */
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
    await this.#options.slices.each(reader.read(), () => undefined);
    return reader.value;
  }
}

function checkMessage(schema: Checker, message: Record<string, unknown>): void {
  if (schema.fits(message)) return;
  const faults = schema.faults(message);
  throw new ProblemError('invalid-body', `${faults[0]?.path} ${faults[0]?.message}.`, faults);
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
