// Asks etcd, whichever member answers: the one that answered last, and the next one as well as soon as it hesitates. So a member
// that hangs costs a fraction of the limit, and a request may reach two: every one is such that being carried out twice does no harm.
import { type Clock, onAbort } from '@telltale/schema';
import type { LeaseSetting } from '../lease-setting.ts';
import type { LeaseTimes } from '../lease-times.ts';
import { EtcdEndpoint } from './etcd-endpoint.ts';
import { EtcdRefusal, EtcdSilence, full, withoutMajority } from './etcd-errors.ts';
import { type Entry, entryOf, type KeyRange, type RawEntry, type Transaction } from './etcd-kv.ts';
import { type Changes, readWatch } from './etcd-watch.ts';

export interface EtcdClientOptions {
  readonly setting: LeaseSetting;
  readonly clock: Clock;
  readonly times: LeaseTimes;
}

export interface AskOptions {
  /** Default: that of a request of the lease. */
  readonly limitMs?: number;
  readonly signal?: AbortSignal;
}

interface Answered {
  readonly answer: unknown;
  /** By the monotonic clock, before anything of it was sent. */
  readonly sentMs: number;
}

export interface Outcome {
  readonly isDone: boolean;
  readonly revision: number;
  /** Those of the gets, in their order. */
  readonly found: readonly (readonly Entry[])[];
  readonly sentMs: number;
}

export interface Found {
  readonly entries: readonly Entry[];
  readonly revision: number;
  readonly hasMore: boolean;
}

export interface RangeOptions extends AskOptions {
  readonly limit?: number;
  /** As it was then. */
  readonly revision?: number;
  readonly keysOnly?: boolean;
}

/** What people see of a member. */
export interface MemberStatus {
  readonly address: string;
  readonly version?: string;
  /** Of its file. */
  readonly bytes?: number;
  readonly problem?: string;
}

interface RawHeader {
  readonly header?: { readonly revision?: string };
}

export class EtcdClient {
  readonly times: LeaseTimes;
  readonly setting: LeaseSetting;
  readonly #clock: Clock;
  readonly #endpoints: readonly EtcdEndpoint[];
  #preferred = 0;
  readonly #hurried = new AbortController();
  #cancelHurry = () => {};

  constructor({ setting, clock, times }: EtcdClientOptions) {
    this.setting = setting;
    this.times = times;
    this.#clock = clock;
    this.#endpoints = setting.addresses.map(
      (address) => new EtcdEndpoint({ address, tls: setting.tls, credentials: setting.credentials, clock }),
    );
  }

  /** All or nothing. Rejects with EtcdRefusal or EtcdSilence. */
  async transact(transaction: Transaction, options: AskOptions = {}): Promise<Outcome> {
    const { answer, sentMs } = await this.#askAny('kv/txn', transaction, options);
    const {
      header,
      succeeded = false,
      responses = [],
    } = answer as RawHeader & {
      succeeded?: boolean;
      responses?: { response_range?: { kvs?: RawEntry[] } }[];
    };
    const found = responses.flatMap(({ response_range }) =>
      response_range === undefined ? [] : [(response_range.kvs ?? []).map(entryOf)],
    );
    return { isDone: succeeded, revision: Number(header?.revision), found, sentMs };
  }

  /** What a majority has. */
  async range(range: KeyRange, { limit, revision, keysOnly, ...options }: RangeOptions = {}): Promise<Found> {
    const body = {
      ...range,
      ...(limit !== undefined && { limit: String(limit) }),
      ...(revision !== undefined && { revision: String(revision) }),
      ...(keysOnly && { keys_only: true }),
    };
    const { answer } = await this.#askAny('kv/range', body, options);
    const { header, kvs = [], more = false } = answer as RawHeader & { kvs?: RawEntry[]; more?: boolean };
    return { entries: kvs.map(entryOf), revision: Number(header?.revision), hasMore: more };
  }

  /** A lease of etcd: it removes its keys when it is not kept alive. */
  async grant(ttlMs: number, options: AskOptions = {}): Promise<string> {
    const { answer } = await this.#askAny('lease/grant', { TTL: String(Math.ceil(ttlMs / 1000)) }, options);
    return (answer as { ID: string }).ID;
  }

  /** False where the lease is gone. */
  async keepAlive(lease: string, options: AskOptions = {}): Promise<boolean> {
    const { answer } = await this.#askAny('lease/keepalive', { ID: lease }, options);
    return Number((answer as { result?: { TTL?: string } }).result?.TTL ?? 0) > 0;
  }

  async compact(revision: number, options: AskOptions = {}): Promise<void> {
    await this.#askAny('kv/compaction', { revision: String(revision) }, options);
  }

  /** The changes from this revision on, or from now on, until the signal or a failure ends it. */
  async *watch(range: KeyRange, signal: AbortSignal, revision?: number): AsyncGenerator<Changes, never> {
    const at = this.#preferred;
    const endpoint = this.#endpointAt(at);
    const request = { ...range, ...(revision !== undefined && { start_revision: String(revision) }) };
    // Its first line may take as long as any answer; then it may be silent.
    const limit = new AbortController();
    const stopListening = onAbort(signal, (reason) => limit.abort(reason));
    const cancel = this.#clock.after(this.times.ttlMs, () =>
      limit.abort(new EtcdSilence(`${endpoint.name} does not answer`)),
    );
    try {
      const response = await endpoint.stream('watch', { create_request: request }, limit.signal);
      for await (const changes of readWatch(response)) {
        cancel();
        yield changes;
      }
      throw new EtcdSilence(`${endpoint.name} has ended the watch`);
    } catch (error) {
      if (error instanceof EtcdRefusal && error.kind === 'token') endpoint.forgetLogin();
      if (this.#preferred === at && !(error instanceof EtcdRefusal))
        this.#preferred = (at + 1) % this.#endpoints.length;
      throw error;
    } finally {
      cancel();
      stopListening();
      limit.abort();
    }
  }

  /** Each by itself, also where it can reach no other. */
  async members(signal: AbortSignal): Promise<MemberStatus[]> {
    return Promise.all(this.#endpoints.map((endpoint) => this.#statusOf(endpoint, signal)));
  }

  close(): void {
    this.#cancelHurry();
    for (const endpoint of this.#endpoints) endpoint.close();
  }

  async #statusOf(endpoint: EtcdEndpoint, signal: AbortSignal): Promise<MemberStatus> {
    const limit = new AbortController();
    const stopListening = onAbort(signal, (reason) => limit.abort(reason));
    const cancel = this.#clock.after(this.times.ttlMs, () => limit.abort(new EtcdSilence('does not answer')));
    try {
      const answer = await endpoint.ask('maintenance/status', {}, limit.signal);
      const {
        version,
        dbSize,
        leader,
        errors = [],
      } = answer as {
        version?: string;
        dbSize?: string;
        leader?: string;
        errors?: string[];
      };
      const isFull = errors.some((error) => error.includes('NOSPACE'));
      const problem = isFull ? full : leader === undefined ? withoutMajority : undefined;
      return {
        address: endpoint.name,
        ...(version !== undefined && { version }),
        bytes: Number(dbSize ?? 0),
        ...(problem !== undefined && { problem }),
      };
    } catch (error) {
      return { address: endpoint.name, problem: (error as Error).message };
    } finally {
      cancel();
      stopListening();
    }
  }

  /** The first answer counts. A refusal is one. */
  async #askAny(path: string, body: object, { limitMs = this.times.requestMs, signal }: AskOptions): Promise<Answered> {
    const { promise, resolve, reject } = Promise.withResolvers<Answered>();
    const controller = new AbortController();
    const problems = new Map<EtcdEndpoint, string>();
    const first = this.#preferred;
    let [begun, running] = [0, 0];
    let cancelNext = () => {};
    const beginNext = () => {
      if (begun === this.#endpoints.length) return;
      const at = (first + begun++) % this.#endpoints.length;
      const endpoint = this.#endpointAt(at);
      running++;
      problems.set(endpoint, 'does not answer');
      cancelNext();
      cancelNext = this.#clock.after(this.times.hedgeMs, beginNext);
      const sentMs = this.#clock.monotonicMs();
      endpoint.ask(path, body, controller.signal).then(
        (answer) => {
          this.#preferred = at;
          resolve({ answer, sentMs });
        },
        (error: Error) => {
          running--;
          problems.set(endpoint, error.message);
          if (error instanceof EtcdRefusal && error.kind !== 'version') reject(error);
          else if (begun < this.#endpoints.length) beginNext();
          else if (running === 0) reject(silence(problems));
        },
      );
    };
    const cancelLimit = this.#clock.after(limitMs, () => reject(silence(problems)));
    const listeners = [onAbort(signal, reject), onAbort(this.#hurried.signal, reject)];
    beginNext();
    try {
      return await promise;
    } finally {
      cancelNext();
      cancelLimit();
      for (const stopListening of listeners) stopListening();
      controller.abort();
    }
  }

  /** The process ends: what is not answered within this time is given up, and so is what is asked later. */
  hurry(limitMs: number): void {
    this.#cancelHurry = this.#clock.after(limitMs, () => this.#hurried.abort(new EtcdSilence('does not answer')));
  }

  #endpointAt(at: number): EtcdEndpoint {
    const endpoint = this.#endpoints[at];
    if (endpoint === undefined) throw new RangeError(`etcd has no endpoint ${at}`);
    return endpoint;
  }
}

function silence(problems: ReadonlyMap<EtcdEndpoint, string>): EtcdSilence {
  return new EtcdSilence(Array.from(problems, ([{ name }, problem]) => `${name} ${problem}`).join('; '));
}
