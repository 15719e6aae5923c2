// The key of a site that says who leads, and the transactions on it. Its create revision is the epoch; each renewal writes it again.
// While nobody leads, another key says that the last leader has ended its lease, or that it was waited out.
import type { Clock } from '@telltale/schema';
import type { EtcdClient } from './etcd/etcd-client.ts';
import { createdAt, type Entry, exists, get, keysUnder, oneKey, put, remove, writtenAt } from './etcd/etcd-kv.ts';
import { keyPart } from './lease-setting.ts';

/** Who leads, as it says itself. */
export interface Holder {
  readonly node: string;
  /** Of the process: another one of the same node is somebody else. */
  readonly instance: string;
  readonly sinceUs: number;
  readonly ttlMs: number;
}

export interface Leader extends Holder {
  readonly epoch: number;
  /** Of its newest renewal. */
  readonly modRevision: number;
}

/** How the last leader has ended. */
export interface Released {
  readonly node: string;
  readonly epoch: number;
  readonly how: 'resigned' | 'expired';
  readonly atUs: number;
  /** The node that it is kept for. */
  readonly to?: string;
  readonly modRevision: number;
}

export interface Leadership {
  readonly leader?: Leader;
  readonly released?: Released;
}

export interface LeaderKeyOptions {
  readonly etcd: EtcdClient;
  readonly clock: Clock;
  /** Of the site. */
  readonly base: string;
}

interface Renewal {
  /** Before it was sent, by the monotonic clock. */
  readonly sentMs: number;
  /** Of etcd. */
  readonly revision: number;
}

export class LeaderKey {
  readonly #etcd: EtcdClient;
  readonly #clock: Clock;
  readonly #leader: string;
  readonly #released: string;
  readonly #nodes: string;

  constructor({ etcd, clock, base }: LeaderKeyOptions) {
    [this.#etcd, this.#clock] = [etcd, clock];
    this.#leader = `${base}/leader`;
    this.#released = `${base}/leader/released`;
    this.#nodes = `${base}/nodes/`;
  }

  /** What to watch. */
  get range() {
    return keysUnder(this.#leader);
  }

  async read(): Promise<Leadership> {
    const { entries } = await this.#etcd.range(this.range);
    const [leader, released] = [this.#leader, this.#released].map((name) => entries.find(({ key }) => key === name));
    return {
      ...(leader && { leader: this.#leaderOf(leader) }),
      ...(released && { released: releasedOf(released) }),
    };
  }

  /** Undefined where somebody was faster, or the last leader is not the one that was released as it is here. */
  async create(holder: Holder, released: Released | undefined): Promise<(Renewal & { epoch: number }) | undefined> {
    const { isDone, revision, sentMs } = await this.#etcd.transact({
      compare: [createdAt(this.#leader, 0), writtenAt(this.#released, released?.modRevision ?? 0)],
      success: [put(this.#leader, JSON.stringify(holder)), remove(oneKey(this.#released))],
    });
    return isDone ? { epoch: revision, sentMs, revision } : undefined;
  }

  /** Undefined where the lease is another's, or nobody's. */
  async renew(holder: Holder, epoch: number): Promise<Renewal | undefined> {
    const { isDone, revision, sentMs } = await this.#etcd.transact({
      compare: [createdAt(this.#leader, epoch)],
      success: [put(this.#leader, JSON.stringify(holder))],
    });
    return isDone ? { sentMs, revision } : undefined;
  }

  /** Ends the lease of somebody who has not renewed it since it was read. False where it has been renewed after all. */
  async expire({ node, epoch, modRevision }: Leader): Promise<boolean> {
    const { isDone } = await this.#etcd.transact({
      compare: [writtenAt(this.#leader, modRevision)],
      success: [remove(oneKey(this.#leader)), this.#release({ node, epoch, how: 'expired' })],
    });
    return isDone;
  }

  /** Ends the own lease, kept for a node for a while where one is named. `absent`: that node is not there, and nothing has changed. */
  async resign({ node }: Holder, epoch: number, to?: string): Promise<'done' | 'lost' | 'absent'> {
    const compare = [createdAt(this.#leader, epoch)];
    if (to !== undefined) compare.push(exists(this.#nodes + keyPart(to, 'A node')));
    const { isDone, found } = await this.#etcd.transact({
      compare,
      success: [
        remove(oneKey(this.#leader)),
        this.#release({ node, epoch, how: 'resigned', ...(to !== undefined && { to }) }),
      ],
      failure: [get(oneKey(this.#leader))],
    });
    if (isDone) return 'done';
    return found[0]?.[0]?.createRevision === epoch ? 'absent' : 'lost';
  }

  #release(released: Omit<Released, 'atUs' | 'modRevision'>) {
    return put(this.#released, JSON.stringify({ ...released, atUs: this.#clock.now() }));
  }

  #leaderOf({ value, createRevision, modRevision }: Entry): Leader {
    const { node, instance, sinceUs, ttlMs } = fieldsOf(value);
    return {
      node: textOf(node),
      instance: textOf(instance),
      sinceUs: numberOf(sinceUs) ?? 0,
      ttlMs: numberOf(ttlMs) ?? this.#etcd.times.ttlMs,
      epoch: createRevision,
      modRevision,
    };
  }
}

function releasedOf({ value, modRevision }: Entry): Released {
  const { node, epoch, how, atUs, to } = fieldsOf(value);
  return {
    node: textOf(node),
    epoch: numberOf(epoch) ?? 0,
    how: how === 'resigned' ? 'resigned' : 'expired',
    atUs: numberOf(atUs) ?? 0,
    ...(typeof to === 'string' && { to }),
    modRevision,
  };
}

/** What somebody else has written there has no fields. */
export function fieldsOf(value: Buffer): Record<string, unknown> {
  try {
    return Object(JSON.parse(value.toString())) as Record<string, unknown>;
  } catch {
    return {};
  }
}

export function textOf(field: unknown): string {
  return typeof field === 'string' ? field : '?';
}

export function numberOf(field: unknown): number | undefined {
  return typeof field === 'number' && Number.isFinite(field) && field >= 0 ? field : undefined;
}
