// Looks whether a PostgreSQL can be the store, from the names of its hosts to a record that is written and read, and leaves
// nothing there.
import { randomUUID } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Clock } from '@telltale/schema';
import { Columns } from '../../archive/index.ts';
import { decodeParcel, decodeParcelFront, encodeParcel, type Parcel } from '../../archive/parcel/index.ts';
import { StoreError } from '../store-error.ts';
import { hostText, isOfThisMachine, type PostgresAddress, type PostgresHost, readAddress } from './address.ts';
import type { Connection } from './connection.ts';
import { Connections } from './connections.ts';
import { explained } from './explain-error.ts';
import { checkEncoding, installedVersion, installHere } from './install.ts';
import { begin, storeHere } from './postgres-store.ts';
import { schemaVersion } from './steps/index.ts';

export interface StoreFinding {
  readonly level: 'ok' | 'note' | 'wrong';
  /** One sentence. */
  readonly text: string;
  /** What to do; null where nothing is to be done. */
  readonly fix: string | null;
}

interface HostState {
  readonly version: string;
  readonly isStandby: boolean;
  readonly tls: string | null;
  readonly fsync: string;
}

const limitMs = 5000;

/** Throws `BadAddress`. */
export async function examine(text: string, clock: Clock): Promise<StoreFinding[]> {
  const address = readAddress(text);
  const found: StoreFinding[] = [];
  let leads = false;
  for (const host of address.hosts) {
    const connections = new Connections({
      address: { ...address, hosts: [host] },
      clock,
      session: 'any',
      most: 1,
      limitMs,
    });
    try {
      found.push(...(await lookUp(host, address)));
      const isLeader = await connections.use((connection) => examineHost(connection, host, found));
      if (!isLeader) continue;
      leads = true;
      await connections.use((connection) => examineTables(connection, found));
      await connections.use((connection) => examineCommit(connection, clock, found));
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      found.push(wrong(error, fixOf(error, address, host)));
    } finally {
      connections.close();
    }
  }
  if (!leads && found.every(({ level }) => level !== 'wrong')) {
    const text = 'All hosts of the store are standbys, which only read.';
    found.push({ level: 'wrong', text, fix: 'name the one that leads in the address as well' });
  }
  return found;
}

async function lookUp({ host, port }: PostgresHost, { user, database }: PostgresAddress): Promise<StoreFinding[]> {
  if (host.startsWith('/') || isIP(host) !== 0) return [];
  try {
    const all = await lookup(host, { all: true });
    return [ok(`The name ${host} is ${all.map(({ address }) => address).join(', ')}.`)];
  } catch (error) {
    throw explained(error, { at: hostText({ host, port }), user, database });
  }
}

/** Whether it writes. */
async function examineHost(connection: Connection, host: PostgresHost, found: StoreFinding[]): Promise<boolean> {
  const { user, database, at } = connection.place;
  const { rows } = await connection.query<HostState>(
    `select current_setting('server_version') as version, pg_is_in_recovery() as "isStandby",
      (select version from pg_stat_ssl where pid = pg_backend_pid()) as tls, current_setting('fsync') as fsync`,
  );
  const { version, isStandby, tls, fsync } = rows[0] as HostState;
  const role = isStandby ? 'a standby, which is read' : 'it writes';
  found.push(ok(`${at} lets ${user} into ${database}: PostgreSQL ${version}, ${role}, ${tls ?? 'not encrypted'}.`));
  if (tls === null && !isOfThisMachine(host)) {
    const text = `What goes to ${at} is not encrypted: whoever is between can read and change it.`;
    found.push({ level: 'note', text, fix: 'turn ssl on there, and leave sslmode out of the address' });
  }
  if (fsync === 'off') {
    const text = `${at} does not sync what it commits: a power failure loses what the server has deleted meanwhile.`;
    found.push({ level: 'wrong', text, fix: 'ALTER SYSTEM SET fsync = on; SELECT pg_reload_conf()' });
  }
  return !isStandby;
}

/** Writes a record and reads it, in a transaction that is undone; makes the tables in it where there are none. */
async function examineTables(connection: Connection, found: StoreFinding[]): Promise<void> {
  const { at, database } = connection.place;
  const version = await installedVersion(connection);
  if (version !== 0 && version < schemaVersion) {
    const text = `The tables of the store have version ${version}; the server brings them to ${schemaVersion} when it starts.`;
    found.push({ level: 'note', text, fix: 'back the database up before' });
    return;
  }
  if (version === 0) await checkEncoding(connection);
  await connection.query('begin');
  try {
    if (version !== schemaVersion) await installHere(connection);
    const parcel = parcelOfOne();
    const bytes = encodeParcel(parcel, () => 'f');
    await begin(connection, parcel.site, parcel.epoch);
    await storeHere(connection, decodeParcelFront(bytes), bytes);
    const { rows } = await connection.query<{ bytes: Buffer }>('select bytes from telltale.parcel where site = $1', [
      parcel.site,
    ]);
    const read = rows[0] && decodeParcel(rows[0].bytes).sections[0]?.columns;
    if (read?.count !== 1 || read.numbers[0] !== valueWritten) {
      throw new StoreError('refused', `the store at ${at} gives something else than what was written to it`);
    }
  } finally {
    await connection.query('rollback').catch(() => {});
  }
  const made = version === 0 ? ` ${database} has no tables yet, the server makes them when it starts.` : '';
  found.push(ok(`A record was written to ${at}, read, and taken back.${made}`));
}

/** Of a table that is gone with it: what waits for a standby that is missing shows here. */
async function examineCommit(connection: Connection, clock: Clock, found: StoreFinding[]): Promise<void> {
  const { at } = connection.place;
  const beganMs = clock.monotonicMs();
  try {
    await connection.transaction(async () => {
      await connection.query('create temporary table telltale_doctor () on commit drop');
    });
  } catch (error) {
    // It needs no right to do so.
    if (error instanceof StoreError && error.trouble === 'rights') return;
    throw error;
  }
  found.push(ok(`${at} commits, in ${Math.ceil(clock.monotonicMs() - beganMs)} ms.`));
}

const valueWritten = 42.25;

function parcelOfOne(): Parcel {
  const columns = new Columns(1);
  columns.count = 1;
  columns.times[0] = 1;
  columns.numbers[0] = valueWritten;
  return {
    site: `doctor-${randomUUID()}`,
    epoch: 1,
    seq: 1,
    madeUs: 1,
    position: 'doctor',
    counters: {
      stored: 1,
      dropped: 0,
      discarded: 0,
      discardedSinceUs: 0,
      discardedUntilUs: 0,
      backlog: 0,
      oldestUnsentUs: 0,
    },
    series: [{ number: 0, kind: 'measurements', name: 'doctor', datatype: 'f' }],
    erasures: [],
    sections: [
      { from: 0, to: 1, isRepeated: false, superseded: 0, series: Uint32Array.of(0), ends: Uint32Array.of(1), columns },
    ],
  };
}

function ok(text: string): StoreFinding {
  return { level: 'ok', text, fix: null };
}

function wrong({ message }: StoreError, fix: string): StoreFinding {
  return { level: 'wrong', text: `${message[0]?.toUpperCase()}${message.slice(1)}.`, fix };
}

/** A command that shows the same without us. */
function fixOf({ trouble }: StoreError, { user, database }: PostgresAddress, { host, port }: PostgresHost): string {
  if (trouble === 'unreachable' || trouble === 'silent') return `pg_isready -h ${host} -p ${port}`;
  return `psql -h ${host} -p ${port} -U ${user} -d ${database} -c 'select 1'`;
}
