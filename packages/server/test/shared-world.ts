// The shared state of a site for tests: who leads by a word, what etcd has, and what somebody who follows it knows.
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '@telltale/schema';
import { cleanupOf, type Scope } from '@telltale/stack-kit/testing/cleanup';
import type { Etcd } from '../../../test/engines/etcd.ts';
import type { EtcdClient } from '../src/lease/etcd/etcd-client.ts';
import { keysUnder } from '../src/lease/etcd/etcd-kv.ts';
import { LeaderKey } from '../src/lease/leader-key.ts';
import { siteBase } from '../src/lease/lease-setting.ts';
import { readAll } from '../src/lease/shared/read-shared.ts';
import { SharedFollower } from '../src/lease/shared/shared-follower.ts';
import type { SharedEntry, SharedKey } from '../src/lease/shared/shared-keys.ts';
import { SharedState } from '../src/lease/shared/shared-state.ts';
import { etcdClient, type NodeOptions } from './lease-world.ts';

const site = 'works';

/** What somebody knows who follows: texts by family and name. */
export class Known {
  readonly texts = new Map<string, string>();
  readonly follower: SharedFollower;
  /** How many times it has begun. */
  begun = 0;

  constructor(etcd: EtcdClient) {
    this.follower = new SharedFollower({
      etcd,
      clock: systemClock,
      base: siteBase(etcd.setting, site),
      onState: async (entries) => {
        this.begun++;
        this.texts.clear();
        for (const entry of entries) await this.#take(entry);
      },
      onChanges: async (entries) => {
        for (const entry of entries) {
          if (entry.value === undefined) this.#forget(entry);
          else await this.#take(entry as SharedEntry);
        }
      },
    });
  }

  /** All that there was when it was called. */
  async upToDate(): Promise<Map<string, string>> {
    await this.follower.upToDate(AbortSignal.timeout(60_000));
    return this.texts;
  }

  async #take(entry: SharedEntry): Promise<void> {
    this.texts.set(nameOf(entry), (await this.follower.read(entry)).toString('latin1'));
  }

  #forget(key: SharedKey): void {
    this.texts.delete(nameOf(key));
  }
}

export function nameOf({ family, name }: SharedKey): string {
  return `${family} ${name}`;
}

/** Follows from now on, and ends with the scope. */
export function startFollower(scope: Scope, etcd: Etcd, options: NodeOptions = {}): Known {
  const known = new Known(etcdClient(scope, etcd, options));
  known.follower.start();
  cleanupOf(scope).defer(() => known.follower.stop());
  return known;
}

export interface Led {
  readonly state: SharedState;
  readonly epoch: number;
  /** Somebody else leads from now on. */
  readonly depose: () => Promise<void>;
}

/** Leads as soon as etcd answers; whoever led before leads no more. `known` is up to date then. */
export async function lead(scope: Scope, etcd: Etcd, known: Known, options: NodeOptions = {}): Promise<Led> {
  const direct = etcdClient(scope, etcd);
  const base = siteBase(direct.setting, site);
  const key = new LeaderKey({ etcd: direct, clock: systemClock, base });
  const depose = async () => {
    const { leader } = await key.read();
    if (leader !== undefined) await key.expire(leader);
  };
  const begin = async () => {
    await depose();
    const { released } = await key.read();
    const created = await key.create({ node: 'a', instance: 'test', sinceUs: 0, ttlMs: 2000 }, released);
    await known.upToDate();
    return created;
  };
  let created = await begin().catch(() => undefined);
  while (created === undefined) {
    await sleep(100);
    created = await begin().catch(() => undefined);
  }
  const state = new SharedState({
    etcd: options.ports === undefined ? direct : etcdClient(scope, etcd, options),
    clock: systemClock,
    base,
    epoch: created.epoch,
    large: known.follower.large,
  });
  cleanupOf(scope).defer(() => state.close());
  return { state, epoch: created.epoch, depose };
}

/** The hashes of all parts that are in etcd. */
export async function storedParts(scope: Scope, etcd: Etcd): Promise<string[]> {
  const client = etcdClient(scope, etcd);
  const prefix = `${siteBase(client.setting, site)}/parts/`;
  const { entries } = await readAll(client, keysUnder(prefix), { keysOnly: true });
  return entries.map(({ key }) => key.slice(prefix.length));
}
