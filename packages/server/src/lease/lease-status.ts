// What people see of a lease: who leads, for how long, and what is wrong, in plain words.
import type { MemberStatus } from './etcd/etcd-client.ts';
import { EtcdRefusal, withoutMajority } from './etcd/etcd-errors.ts';

export interface NodeDescription {
  readonly name: string;
  readonly version: string;
  /** Where people and other nodes reach it. */
  readonly address: string;
}

/** What a node says of itself, for whoever may hand over to it. */
export interface NodeReport {
  /** Of the certificate that it serves; undefined: it speaks no TLS itself. */
  readonly fingerprint?: string | undefined;
  /** What the leader has asked last and this one has heard: it has all that was shared before. */
  readonly heard: string;
  /** The epoch under which it acts for the site; 0: it does not. */
  readonly acts: number;
  /** Why it could not take over; undefined where it could, or leads. */
  readonly problem: string | undefined;
}

export interface KnownNode extends NodeDescription, NodeReport {
  readonly sinceUs: number;
}

/** Suspended: it led, has no valid lease now, and nobody else is known to lead. It writes nothing. */
export type LeaseRole = 'standby' | 'leading' | 'suspended';

export interface LeaseStatus {
  readonly site: string;
  readonly node: string;
  readonly role: LeaseRole;
  /** Of the own lease; 0 where there is none. */
  readonly validForMs: number;
  /** As last heard of: where there is a problem, it may be another one by now. */
  readonly leader?: { readonly node: string; readonly epoch: number; readonly sinceUs: number };
  readonly problem?: string;
  readonly nodes: readonly KnownNode[];
  readonly members: readonly MemberStatus[];
}

/** What stands in the way of the lease. */
export function problemOf(
  error: Error | undefined,
  members: readonly MemberStatus[],
  base: string,
): string | undefined {
  if (error === undefined) return undefined;
  if (error instanceof EtcdRefusal) {
    if (error.kind !== 'permission') return `etcd ${error.message}`;
    return `etcd refuses the keys of this site to this user: grant it a role that may read and write all keys that begin with ${base}/`;
  }
  if (members.some(({ problem }) => problem === withoutMajority)) {
    return `etcd ${withoutMajority} (${error.message})`;
  }
  return `No member of etcd answers: ${error.message}`;
}
