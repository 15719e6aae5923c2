// PostgreSQL as a peer: COPY in its binary form into a table with the primary key (series, t), prepared reads with
// binary rows. It refuses to run as root, and is then run as another user.
import { spawnSync } from 'node:child_process';
import { chownSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@telltale/stack-kit/testing';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import type { DataSet } from '../archive-data.ts';
import { cpuSecondsOf, Daemon, type Peer, type User } from './peer.ts';
import { PostgresqlConnection } from './postgresql-connection.ts';

/** At its rate this many scans of 1,000 points are about 100 ms. */
const scansACopy = 20;
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: '1GB',
  max_wal_size: '8GB',
  fsync: 'on',
  synchronous_commit: 'on',
};

export async function startPostgresql(cleanup: AsyncDisposableStack): Promise<Peer | undefined> {
  const programs = globSync('/usr/lib/postgresql/*/bin').sort().at(-1);
  if (programs === undefined) return undefined;
  const user = process.getuid?.() === 0 ? otherUser() : undefined;
  const folder = temporaryFolder(cleanup);
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const made = spawnSync(join(programs, 'initdb'), ['-D', data, '-U', 'bench', '-A', 'trust', '-E', 'UTF8'], {
    ...user,
    cwd: folder,
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
  const port = await freePort();
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const args = ['-D', data, '-p', String(port), ...options];
  const daemon = new Daemon(cleanup, { folder, command: join(programs, 'postgres'), args, user, signal: 'SIGINT' });
  let opened: PostgresqlConnection | undefined;
  await daemon.ready(async () => {
    opened = await PostgresqlConnection.open(port, 'bench');
    return true;
  });
  const connection = opened as unknown as PostgresqlConnection;
  cleanup.defer(() => connection.close());
  await connection.query('CREATE TABLE records (series int4, t int8, v float8, q int2, PRIMARY KEY (series, t))');
  return peerOf(connection, daemon);
}

function peerOf(connection: PostgresqlConnection, daemon: Daemon): Peer {
  const numbers = new Map<string, number>();
  return {
    name: 'PostgreSQL COPY',
    async load(data) {
      data.series.forEach(({ name }, number) => {
        numbers.set(name, number);
      });
      const bodies = bodiesOf(data);
      const start = performance.now();
      for (const body of bodies) await connection.copy('COPY records FROM STDIN (FORMAT binary)', body);
      return performance.now() - start;
    },
    async compact() {
      await connection.query('VACUUM (ANALYZE) records');
      await connection.query('CHECKPOINT');
      await connection.prepare(
        'read',
        'SELECT t, v, q FROM records WHERE series = $1::int4 AND t >= $2::int8 AND t < $3::int8 ORDER BY t',
      );
    },
    // A row a KiB: this connection counts rows and looks at none.
    bytes: async () =>
      1024 * (await connection.query("SELECT FROM generate_series(1, pg_total_relation_size('records') / 1024)")),
    async read(series, sinceUs, untilUs) {
      const rows = await connection.execute('read', [numbers.get(series) ?? -1, sinceUs, untilUs]);
      return () => rows;
    },
    cpuSeconds: () => cpuSecondsOf(daemon.pid),
  };
}

function otherUser(): User {
  const idOf = (option: string) => Number(spawnSync('id', [option, 'postgres'], { encoding: 'utf8' }).stdout);
  const nobody = 65534;
  return { uid: idOf('-u') || nobody, gid: idOf('-g') || nobody };
}

const head = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)]);
const bytesARow = 2 + 4 + 4 + 4 + 8 + 4 + 8 + 4 + 2;

export function bodiesOf({ series, scans, times, values, qualities }: DataSet): Buffer[] {
  const bodies: Buffer[] = [];
  for (let from = 0; from < scans; from += scansACopy) {
    const first = from * series.length;
    const last = Math.min(scans, from + scansACopy) * series.length;
    const body = Buffer.alloc(head.length + (last - first) * bytesARow + 2);
    head.copy(body);
    let at = head.length;
    for (let record = first; record < last; record++) {
      at = body.writeInt16BE(4, at);
      at = body.writeInt32BE(4, at);
      at = body.writeInt32BE(record % series.length, at);
      at = body.writeInt32BE(8, at);
      at = body.writeBigInt64BE(BigInt(times[record] as number), at);
      at = body.writeInt32BE(8, at);
      at = body.writeDoubleBE(values[record] as number, at);
      at = body.writeInt32BE(2, at);
      at = body.writeInt16BE(qualities[record] as number, at);
    }
    body.writeInt16BE(-1, at);
    bodies.push(body);
  }
  return bodies;
}
