// The channel: requests with their answers, and watches as async iterations, over a connection that comes back by
// itself. A request is sent once; where the connection is lost before its answer, it is rejected, never repeated.
import type {
  AlarmStateChangeNotification,
  ChannelAnswer,
  ChannelNotification,
  ChannelRequestFields,
  ChannelRequestName,
  CommandUpdateNotification,
  ConnectorUpdateNotification,
  FunctionModuleLogNotification,
  FunctionModuleUpdateNotification,
  ItemResult,
  MeasurementUpdateNotification,
  ProviderUpdateNotification,
} from '@telltale/schema';
import { type Clock, OpenCalls, parseJson, systemClock } from '@telltale/schema/values';
import { type ChannelState, Connection, ownWebSocketTakesHeaders, type WebSocketConstructor } from './connection.ts';
import type { Credential } from './credential.ts';
import type { AlarmSelector, CommandSelector, MeasurementSelector } from './criteria.ts';
import { selectorOf } from './criteria.ts';
import { readProblem, TelltaleProblem, Unreachable } from './errors.ts';
import { type NamedUpdate, UpdateQueue, type Updates } from './update-queue.ts';
import type { WatchedNames } from './watch-table.ts';
import { WatchedKind, type WatchedObjects } from './watched-kind.ts';

export type MeasurementUpdate = MeasurementUpdateNotification['updates'][number];
export type CommandUpdate = CommandUpdateNotification['updates'][number];
export type AlarmChange = AlarmStateChangeNotification['changes'][number];
export type FunctionModuleUpdate = FunctionModuleUpdateNotification['updates'][number];
/** A line that a module printed, with its name. */
export type FunctionModuleLine = FunctionModuleLogNotification['lines'][number];
export type ConnectorUpdate = ConnectorUpdateNotification['updates'][number];
export type ProviderUpdate = ProviderUpdateNotification['updates'][number];

export interface ChannelOptions {
  readonly url: string;
  readonly WebSocket?: WebSocketConstructor;
  /** Says who asks. The WebSocket of a browser cannot carry it: there, the cookie says it. */
  readonly token?: Credential | undefined;
  /** Asked where a connection is not accepted: a WebSocket does not say what the service has answered. */
  readonly whyRefused?: () => Promise<TelltaleProblem | undefined>;
  /** After so long a request without an answer is given up, and so is an attempt to connect; 30 s where not given. */
  readonly timeoutMs?: number;
  /** How often the service is asked whether it is there; 10 s where not given. */
  readonly heartbeatMs?: number;
  readonly clock?: Clock;
  readonly random?: () => number;
}

export interface RequestOptions {
  /** Ends the wait for the answer: the request rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface WatchOptions {
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined;
  /** Updates that are queued for a slow reader before only the newest of each name is kept. Default: 10,000. */
  readonly maxPending?: number | undefined;
}

export type Watch<Update extends NamedUpdate> = AsyncIterableIterator<Updates<Update>, undefined>;

/** A good answer: what the request asked for, and of a batch what became of each item. */
export type Answer<N extends ChannelRequestName> = ChannelAnswer<N> & { readonly results?: ItemResult[] };

type AnyTable = Pick<WatchedKind<NamedUpdate>, 'connected' | 'lost' | 'retryMissing' | 'notify' | 'close'>;

/** As the requests name them. */
type KindName = Extract<ChannelRequestName, `Watch${string}`> extends `Watch${infer Kind}` ? Kind : never;

const defaultTimeoutMs = 30_000;
const defaultHeartbeatMs = 10_000;
const defaultMaxPending = 10_000;
/** Of changes that may not be passed over. */
const maxPendingChanges = 1_000_000;
const maxOpenCalls = 10_000;

export class Channel {
  readonly #url: string;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #heartbeatMs: number;
  readonly #connection: Connection;
  readonly #calls = new OpenCalls();
  readonly #listeners = new Set<(state: ChannelState, reason: string) => void>();
  readonly #queryListeners = new Set<(queryId: number) => void>();
  /** By the name of the notification that has their updates. */
  readonly #tables = new Map<unknown, AnyTable>();
  readonly #measurements = this.#table<MeasurementUpdate>(
    'Measurements',
    'measurements',
    'MeasurementUpdateNotification',
  );
  readonly #commands = this.#table<CommandUpdate>('Commands', 'commands', 'CommandUpdateNotification');
  readonly #alarms = this.#table<AlarmChange>('Alarms', 'alarms', 'AlarmStateChangeNotification');
  readonly #functionModules = this.#table<FunctionModuleUpdate>(
    'FunctionModules',
    'function_modules',
    'FunctionModuleUpdateNotification',
  );
  readonly #functionModuleLogs = this.#table<FunctionModuleLine>(
    'FunctionModuleLogs',
    'function_modules',
    'FunctionModuleLogNotification',
  );
  readonly #connectors = this.#table<ConnectorUpdate>('Connectors', 'connectors', 'ConnectorUpdateNotification');
  readonly #providers = this.#table<ProviderUpdate>('Providers', 'providers', 'ProviderUpdateNotification');
  #received = 0;
  #ignored = 0;
  #cancelHeartbeat: () => void = () => undefined;

  /** Connects at once. Throws a TypeError where there is a token that the WebSocket cannot carry. */
  constructor(options: ChannelOptions) {
    if (options.token !== undefined && options.WebSocket === undefined && !ownWebSocketTakesHeaders()) {
      throw new TypeError('The WebSocket of a browser cannot send a token: pass another implementation as WebSocket.');
    }
    this.#url = options.url;
    this.#clock = options.clock ?? systemClock;
    this.#timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
    this.#heartbeatMs = options.heartbeatMs ?? defaultHeartbeatMs;
    this.#connection = new Connection({
      url: options.url,
      // The types of browsers know no headers: those are given to it only where it takes them.
      WebSocket: options.WebSocket ?? (globalThis.WebSocket as unknown as WebSocketConstructor),
      token: options.token,
      whyRefused: options.whyRefused,
      clock: this.#clock,
      random: options.random ?? Math.random,
      connectTimeoutMs: this.#timeoutMs,
      onMessage: (data) => this.#receive(data),
      onState: (state, reason) => this.#entered(state, reason),
    });
  }

  /** While it is not `connected`, values received before may be out of date. */
  get state(): ChannelState {
    return this.#connection.state;
  }

  /** Why the service refuses to connect, such as that nobody is signed in; undefined where it does not, or does not say. */
  get refusal(): TelltaleProblem | undefined {
    return this.#connection.refusal;
  }

  /** Messages that were passed over because they are not of the channel, or not of this version of it. */
  get ignored(): number {
    return this.#ignored;
  }

  /** Calls at each change of the state, from now on; the returned function ends that. */
  onState(listener: (state: ChannelState, reason: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls when the supervisor of a function module asks whether it lives; `AnswerQuery` is the answer. */
  onQuery(listener: (queryId: number) => void): () => void {
    this.#queryListeners.add(listener);
    return () => this.#queryListeners.delete(listener);
  }

  /**
   * Waits for the first connection, not for a lost one. Rejects with a TelltaleProblem where the service refuses, all or
   * in part, and with Unreachable where no answer comes. Throws where the fields are no JSON: nothing is sent then.
   */
  request<N extends ChannelRequestName>(
    request: N,
    fields: ChannelRequestFields<N>,
    options: RequestOptions = {},
  ): Promise<Answer<N>> {
    if (this.#calls.size < maxOpenCalls) return this.#ask(request, fields, options);
    const reason = `${maxOpenCalls} requests wait for their answers already`;
    return Promise.reject(this.#unreachable(request, false, reason));
  }

  /** What the channel asks by itself is bounded by those who watch: without it no watch and no connection would go on. */
  #ask<N extends ChannelRequestName>(
    request: N,
    fields: ChannelRequestFields<N>,
    { signal, timeoutMs = this.#timeoutMs }: RequestOptions = {},
  ): Promise<Answer<N>> {
    let id = 0;
    let text = '';
    let isSent = false;
    const unreachable = (reason: string) => {
      const error = this.#unreachable(request, isSent, reason);
      return error.mayHaveHappened ? error : (this.refusal ?? error);
    };
    if (!signal?.aborted && (this.state === 'lost' || this.state === 'closed')) {
      return Promise.reject(unreachable(`the channel is ${this.state}`));
    }
    const send = () => {
      isSent = true;
      this.#connection.send(text);
    };
    const stopWaiting = this.onState((state, reason) => {
      if (state !== 'connected') this.#calls.fail(id, unreachable(reason));
      else if (!isSent && this.#calls.has(id)) send();
    });
    const begin = (given: number) => {
      id = given;
      text = JSON.stringify({ ...fields, request, id });
      if (this.state === 'connected') send();
    };
    const error = () => unreachable(`no answer within ${timeoutMs / 1000} s`);
    const limit = { clock: this.#clock, ms: timeoutMs, error };
    try {
      const answer = this.#calls.open<Answer<N>>(begin, { signal, limit });
      answer.then(stopWaiting, stopWaiting);
      return answer;
    } catch (error) {
      stopWaiting();
      throw error;
    }
  }

  /**
   * The present values, then every change. By a selector, also of what matches later; what matches no longer comes once
   * more, with `left`.
   */
  watchMeasurements(what: WatchedNames | MeasurementSelector, options: WatchOptions = {}): Watch<MeasurementUpdate> {
    return this.#watch(this.#measurements, watchedBy(what), { conflates: true, ...options });
  }

  watchCommands(what: WatchedNames | CommandSelector, options: WatchOptions = {}): Watch<CommandUpdate> {
    return this.#watch(this.#commands, watchedBy(what), { conflates: true, ...options });
  }

  /** The present states, then every transition: none is passed over. */
  watchAlarms(what: WatchedNames | AlarmSelector, { signal }: WatchOptions = {}): Watch<AlarmChange> {
    return this.#watch(this.#alarms, watchedBy(what), { conflates: false, maxPending: maxPendingChanges, signal });
  }

  watchFunctionModules(names: WatchedNames, { signal }: WatchOptions = {}): Watch<FunctionModuleUpdate> {
    return this.#watch(this.#functionModules, names, { conflates: false, maxPending: maxPendingChanges, signal });
  }

  /** What modules print from now on. For a slow reader, only the newest line of each module is kept. */
  watchFunctionModuleLogs(names: WatchedNames, options: WatchOptions = {}): Watch<FunctionModuleLine> {
    return this.#watch(this.#functionModuleLogs, names, { conflates: true, ...options });
  }

  /** The present states, then every change of a state: none is passed over. */
  watchConnectors(names: WatchedNames, { signal }: WatchOptions = {}): Watch<ConnectorUpdate> {
    return this.#watch(this.#connectors, names, { conflates: false, maxPending: maxPendingChanges, signal });
  }

  watchProviders(names: WatchedNames, { signal }: WatchOptions = {}): Watch<ProviderUpdate> {
    return this.#watch(this.#providers, names, { conflates: false, maxPending: maxPendingChanges, signal });
  }

  /** Ends every iteration and rejects every request. */
  close(): void {
    for (const table of this.#tables.values()) table.close();
    this.#connection.close();
  }

  #table<Update extends NamedUpdate>(
    kind: KindName,
    field: string,
    notification: ChannelNotification['notification'],
  ): WatchedKind<Update> {
    const ask = (verb: 'Watch' | 'Unwatch', what: WatchedObjects) =>
      this.#ask(`${verb}${kind}`, { [field]: what } as ChannelRequestFields<ChannelRequestName>);
    const table = new WatchedKind<Update>({
      sendsPresent: kind !== 'FunctionModuleLogs',
      watch: (what) => ask('Watch', what) as Promise<{ selection?: number }>,
      unwatch: (what) => void ask('Unwatch', what).catch(() => undefined), // updates that still arrive are ignored
      settled: () => this.#ask('Heartbeat', {}),
      onSilence: () => this.#connection.drop('a watch was not answered'),
    });
    this.#tables.set(notification, table);
    return table;
  }

  #watch<Update extends NamedUpdate>(
    table: WatchedKind<Update>,
    what: WatchedObjects,
    options: { conflates: boolean; maxPending?: number | undefined; signal?: AbortSignal | undefined },
  ): Watch<Update> {
    const { maxPending = defaultMaxPending } = options;
    const queue = new UpdateQueue<Update>({ ...options, maxPending, onEnd: () => table.remove(queue) });
    if (this.state === 'closed') queue.close();
    table.add(queue, what);
    return queue;
  }

  #entered(state: ChannelState, reason: string): void {
    this.#cancelHeartbeat();
    for (const table of this.#tables.values()) {
      if (state === 'connected') table.connected();
      else table.lost();
    }
    if (state === 'connected') this.#cancelHeartbeat = this.#clock.after(this.#heartbeatMs, () => this.#beat());
    for (const listener of [...this.#listeners]) listener(state, reason);
  }

  /** A peer that says nothing at all until the next beat is dead, however alive its socket looks. */
  #beat(): void {
    const before = this.#received;
    this.#ask('Heartbeat', {}).catch(() => undefined);
    for (const table of this.#tables.values()) table.retryMissing();
    this.#cancelHeartbeat = this.#clock.after(this.#heartbeatMs, () => {
      if (this.#received === before) this.#connection.drop(`it was silent for ${this.#heartbeatMs / 1000} s`);
      else this.#beat();
    });
  }

  #receive(data: unknown): void {
    this.#received++;
    const message = typeof data === 'string' ? readMessage(data) : undefined;
    if (message === undefined) this.#ignored++;
    else if ('request_id' in message) this.#answered(message);
    else if (!this.#notified(message)) this.#ignored++;
  }

  #answered({ request_id: id, result, error, results, ...answer }: Record<string, unknown>): void {
    const items = Array.isArray(results) ? (results as ItemResult[]) : undefined;
    const isKnown =
      result === true
        ? this.#calls.answer(id as number, items === undefined ? answer : { ...answer, results: items })
        : this.#calls.fail(id as number, new TelltaleProblem(problemIn(error), items));
    if (!isKnown) this.#ignored++; // of a request that was given up
  }

  #notified({ notification, updates, changes, lines, skipped, selection, query_id }: Record<string, unknown>): boolean {
    if (notification === 'FunctionModuleQuery') {
      if (typeof query_id !== 'number') return false;
      for (const listener of [...this.#queryListeners]) listener(query_id);
      return this.#queryListeners.size > 0;
    }
    const passedOver = typeof skipped === 'number' && skipped > 0 ? skipped : 0;
    const table = this.#tables.get(notification);
    table?.notify(namedIn(updates ?? changes ?? lines), passedOver, selection);
    return table !== undefined;
  }

  #unreachable(request: ChannelRequestName, isSent: boolean, reason: string): Unreachable {
    const mayHaveHappened = isSent && !/^(?:Heartbeat|Read|Watch|Unwatch)/.test(request);
    const doubt = mayHaveHappened ? 'It is not known whether it was carried out: look before you repeat it.' : '';
    return new Unreachable(`${request} got no answer from ${this.#url} (${reason}). ${doubt}`.trimEnd(), {
      mayHaveHappened,
    });
  }
}

function watchedBy(what: WatchedNames | MeasurementSelector): WatchedObjects {
  return what === 'all' || Array.isArray(what) ? what : selectorOf(what as MeasurementSelector);
}

function problemIn(error: unknown) {
  const { status } = (error ?? {}) as { status?: unknown };
  return readProblem(error, typeof status === 'number' ? status : 500, '');
}

function readMessage(text: string): Record<string, unknown> | undefined {
  try {
    const message = parseJson(text);
    return typeof message === 'object' && message !== null ? (message as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** What has a name; anything else is not of this version. */
function namedIn(updates: unknown): NamedUpdate[] {
  if (!Array.isArray(updates)) return [];
  return updates.filter((update) => typeof (update as NamedUpdate | null)?.name === 'string');
}
