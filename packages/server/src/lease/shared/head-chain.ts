// Transactions of the node that leads, one after the other: each compares the lease's create revision, the epoch, and the revision at
// which the one before it wrote the head. So one of an old epoch is never carried out after the lease has gone, nor one that was given up
// after one that came later.
import { randomUUID } from 'node:crypto';
import type { EtcdClient } from '../etcd/etcd-client.ts';
import { createdAt, get, type Operation, oneKey, put, writtenAt } from '../etcd/etcd-kv.ts';
import { fieldsOf } from '../leader-key.ts';
import { LeaseLost } from './shared-errors.ts';
import { type SharedKeys, sharedForm } from './shared-keys.ts';

/** etcd takes 128 operations of 1.5 MiB in all in a transaction, unless told otherwise; the head is one. */
export const mostOperations = 127;
export const mostBytes = 1 << 20;

export class HeadChain {
  readonly #etcd: EtcdClient;
  readonly #keys: SharedKeys;
  readonly #epoch: number;
  /** Of the head; undefined where it has to be read. */
  #revision: number | undefined;

  constructor(etcd: EtcdClient, keys: SharedKeys, epoch: number) {
    [this.#etcd, this.#keys, this.#epoch] = [etcd, keys, epoch];
  }

  /**
   * All or nothing, once it is answered. Rejects with LeaseLost; otherwise nobody knows, and asking again does no harm, as long as
   * being carried out twice in a row does none.
   */
  async transact(operations: readonly Operation[]): Promise<void> {
    const { leader, head } = this.#keys;
    while (!(await this.#try(operations, leader, head)));
  }

  async #try(operations: readonly Operation[], leader: string, head: string): Promise<boolean> {
    const before = this.#revision ?? (await this.#read());
    const id = randomUUID();
    const transaction = {
      compare: [createdAt(leader, this.#epoch), writtenAt(head, before)],
      success: [put(head, JSON.stringify({ form: sharedForm, epoch: this.#epoch, id })), ...operations],
      failure: [get(oneKey(leader)), get(oneKey(head))],
    };
    this.#revision = undefined;
    const limitMs = this.#etcd.times.ttlMs;
    const { isDone, revision, found } = await this.#etcd.transact(transaction, { limitMs });
    if (isDone) this.#revision = revision;
    if (isDone) return true;
    const [[holder] = [], [last] = []] = found;
    // Where it was asked twice, the second finds what the first has done.
    const wasDone = last !== undefined && fieldsOf(last.value).id === id;
    if (!wasDone && holder?.createRevision !== this.#epoch) throw new LeaseLost('This node does not lead any more');
    this.#revision = last?.modRevision ?? 0;
    return wasDone;
  }

  async #read(): Promise<number> {
    const { entries } = await this.#etcd.range(oneKey(this.#keys.head), { limitMs: this.#etcd.times.ttlMs });
    return entries[0]?.modRevision ?? 0;
  }
}
