// Looks whether etcd can keep the lease of a site, from the names of its members to a key that is written, read and removed, and leaves
// nothing there.
import { randomUUID } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Clock } from '@telltale/schema';
import { EtcdClient, type MemberStatus } from './etcd/etcd-client.ts';
import { EtcdRefusal } from './etcd/etcd-errors.ts';
import { createdAt, get, oneKey, put, remove, writtenAt } from './etcd/etcd-kv.ts';
import { type LeaseSetting, siteBase } from './lease-setting.ts';
import { problemOf } from './lease-status.ts';
import { type LeaseTimes, leaseTimes } from './lease-times.ts';

export interface LeaseFinding {
  readonly level: 'ok' | 'note' | 'wrong';
  /** One sentence. */
  readonly text: string;
  /** What to do; null where nothing is to be done. */
  readonly fix: string | null;
}

export interface ExamineLease {
  readonly setting: LeaseSetting;
  readonly ttlMs: number;
  readonly site: string;
  readonly clock: Clock;
}

/** Writes, of which the slowest counts. */
const rounds = 5;
const withUser = 'write etcd://USER@HOST, and --lease-password-file FILE';
/** For people, it may take longer than while a lease depends on it. */
const patience = 10;

export async function examineLease({ setting, ttlMs, site, clock }: ExamineLease): Promise<LeaseFinding[]> {
  const times = leaseTimes(ttlMs);
  const etcd = new EtcdClient({ setting, clock, times });
  const ending = new AbortController();
  try {
    const members = await etcd.members(ending.signal);
    const found = (await Promise.all(members.map((member, at) => examineMember(setting, at, member)))).flat();
    found.push(...examineMembers(members));
    if (setting.tls === undefined && setting.addresses.some(({ host }) => !isOfThisMachine(host))) {
      const text =
        'What goes to etcd is not encrypted, and etcd cannot tell who asks: whoever reaches it can take the lease.';
      found.push({
        level: 'note',
        text,
        fix: 'give etcd TLS and --client-cert-auth, and write etcds:// with ?ca=…&cert=…&key=…',
      });
    }
    found.push(...(await examineKey(etcd, siteBase(setting, site), times, { clock, members })));
    return found;
  } finally {
    ending.abort();
    etcd.close();
  }
}

async function examineMember(setting: LeaseSetting, at: number, member: MemberStatus): Promise<LeaseFinding[]> {
  const { host = '' } = setting.addresses[at] ?? {};
  const { address, version, problem } = member;
  const names = await lookUp(host);
  if (problem === undefined) return [...names, ok(`${address} answers: etcd ${version}, it knows who leads.`)];
  const scheme = setting.tls === undefined ? 'http' : 'https';
  return [...names, wrong(`${address} ${problem}`, `etcdctl --endpoints ${scheme}://${address} endpoint health`)];
}

async function lookUp(host: string): Promise<LeaseFinding[]> {
  if (isIP(host) !== 0) return [];
  // Where it is unknown, so says who asks there.
  const all = await lookup(host, { all: true }).catch(() => []);
  return all.length === 0 ? [] : [ok(`The name ${host} is ${all.map(({ address }) => address).join(', ')}.`)];
}

function examineMembers(members: readonly MemberStatus[]): LeaseFinding[] {
  const up = members.filter(({ problem }) => problem === undefined).length;
  if (members.length < 3) {
    const text = `${members.length === 1 ? 'One member' : 'Two members'} of etcd: where one is lost, nobody leads.`;
    return [{ level: 'note', text, fix: 'run three members on three machines, and name all of them in --lease' }];
  }
  return up * 2 > members.length
    ? [ok(`${up} of ${members.length} members answer: most of them, which is enough.`)]
    : [];
}

async function examineKey(
  etcd: EtcdClient,
  base: string,
  { requestMs, ttlMs }: LeaseTimes,
  { clock, members }: { clock: Clock; members: readonly MemberStatus[] },
): Promise<LeaseFinding[]> {
  const key = `${base}/doctor/${randomUUID()}`;
  const options = { limitMs: patience * requestMs };
  let slowestMs = 0;
  try {
    for (let round = 0; round < rounds; round++) {
      const beganMs = clock.monotonicMs();
      const { isDone, revision } = await etcd.transact(
        { compare: [createdAt(key, 0)], success: [put(key, `${round}`)] },
        options,
      );
      slowestMs = Math.max(slowestMs, clock.monotonicMs() - beganMs);
      const { isDone: isThere, found } = await etcd.transact(
        { compare: [writtenAt(key, revision)], success: [get(oneKey(key)), remove(oneKey(key))] },
        options,
      );
      if (!isDone || !isThere || found[0]?.[0]?.value.toString() !== `${round}`) {
        return [wrong(`etcd has not what was written to ${key}`, 'etcdctl endpoint status --cluster -w table')];
      }
    }
  } catch (error) {
    await etcd.transact({ success: [remove(oneKey(key))] }, options).catch(() => undefined);
    if (error instanceof EtcdRefusal && error.kind === 'permission' && etcd.setting.credentials === undefined) {
      return [wrong('etcd has users, and is asked without one', withUser)];
    }
    return [wrong(problemOf(error as Error, members, base) ?? '', fixOf(error, base))];
  }
  const written = ok(
    `A key was written below ${base}/, read, and removed; the slowest write took ${Math.ceil(slowestMs)} ms.`,
  );
  // A renewal has to be answered within this time, one after the other.
  if (slowestMs <= requestMs) return [written];
  const text = `etcd took ${Math.ceil(slowestMs)} ms for a write, and a lease of ${ttlMs} ms needs an answer within ${requestMs} ms.`;
  return [written, wrong(text.slice(0, -1), `give etcd a disk of its own, or set --lease-ttl ${nextTtl(slowestMs)}`)];
}

function nextTtl(slowestMs: number): string {
  return `${Math.ceil((slowestMs * 8) / 1000)}s`;
}

function fixOf(error: unknown, base: string): string {
  if (!(error instanceof EtcdRefusal)) return 'etcdctl endpoint health --cluster';
  if (error.kind === 'permission') return `etcdctl role grant-permission ROLE --prefix=true readwrite ${base}/`;
  if (error.kind === 'credentials' || error.kind === 'token') return withUser;
  return 'etcdctl endpoint status --cluster -w table';
}

function isOfThisMachine(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host);
}

function ok(text: string): LeaseFinding {
  return { level: 'ok', text, fix: null };
}

function wrong(text: string, fix: string): LeaseFinding {
  return { level: 'wrong', text: `${text[0]?.toUpperCase()}${text.slice(1)}.`, fix };
}
