// The nodes of a site, as they say themselves, for people: each keeps a key that goes when the node does, by a lease of etcd. Nothing
// is decided by it.
import { type Clock, pause } from '@telltale/schema';
import type { EtcdClient, MemberStatus } from './etcd/etcd-client.ts';
import { EtcdRefusal } from './etcd/etcd-errors.ts';
import { createdAt, keysUnder, oneKey, put, remove, writtenAt } from './etcd/etcd-kv.ts';
import { fieldsOf, numberOf, textOf } from './leader-key.ts';
import { keyPart } from './lease-setting.ts';
import { type KnownNode, type NodeDescription, type NodeReport, problemOf } from './lease-status.ts';

export interface PresenceOptions {
  readonly etcd: EtcdClient;
  readonly clock: Clock;
  /** Of the site. */
  readonly base: string;
  readonly node: NodeDescription;
  readonly instance: string;
  readonly report: () => NodeReport;
}

interface Registration {
  readonly lease: string;
  readonly revision: number;
  /** What was put there. */
  readonly value: string;
}

const leastLeaseMs = 5000;
/** Of what a node says: one of a higher form means something else by it. Members that are not known are left out. */
const form = 1;

export class NodePresence {
  nodes: readonly KnownNode[] = [];
  members: readonly MemberStatus[] = [];
  problem: string | undefined;
  readonly #options: PresenceOptions;
  readonly #prefix: string;
  readonly #key: string;
  readonly #ended = new AbortController();
  #registration: Registration | undefined;
  #running: Promise<void> = Promise.resolve();
  readonly #sinceUs: number;
  #isAsked = false;
  #wake = () => {};

  constructor(options: PresenceOptions) {
    this.#options = options;
    this.#prefix = `${options.base}/nodes/`;
    this.#key = this.#prefix + keyPart(options.node.name, 'A node');
    this.#sinceUs = options.clock.now();
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Says what there is to say now, and looks at what the others say. */
  refresh(): void {
    this.#isAsked = true;
    this.#wake();
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#running;
    const { etcd } = this.#options;
    const { revision = 0 } = this.#registration ?? {};
    // Where nobody answers, its lease ends it.
    const removal = { compare: [writtenAt(this.#key, revision)], success: [remove(oneKey(this.#key))] };
    if (revision > 0) await etcd.transact(removal).catch(() => undefined);
  }

  async #run(): Promise<void> {
    const { etcd, clock } = this.#options;
    const { signal } = this.#ended;
    while (!signal.aborted) {
      this.#isAsked = false;
      await Promise.all([this.#round().catch((error) => this.#failed(error)), this.#look()]);
      if (this.#isAsked) continue;
      const woken = new AbortController();
      this.#wake = () => woken.abort();
      await pause(clock, etcd.times.ttlMs, AbortSignal.any([signal, woken.signal]));
    }
  }

  /** Where etcd does not answer, the lease says so. */
  #failed(error: unknown): void {
    if (error instanceof EtcdRefusal) this.problem = problemOf(error, this.members, this.#options.base);
  }

  async #look(): Promise<void> {
    this.members = await this.#options.etcd.members(this.#ended.signal);
  }

  async #round(): Promise<void> {
    const { etcd } = this.#options;
    const { signal } = this.#ended;
    if (this.#registration !== undefined && !(await etcd.keepAlive(this.#registration.lease, { signal }))) {
      this.#registration = undefined;
    }
    let { entries } = await etcd.range(keysUnder(this.#prefix), { signal });
    if (!entries.some(({ key, modRevision }) => key === this.#key && modRevision === this.#registration?.revision)) {
      await this.#register();
      ({ entries } = await etcd.range(keysUnder(this.#prefix), { signal }));
    }
    if (this.#registration !== undefined) this.problem = undefined;
    this.nodes = entries.map(({ value }) => knownNode(value));
    await this.#say();
  }

  /** Where it is not what is there. */
  async #say(): Promise<void> {
    const { etcd } = this.#options;
    const { lease, revision: before, value: said } = this.#registration ?? {};
    const value = this.#value;
    if (lease === undefined || before === undefined || said === value) return;
    const { isDone, revision } = await etcd.transact(
      { compare: [writtenAt(this.#key, before)], success: [put(this.#key, value, lease)] },
      { signal: this.#ended.signal },
    );
    // Where it was done and not heard of, the next round registers anew.
    if (isDone) this.#registration = { lease, revision, value };
  }

  get #value(): string {
    const { node, instance, report } = this.#options;
    const { name, version, address } = node;
    return JSON.stringify({ form, name, version, address, sinceUs: this.#sinceUs, instance, ...report() });
  }

  async #register(): Promise<void> {
    const { etcd, node, instance } = this.#options;
    const { signal } = this.#ended;
    const lease =
      this.#registration?.lease ?? (await etcd.grant(Math.max(leastLeaseMs, 3 * etcd.times.ttlMs), { signal }));
    const value = this.#value;
    const { isDone, revision, found } = await etcd.transact(
      {
        compare: [createdAt(this.#key, 0)],
        success: [put(this.#key, value, lease)],
        failure: [{ request_range: oneKey(this.#key) }],
      },
      { signal },
    );
    const other = found[0]?.[0];
    if (isDone) this.#registration = { lease, revision, value };
    else if (other !== undefined && fieldsOf(other.value).instance === instance) {
      this.#registration = { lease, revision: other.modRevision, value: other.value.toString() };
    }
    this.problem = this.#registration === undefined ? twoOfOneName(node.name, other?.value) : undefined;
  }
}

function knownNode(value: Buffer): KnownNode {
  const { form: said = 1, name, version, address, fingerprint, sinceUs, heard, acts, problem } = fieldsOf(value);
  const isNewer = !(typeof said === 'number' && said <= form);
  const reason = isNewer ? 'it is of a newer version, which this one does not understand' : problem;
  return {
    name: textOf(name),
    version: textOf(version),
    address: textOf(address),
    fingerprint: typeof fingerprint === 'string' ? fingerprint : undefined,
    sinceUs: numberOf(sinceUs) ?? 0,
    heard: textOf(heard),
    acts: numberOf(acts) ?? 0,
    problem: typeof reason === 'string' ? reason : undefined,
  };
}

/** It may be the process of before: then it is gone in a moment. */
function twoOfOneName(name: string, value: Buffer | undefined): string {
  const { address } = fieldsOf(value ?? Buffer.of());
  return `Another process is the node ${name} of this site, at ${textOf(address)}: each node needs a name of its own`;
}
