// PostgreSQL for tests and benchmarks: a cluster of its own on loopback, with users, TLS, standbys and a small disk where asked for.
import { chownSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, until } from '@telltale/stack-kit/testing';
import { cleanupOf, type Scope } from '@telltale/stack-kit/testing/cleanup';
import type { Authority } from './authority.ts';
import { engineFolder, engineUser } from './engine-folder.ts';
import { EngineProcess } from './engine-process.ts';
import { environmentOf, makeCluster, type PostgresVersion, programsOf } from './postgres-programs.ts';
import { isReady, owner, PostgresRoles, psql, replicator, type UrlOptions } from './postgres-roles.ts';

export interface PostgresOptions {
  /** 15 unless told otherwise. */
  readonly version?: PostgresVersion;
  readonly port?: number;
  /** Where its data goes: on a small disk. */
  readonly folder?: string;
  /** Of postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
  /** With one, it speaks TLS only, by a certificate of this authority, which is also the one whose clients it knows. */
  readonly authority?: Authority | undefined;
  /** Lines of pg_hba.conf for connections over TCP, where a password by SCRAM is not what is wanted. */
  readonly access?: readonly string[];
}

export interface StandbyOptions {
  /** Where it reaches its primary: the port of a proxy in front of it. */
  readonly through?: number;
  /** The primary's commits wait for it, or for one of several. */
  readonly isSynchronous?: boolean;
}

const usual = {
  listen_addresses: '127.0.0.1',
  wal_level: 'replica',
  shared_buffers: '32MB',
  max_wal_senders: '10',
  max_replication_slots: '10',
  password_encryption: 'scram-sha-256',
  // Commits are on disk when they are acknowledged: crash tests rely on it.
  fsync: 'on',
  synchronous_commit: 'on',
};

export class Postgres {
  readonly version: PostgresVersion;
  readonly port: number;
  readonly folder: string;
  readonly data: string;
  readonly authority: Authority | undefined;
  readonly #scope: Scope;
  readonly #process: EngineProcess;
  readonly #roles: PostgresRoles;
  readonly #synchronous: string[] = [];
  #standbys = 0;

  /** Empty and ready. It ends with the scope. */
  static async start(scope: Scope, options: PostgresOptions = {}): Promise<Postgres> {
    const { version = '15', port = await freePort(), settings, authority, access } = options;
    const postgres = new Postgres(scope, engineFolder(scope, options.folder), version, port, authority);
    makeCluster(version, postgres.data);
    postgres.#write('postgresql.conf', lines({ ...usual, ...postgres.#writeTls(), ...settings }));
    postgres.#write('pg_hba.conf', ['local all all trust', ...(access ?? postgres.#usualAccess()), ''].join('\n'));
    await postgres.again();
    await postgres.addRole(owner, 'SUPERUSER');
    await postgres.addRole(replicator, 'REPLICATION');
    return postgres;
  }

  private constructor(
    scope: Scope,
    folder: string,
    version: PostgresVersion,
    port: number,
    authority: Authority | undefined,
    roles = new PostgresRoles(authority),
  ) {
    this.#scope = scope;
    this.folder = folder;
    this.data = join(folder, 'data');
    this.version = version;
    this.port = port;
    this.authority = authority;
    this.#roles = roles;
    this.#process = new EngineProcess({
      command: join(programsOf(version), 'postgres'),
      args: ['-D', this.data, '-p', String(port), '-k', folder],
      folder,
      env: environmentOf(version),
      isReady: () => isReady(this),
      stopSignal: 'SIGINT',
    });
    cleanupOf(scope).defer(() => this.#process.kill());
  }

  /** Its log since the last start. */
  get said(): string {
    return this.#process.said;
  }

  /** Of the postmaster. */
  get pid(): number {
    return this.#process.pid;
  }

  /** Of all of its processes. */
  get pids(): number[] {
    return this.#process.pids;
  }

  get isRunning(): boolean {
    return this.#process.isRunning;
  }

  /** After `stop` or `kill`: on the same port, with what was there. */
  async again(): Promise<void> {
    await this.#process.start();
  }

  async stop(): Promise<void> {
    await this.#process.stop();
  }

  async kill(): Promise<void> {
    await this.#process.kill();
  }

  async freeze(): Promise<void> {
    await this.#process.freeze();
  }

  thaw(): void {
    this.#process.thaw();
  }

  /** With the role's password. */
  url(role = owner, options: UrlOptions = {}): string {
    return this.#roles.url(role, { ports: [this.port], ...options });
  }

  /** Who may log in, with a new password. */
  async addRole(role: string, attributes = ''): Promise<void> {
    await this.query(this.#roles.sqlFor(role, attributes));
  }

  /** An empty database for a store, of the role `archiver`: its address without the password, and the environment that has that. */
  async addPlant(database = 'plant'): Promise<{ readonly store: URL; readonly env: { readonly PGPASSWORD: string } }> {
    await this.addRole('archiver');
    await this.query(`CREATE DATABASE ${database} OWNER archiver`);
    const store = new URL(this.url('archiver', { database }));
    const env = { PGPASSWORD: store.password };
    store.password = '';
    return { store, env };
  }

  /** Rows as lines, columns with tabs between them. By its owner over the socket, or by a role over TCP. */
  query(sql: string, { role, database }: { role?: string; database?: string } = {}): Promise<string> {
    return psql(role === undefined ? this : this.url(role, { database }), sql, database);
  }

  /** A copy that follows this one, ready and streaming. */
  async addStandby({ through = this.port, isSynchronous = false }: StandbyOptions = {}): Promise<Postgres> {
    const name = `standby_${++this.#standbys}`;
    const folder = engineFolder(this.#scope);
    const standby = new Postgres(this.#scope, folder, this.version, await freePort(), this.authority, this.#roles);
    // Keeps from now on what the copy will lack.
    await this.query(`SELECT pg_create_physical_replication_slot('${name}', true)`);
    const label = await this.query(
      [
        `SELECT '' FROM pg_backup_start('${name}', true);`,
        `\\! cp -a '${this.data}' '${standby.data}'`,
        'SELECT labelfile FROM pg_backup_stop(false);',
      ].join('\n'),
    );
    for (const path of globSync(join(standby.data, '{postmaster.pid,pg_replslot/*,pg_wal/0*}'))) {
      rmSync(path, { recursive: true });
    }
    const tls = this.authority === undefined ? '' : ` sslmode=verify-full sslrootcert=${this.authority.ca}`;
    const login = `user=${replicator} password=${this.#roles.password(replicator)} application_name=${name}`;
    standby.#write('backup_label', `${label}\n`);
    standby.#write('standby.signal', '');
    standby.#write(
      'postgresql.auto.conf',
      lines({
        wal_retrieve_retry_interval: '100ms',
        primary_conninfo: `host=127.0.0.1 port=${through} ${login}${tls}`,
        primary_slot_name: name,
      }),
    );
    await standby.again();
    if (isSynchronous) {
      this.#synchronous.push(name);
      await this.query(`ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (${this.#synchronous.join(', ')})'`);
      await this.query('SELECT pg_reload_conf()');
    }
    const follows = isSynchronous ? "sync_state = 'quorum'" : "state = 'streaming'";
    await until(`${name} follows`, async () => {
      const sql = `SELECT 1 FROM pg_stat_replication WHERE application_name = '${name}' AND ${follows}`;
      return (await this.query(sql)) === '1';
    });
    return standby;
  }

  /** Of a standby: it leads itself. */
  async promote(): Promise<void> {
    await this.query('SELECT pg_promote()');
  }

  #usualAccess(): string[] {
    const kind = this.authority === undefined ? 'host' : 'hostssl';
    return ['all', 'replication'].map((what) => `${kind} ${what} all 127.0.0.1/32 scram-sha-256`);
  }

  /** In the data folder, as it belongs to a standby too. */
  #writeTls(): Record<string, string> {
    if (this.authority === undefined) return {};
    const { cert, key } = this.authority.issue('postgres');
    this.#write('ca.pem', readFileSync(this.authority.ca, 'utf8'));
    this.#write('server.pem', readFileSync(cert, 'utf8'));
    this.#write('server.key', readFileSync(key, 'utf8'));
    return { ssl: 'on', ssl_ca_file: 'ca.pem', ssl_cert_file: 'server.pem', ssl_key_file: 'server.key' };
  }

  #write(name: string, text: string): void {
    const path = join(this.data, name);
    rmSync(path, { force: true });
    writeFileSync(path, text, { mode: 0o600 });
    const user = engineUser();
    if (user !== undefined) chownSync(path, user.uid, user.gid);
  }
}

function lines(settings: Readonly<Record<string, string>>): string {
  const quoted = (value: string) => `'${value.replaceAll("'", "''")}'`;
  return Object.entries(settings)
    .map(([name, value]) => `${name} = ${quoted(value)}\n`)
    .join('');
}
