// Who may log in to a PostgreSQL of a test, with passwords drawn at random; and psql, by which tests ask it.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Authority } from './authority.ts';
import { clientProgram } from './postgres-programs.ts';

const run = promisify(execFile);

/** Who may do everything, over the socket in the folder without a password. */
export const owner = 'owner';
/** Who standbys follow their primary as. */
export const replicator = 'replicator';

export interface UrlOptions {
  readonly database?: string | undefined;
  /** In place of the engine's own: of proxies in front of it. */
  readonly ports?: readonly number[];
}

export class PostgresRoles {
  readonly #passwords = new Map<string, string>();
  readonly #authority: Authority | undefined;

  constructor(authority: Authority | undefined) {
    this.#authority = authority;
  }

  password(role: string): string {
    const password = this.#passwords.get(role);
    if (password === undefined) throw new Error(`${role} is no role that was added here`);
    return password;
  }

  /** A new password, which whoever makes the role has to set. */
  draw(role: string): string {
    const password = randomBytes(18).toString('hex');
    this.#passwords.set(role, password);
    return password;
  }

  /** SQL that makes a role who may log in, or gives the one that exists a new password. */
  sqlFor(role: string, attributes: string): string {
    const make = `CREATE ROLE "${role}"; EXCEPTION WHEN duplicate_object THEN NULL;`;
    return `DO $$ BEGIN ${make} END $$; ALTER ROLE "${role}" LOGIN ${attributes} PASSWORD '${this.draw(role)}'`;
  }

  url(role: string, { database = 'postgres', ports = [] }: UrlOptions): string {
    const authority = this.#authority;
    const parameters = [
      ...(authority === undefined ? [] : ['sslmode=verify-full', `sslrootcert=${authority.ca}`]),
      ...(ports.length > 1 ? ['target_session_attrs=read-write'] : []),
    ].join('&');
    const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
    return `postgresql://${role}:${this.password(role)}@${hosts}/${database}${parameters && `?${parameters}`}`;
  }
}

/** Where the socket of an engine is. */
export interface Local {
  readonly folder: string;
  readonly port: number;
}

/** Rows as lines, columns with tabs between them. To a URL, or by the owner over the socket. */
export async function psql(target: string | Local, sql: string, database = 'postgres'): Promise<string> {
  const local = ({ folder, port }: Local) => `host=${folder} port=${port} user=${owner} dbname=${database}`;
  const url = typeof target === 'string' ? target : local(target);
  const asked = run(clientProgram('psql'), ['-XAqt', '-F', '\t', '-v', 'ON_ERROR_STOP=1', '-d', url], {
    env: { PATH: '/usr/bin:/bin' },
    maxBuffer: 1 << 28,
  });
  // It may have ended by then: what it said tells why.
  asked.child.stdin?.on('error', () => {}).end(sql);
  return (await asked).stdout.trim();
}

/** Whether it takes connections. */
export async function isReady({ folder, port }: Local): Promise<boolean> {
  const asked = run(clientProgram('pg_isready'), [
    '-q',
    '-h',
    folder,
    '-p',
    String(port),
    '-U',
    owner,
    '-d',
    'postgres',
  ]);
  return asked.then(
    () => true,
    // Not at once again: asking takes more than what it does meanwhile.
    () => sleep(30, false),
  );
}
