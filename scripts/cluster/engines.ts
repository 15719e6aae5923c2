// The engines of a cluster to try: PostgreSQL, NATS, and etcd with three members, as tests start them.
import type { Scope } from '@telltale/stack-kit/testing/cleanup';
import { Etcd, type EtcdMember, withoutEtcd } from '../../test/engines/etcd.ts';
import { Nats, withoutNats } from '../../test/engines/nats.ts';
import { Postgres } from '../../test/engines/postgres.ts';
import { type PostgresVersion, postgresVersions, withoutPostgres } from '../../test/engines/postgres-programs.ts';

export interface Engines {
  /** Without a password. */
  readonly store: string;
  /** What goes to the environment of whoever uses the store. */
  readonly storePassword: string;
  readonly bus: string;
  readonly lease: string;
  readonly postgres: Postgres;
  readonly nats: { readonly pid: number };
  readonly members: readonly EtcdMember[];
}

/** Why it cannot be started, and what to do; undefined where everything is there. */
export function missingEngines(): string | undefined {
  const missing = [withoutEtcd, withoutNats, usablePostgres() === undefined ? withoutPostgres() : false];
  const texts = missing
    .filter((each) => typeof each === 'string')
    .map((each) => each.replace(/: test\/install-peers.*/, '.'));
  if (texts.length === 0) return undefined;
  const install = 'sudo scripts/install-without-starting.sh etcd-server nats-server postgresql';
  return `${texts.join(' ')} Debian has them; to install them and start nothing:\n\n  ${install}\n`;
}

export async function startEngines(scope: Scope, begin: (what: string) => void): Promise<Engines> {
  const version = usablePostgres() ?? '15';
  begin(`PostgreSQL ${version}`);
  const postgres = await Postgres.start(scope, { version, settings: { max_connections: '40' } });
  const { store, env } = await postgres.addPlant();
  const storePassword = env.PGPASSWORD;
  begin('nats-server');
  const nats = await Nats.start(scope);
  begin('etcd, three members');
  const { members } = await Etcd.start(scope, { members: 3 });
  return {
    store: store.href,
    storePassword,
    bus: nats.urls.join(','),
    lease: `etcd://${members.map(({ port }) => `127.0.0.1:${port}`).join(',')}/telltale`,
    postgres,
    nats: { pid: nats.servers[0]?.pids[0] ?? 0 },
    members,
  };
}

function usablePostgres(): PostgresVersion | undefined {
  return postgresVersions.find((version) => withoutPostgres(version) === false);
}
