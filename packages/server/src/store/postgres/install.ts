// Makes the tables of the store where there are none, and brings older ones to the present version.
import type { ClientBase } from 'pg';
import { schemaVersion, steps } from './steps/index.ts';

/** Whoever installs holds it: any number that nobody else in the database takes. */
const installLock = 7_316_241_205;

/** The database has what this server cannot work with; the message says what to do. */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase';
}

/** Throws `UnusableDatabase`, and the errors of `pg`. Who may not make tables can use those that are there. */
export async function install(client: ClientBase): Promise<void> {
  if ((await installedVersion(client)) === schemaVersion) return;
  await checkServer(client);
  await client.query('begin');
  try {
    await client.query('select pg_advisory_xact_lock($1)', [installLock]);
    const version = await installedVersion(client);
    if (version > schemaVersion) {
      throw new UnusableDatabase(
        `the tables in the database have version ${version}, this server knows them up to ${schemaVersion}: update the server`,
      );
    }
    if (version === 0) await client.query(foundation);
    for (const sql of steps.slice(version).flat()) await client.query(sql);
    await client.query('update telltale.meta set version = $1, installed = now()', [schemaVersion]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
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
async function installedVersion(client: ClientBase): Promise<number> {
  // Not to_regclass: within a transaction it may remember that there was none.
  const { rows } = await client.query("select from pg_tables where schemaname = 'telltale' and tablename = 'meta'");
  if (rows.length === 0) return 0;
  return (await client.query('select version from telltale.meta')).rows[0].version;
}

const oldestServer = 15;

async function checkServer(client: ClientBase): Promise<void> {
  const { rows } = await client.query(
    `select current_setting('server_version') as version, current_setting('server_version_num')::int / 10000 as major,
      current_setting('server_encoding') as encoding, current_database() as database`,
  );
  const [{ version, major, encoding, database }] = rows;
  if (major < oldestServer) {
    throw new UnusableDatabase(`PostgreSQL ${version} is too old: the store needs ${oldestServer} or newer`);
  }
  if (encoding !== 'UTF8') {
    throw new UnusableDatabase(
      `the database ${database} has the encoding ${encoding}: make one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`,
    );
  }
}
