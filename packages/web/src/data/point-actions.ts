// What people do to points: write, force, release, acknowledge, activate, deactivate. Of several names each is done or refused
// by itself; nothing is ever repeated. What is shown meanwhile is left to the views.
import type { Approval, ItemResult, Signature, SignedOperation } from '@telltale/schema';
import { deviceMayHaveIt, nothingSent } from '@telltale/schema/values';
import { channel, client, link, TelltaleProblem, Unreachable } from './service.ts';

/**
 * `waiting`: a second person has to approve it. `reason-needed`, `signature-needed`: nothing happened, it wants to be
 * confirmed. `refused`: nothing happened. `unknown`: it may have happened, people have to look.
 */
export type OutcomeKind = 'done' | 'waiting' | 'reason-needed' | 'signature-needed' | 'refused' | 'unknown';

/** What became of one name. */
export interface Outcome {
  readonly name: string;
  readonly kind: OutcomeKind;
  /** Undefined where it is done or waits. */
  readonly error: Error | undefined;
  readonly approval?: Approval;
}

export interface NamedValue {
  readonly name: string;
  /** With its prefix, such as `d21.5`. */
  readonly value: string;
}

export interface ForceOptions {
  /** Seconds after which it ends by itself; until it is released where not given. */
  readonly validForS?: number | undefined;
  /** Good where not given. */
  readonly quality?: number | undefined;
  readonly reason?: string | undefined;
}

export interface SignedRequest {
  readonly operation: SignedOperation;
  readonly input: Readonly<Record<string, unknown>>;
  readonly reason: string;
  readonly signature: Signature;
}

export type AlarmAction = 'acknowledge' | 'activate' | 'deactivate';

/** So many go in one request; the service takes ten times as many. */
const namesARequest = 1000;
/** The service waits for a device for so long at most, and for one after the other. Whether it lives, the channel asks. */
const timeoutMs = 120_000;

/** Resolves when the device has accepted or refused it. */
export async function writePoint({ name, value }: NamedValue, reason?: string): Promise<Outcome> {
  const writes = [{ name, value, ...given({ reason }) }];
  return one(name, await inBatches([{ name }], () => channel.request('WriteCommands', { writes }, { timeoutMs })));
}

/** Resolves when all are forced, or refused. */
export function forcePoints(
  items: readonly NamedValue[],
  { validForS, quality, reason }: ForceOptions = {},
): Promise<Outcome[]> {
  const besides = given({ 'valid-for': validForS, quality, reason });
  return inBatches(items, (batch) => {
    const simulations = batch.map(({ name, value }) => ({ name, value, ...besides }));
    return channel.request('SimulateMeasurements', { simulations }, { timeoutMs });
  });
}

export async function forcePoint(item: NamedValue, options: ForceOptions = {}): Promise<Outcome> {
  return one(item.name, await forcePoints([item], options));
}

/** Resolves when the devices have their say again. */
export function releasePoints(names: readonly string[]): Promise<Outcome[]> {
  return inBatches(named(names), (batch) =>
    channel.request('StopSimulation', { measurements: batch.map(({ name }) => name) }, { timeoutMs }),
  );
}

export function operateAlarms(names: readonly string[], opcode: AlarmAction): Promise<Outcome[]> {
  return inBatches(named(names), (batch) =>
    channel.request('OperateAlarms', { operations: batch.map(({ name }) => ({ name, opcode })) }, { timeoutMs }),
  );
}

/** Any action that has to be signed, for what it does to `name`. */
export async function signAction(name: string, action: SignedRequest): Promise<Outcome> {
  try {
    const approval = await client.approvals.sign({ ...action, input: { ...action.input } });
    return approval.state === 'pending'
      ? { name, kind: 'waiting', error: undefined, approval }
      : { name, kind: 'done', error: undefined };
  } catch (error) {
    return failureOf(name, error);
  }
}

/** Those that were not done. */
export function failuresOf(outcomes: readonly Outcome[]): Outcome[] {
  return outcomes.filter(({ error }) => error !== undefined);
}

const named = (names: readonly string[]) => names.map((name) => ({ name }));

const one = (name: string, [only]: readonly Outcome[]): Outcome => only ?? { name, kind: 'done', error: undefined };

type Given<Fields> = { [Field in keyof Fields]?: NonNullable<Fields[Field]> };

/** What is not undefined of these. */
const given = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>;

/**
 * Over the channel: a browser by itself sends a request of HTTP once more where its connection breaks, and what is done to a
 * plant is sent once.
 */
async function inBatches<Item extends { readonly name: string }>(
  items: readonly Item[],
  request: (batch: readonly Item[]) => Promise<unknown>,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let at = 0; at < items.length; at += namesARequest) {
    const batch = items.slice(at, at + namesARequest);
    const error = await asked(() => request(batch));
    const results = error instanceof TelltaleProblem ? error.results : [];
    const byName = new Map(results.map((result) => [result.name, result]));
    for (const { name } of batch) outcomes.push(resultOf(name, byName.get(name), error));
    // Without an answer nothing is known of this batch, and the next one would fare no better.
    if (error !== undefined && results.length === 0) {
      for (const { name } of items.slice(at + namesARequest)) outcomes.push(failureOf(name, notAsked()));
      break;
    }
  }
  return outcomes;
}

/** The error, where there is one. Nobody wants a write to leave later, when the link is back. */
async function asked(request: () => Promise<unknown>): Promise<Error | undefined> {
  if (link.peek().state !== 'connected') return notAsked();
  try {
    await request();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function resultOf(name: string, result: ItemResult | undefined, otherwise: Error | undefined): Outcome {
  if (otherwise === undefined || result?.result) return { name, kind: 'done', error: undefined };
  return failureOf(name, result?.error === undefined ? otherwise : new TelltaleProblem(result.error));
}

function notAsked(): Unreachable {
  return new Unreachable(`There is no link to the service. ${nothingSent}`, { mayHaveHappened: false });
}

/** After these, it may have happened unless the detail says otherwise. */
const doubtful: readonly string[] = [
  'write-timeout',
  'acknowledge-timeout',
  'connector-down',
  'storage-failed',
  'internal',
];

/** What is not certain to have been refused is unknown. */
function failureOf(name: string, thrown: unknown): Outcome {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  return { name, kind: kindOf(error), error };
}

function kindOf(error: Error): OutcomeKind {
  if (error instanceof Unreachable) return error.mayHaveHappened ? 'unknown' : 'refused';
  if (!(error instanceof TelltaleProblem)) return 'unknown';
  const { problem, detail, status } = error;
  if (problem === 'reason-needed' || problem === 'signature-needed') return problem;
  if (detail.includes(nothingSent)) return 'refused';
  const isOfNobody = problem === '' && status >= 500; // a proxy on the way
  return isOfNobody || doubtful.includes(problem) || detail.includes(deviceMayHaveIt) ? 'unknown' : 'refused';
}
