// Nodes of a site for tests of the lease: with etcd as a test has started it, directly or through proxies.
import { type Clock, systemClock } from '@telltale/schema';
import { cleanupOf, type Scope } from '@telltale/stack-kit/testing/cleanup';
import type { Etcd } from '../../../test/engines/etcd.ts';
import { EtcdClient } from '../src/lease/etcd/etcd-client.ts';
import { Lease } from '../src/lease/lease.ts';
import { readLeaseSetting } from '../src/lease/lease-setting.ts';
import { leaseTimes } from '../src/lease/lease-times.ts';

export interface NodeOptions {
  readonly name?: string;
  readonly site?: string;
  readonly ttlMs?: number;
  readonly clock?: Clock;
  /** Where etcd is, if not where it listens. */
  readonly ports?: readonly number[];
  readonly user?: string;
  readonly password?: string;
  readonly onChange?: () => void;
}

export function settingText(etcd: Etcd, { ports, user, password }: NodeOptions = {}): string {
  const hosts = (ports ?? etcd.members.map(({ port }) => port)).map((port) => `127.0.0.1:${port}`).join(',');
  const login = user === undefined ? '' : `${user}:${password ?? etcd.password(user)}@`;
  const { authority, client } = etcd;
  const pair = client === undefined ? '' : `&cert=${client.cert}&key=${client.key}`;
  const files = authority === undefined ? '' : `?ca=${authority.ca}${pair}`;
  return `etcd://${login}${hosts}/telltale${files}`;
}

/** Ends with the scope. */
export function etcdClient(scope: Scope, etcd: Etcd, options: NodeOptions = {}): EtcdClient {
  const { clock = systemClock, ttlMs = 2000 } = options;
  const setting = readLeaseSetting(settingText(etcd, options));
  const client = new EtcdClient({ setting, clock, times: leaseTimes(ttlMs) });
  cleanupOf(scope).defer(() => client.close());
  return client;
}

/** Started, and ends with the scope. */
export function startNode(scope: Scope, etcd: Etcd, options: NodeOptions = {}): Lease {
  const { name = 'a', site = 'works', clock = systemClock, onChange = () => {} } = options;
  const node = { name, version: '1.0', address: `http://${name}.example` };
  const lease = new Lease({ etcd: etcdClient(scope, etcd, options), clock, site, node, onChange });
  lease.start();
  cleanupOf(scope).defer(() => lease.stop());
  return lease;
}
