// What is asked of a site over its channel, and changes something there, as it is recorded at the centre: each with what the site has
// answered. The messages go by; nothing of them is held back.
import type { Duplex } from 'node:stream';
import {
  channelRequests,
  declarationOf,
  type OperationName,
  ProblemError,
  type ProblemName,
  problems,
  readJson,
} from '@telltale/schema';
import { ChannelMessages } from './channel-messages.ts';

/** Something that is asked for; `work` resolves with what it came to. */
export type RecordAsked = (operation: OperationName, object: string, work: () => Promise<AskedOutcome>) => void;

export interface AskedOutcome {
  /** As the client calls the request. */
  readonly id: string;
  readonly status: number;
  readonly problem: string | undefined;
}

interface Asked {
  readonly id: string;
  readonly isBatch: boolean;
  readonly outcomes: readonly PromiseWithResolvers<AskedOutcome>[];
}

type Fields = Readonly<Record<string, unknown>>;

/** As many as a site takes at once. */
const mostItems = 10_000;
/** Of one client, that are not answered. */
const mostPending = 2 * mostItems;
const answerStart = '{"request_id":';
const done = 204;

/** `stream`: of the site. A client that says what cannot be recorded is cut off: it is not said to the site as a whole. */
export function recordChannel(client: Duplex, stream: Duplex, mostBytes: number, record: RecordAsked): void {
  const asked: Asked[] = [];
  let pending = 0;
  const cutOff = () => {
    stream.destroy();
    client.destroy();
  };
  const fromClient = new ChannelMessages({
    mostBytes,
    onMessage: (message) => {
      const found = message && readAsked(message, record);
      if (found !== undefined) asked.push(found);
      pending += found?.outcomes.length ?? 0;
      if (message === undefined || pending > mostPending) cutOff();
    },
  });
  const fromSite = new ChannelMessages({
    mostBytes,
    onMessage: (message) => {
      if (asked.length > 0 && message?.toString('latin1', 0, answerStart.length) === answerStart)
        settle(asked, message);
    },
  });
  client.on('data', (bytes: Buffer) => fromClient.take(bytes));
  stream.on('data', (bytes: Buffer) => fromSite.take(bytes));
  stream.once('close', () => {
    const unknown = new ProblemError('outcome-unknown', 'The channel was closed before the site has answered.');
    for (const { outcomes } of asked.splice(0)) for (const { reject } of outcomes) reject(unknown);
  });
}

/** Undefined: nothing of it is recorded. */
function readAsked(message: Buffer, record: RecordAsked): Asked | undefined {
  const fields = read(message);
  if (!Object.hasOwn(channelRequests, String(fields.request))) return undefined;
  const request = channelRequests[fields.request as keyof typeof channelRequests];
  const chosen = (of: Fields): OperationName | undefined =>
    request.operations.find(({ when }) => Object.entries(when).every(([field, value]) => of[field] === value))?.name;
  const { batch } = request;
  const listed = batch === undefined ? [fields] : fields[batch];
  if (!Array.isArray(listed)) return undefined;
  const items = listed.slice(0, mostItems).map((item) => (typeof item === 'string' ? { name: item } : asFields(item)));
  const id = String(fields.id ?? null).slice(0, 64);
  const outcomes = items.map((item) => {
    const outcome = Promise.withResolvers<AskedOutcome>();
    outcome.promise.catch(() => undefined);
    const name = chosen(item) ?? request.operations[0]?.name;
    const object = typeof item.name === 'string' ? item.name.slice(0, 256) : '';
    if (name !== undefined && declarationOf(name).audited) record(name, object, () => outcome.promise);
    return outcome;
  });
  const isRecorded = request.operations.some(({ name }) => declarationOf(name).audited);
  return isRecorded && outcomes.length > 0 ? { id, isBatch: batch !== undefined, outcomes } : undefined;
}

/** Answers how many items have their outcome now. */
function settle(asked: Asked[], message: Buffer): number {
  const { request_id: of, result, error, results } = read(message);
  const at = asked.findIndex(({ id }) => id === String(of));
  const [found] = at < 0 ? [] : asked.splice(at, 1);
  if (found === undefined) return 0;
  const { id, isBatch, outcomes } = found;
  const each = isBatch && Array.isArray(results) ? results.map(asFields) : [];
  for (const [item, { resolve }] of outcomes.entries()) {
    const { result: isDone, error: why } = each[item] ?? { result, error };
    const problem = isDone === true ? undefined : problemIn(why);
    const known = Object.hasOwn(problems, problem ?? '') ? problems[problem as ProblemName].status : 500;
    resolve({ id, status: isDone === true ? done : known, problem });
  }
  return outcomes.length;
}

/** As its page of the documents ends. */
function problemIn(error: unknown): string {
  return /#problem-([a-z-]{1,64})$/.exec(String(asFields(error).type))?.[1] ?? 'internal';
}

function read(message: Buffer): Fields {
  try {
    return asFields(readJson(message));
  } catch {
    return {};
  }
}

function asFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
