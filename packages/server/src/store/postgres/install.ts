// Makes the tables of the store where there are none, and brings older ones to the present version.
import { StoreError } from '../store-error.ts';
import type { Connection } from './connection.ts';
import { schemaVersion, steps } from './steps/index.ts';

/** Whoever installs holds it: any number that nobody else in the database takes. */
const installLock = 7_316_241_205;

/** Rejects with a `StoreError`. Who may not make tables can use those that are there. */
export async function install(connection: Connection): Promise<void> {
  if ((await installedVersion(connection)) === schemaVersion) return;
  await checkEncoding(connection);
  await connection.transaction(() => installHere(connection));
}

/** In the transaction that has begun. */
export async function installHere(connection: Connection): Promise<void> {
  await connection.query('select pg_advisory_xact_lock($1)', [installLock]);
  const version = await installedVersion(connection);
  if (version > schemaVersion) {
    const reason = `have version ${version}, and this server knows up to ${schemaVersion}: update the server`;
    throw new StoreError('version', `the tables of the store at ${connection.place.at} ${reason}`);
  }
  if (version === 0) await connection.query(foundation);
  for (const sql of steps.slice(version).flat()) await connection.query(sql);
  await connection.query('update telltale.meta set version = $1, installed = now()', [schemaVersion]);
}

/** Of who reads alone: rejects with a `StoreError` where the tables are not those of this version. */
export async function checkInstalled(connection: Connection): Promise<void> {
  const version = await installedVersion(connection);
  if (version === schemaVersion) return;
  const reason = version === 0 ? 'are not there' : `have version ${version}, and this server reads ${schemaVersion}`;
  const advice = version > schemaVersion ? 'update the server' : 'a server that writes to the store makes them';
  throw new StoreError('version', `the tables of the store at ${connection.place.at} ${reason}: ${advice}`);
}

const foundation = `
create schema telltale;
create table telltale.meta (
  only_one boolean primary key default true check (only_one),
  version integer not null,
  installed timestamptz not null default now()
);
insert into telltale.meta (version) values (0);
`;

/** 0: there are no tables. */
export async function installedVersion(connection: Connection): Promise<number> {
  // Not to_regclass: within a transaction it may remember that there was none.
  const { count } = await connection.query(
    "select from pg_tables where schemaname = 'telltale' and tablename = 'meta'",
  );
  if (count === 0) return 0;
  const { rows } = await connection.query<{ version: number }>('select version from telltale.meta');
  return rows[0]?.version ?? 0;
}

export async function checkEncoding(connection: Connection): Promise<void> {
  const { rows } = await connection.query<{ encoding: string }>(
    "select current_setting('server_encoding') as encoding",
  );
  const encoding = rows[0]?.encoding;
  if (encoding === 'UTF8') return;
  const { at, database } = connection.place;
  throw new StoreError(
    'database',
    `the database ${database} at ${at} has the encoding ${encoding}: make one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`,
  );
}
