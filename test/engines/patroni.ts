// Patroni for tests: several PostgreSQL on loopback, of which one leads and is followed synchronously, and the etcd that they agree by.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, missingPeers, until } from '@telltale/stack-kit/testing';
import { cleanupOf, type Scope } from '@telltale/stack-kit/testing/cleanup';
import { askJson } from './ask-json.ts';
import { engineFolder } from './engine-folder.ts';
import { EngineProcess } from './engine-process.ts';
import { Etcd, withoutEtcd } from './etcd.ts';
import { programsOf, withoutPostgres } from './postgres-programs.ts';
import { owner, PostgresRoles, psql, replicator, type UrlOptions } from './postgres-roles.ts';

/** Why tests that need it are skipped, or false. Version 3.0 knows PostgreSQL up to 15. */
export const withoutPatroni = missingPeers('patroni') ?? (withoutEtcd || withoutPostgres('15'));

export interface PatroniOptions {
  /** Three unless told otherwise. */
  readonly nodes?: 2 | 3;
  /** One of its own unless told otherwise. */
  readonly etcd?: Etcd;
  /** Of each PostgreSQL. */
  readonly settings?: Readonly<Record<string, string>>;
}

export type PatroniRole = 'leader' | 'sync_standby' | 'replica';

/** The least that Patroni allows for so short a time to live: ttl ≥ loop_wait + 2 × retry_timeout. */
const times = { ttl: 20, loop_wait: 5, retry_timeout: 7 };
/** Three data folders are made and copied, on a machine that has other things to do. */
const clusterMs = 120_000;

export class PatroniNode {
  readonly name: string;
  /** Of its PostgreSQL. */
  readonly port: number;
  readonly folder: string;
  readonly #process: EngineProcess;

  /** Made by `Patroni`. */
  constructor(name: string, ports: { readonly sql: number; readonly rest: number }, folder: string) {
    [this.name, this.port, this.folder] = [name, ports.sql, folder];
    const isReady = async () => {
      const answer = await askJson(`http://127.0.0.1:${ports.rest}/health`).catch(() => undefined);
      return answer?.status === 200;
    };
    const args = [join(folder, 'patroni.json')];
    this.#process = new EngineProcess({ command: 'patroni', args, folder, isReady, readyMs: clusterMs });
  }

  get said(): string {
    return this.#process.said;
  }

  /** Of Patroni and PostgreSQL. */
  get pids(): number[] {
    return this.#process.pids;
  }

  get isUp(): boolean {
    return this.#process.isUp;
  }

  /** After `stop` or `kill`: on the same ports, with what was there. */
  async again(): Promise<void> {
    await this.#process.start();
  }

  async stop(): Promise<void> {
    await this.#process.stop();
  }

  /** PostgreSQL and its Patroni, as when their machine is gone. */
  async kill(): Promise<void> {
    await this.#process.kill();
  }

  async freeze(): Promise<void> {
    await this.#process.freeze();
  }

  thaw(): void {
    this.#process.thaw();
  }

  /** By its owner over the socket. */
  query(sql: string, database?: string): Promise<string> {
    return psql(this, sql, database);
  }
}

export class Patroni {
  readonly nodes: readonly PatroniNode[];
  readonly etcd: Etcd;
  readonly #restPorts: readonly number[];
  readonly #roles = new PostgresRoles(undefined);

  /** One leads, another one has what it commits, and all follow. It ends with the scope. */
  static async start(scope: Scope, options: PatroniOptions = {}): Promise<Patroni> {
    const etcd = options.etcd ?? (await Etcd.start(scope));
    const ports = Array.from({ length: options.nodes ?? 3 }, async () => ({
      sql: await freePort(),
      rest: await freePort(),
    }));
    const patroni = new Patroni(scope, etcd, await Promise.all(ports), options.settings);
    await Promise.all(patroni.nodes.map((node) => node.again()));
    await patroni.whole();
    return patroni;
  }

  private constructor(
    scope: Scope,
    etcd: Etcd,
    ports: readonly { readonly sql: number; readonly rest: number }[],
    settings: Readonly<Record<string, string>> = {},
  ) {
    this.etcd = etcd;
    this.#restPorts = ports.map(({ rest }) => rest);
    for (const role of [owner, replicator]) this.#roles.draw(role);
    this.nodes = ports.map((port, index) => {
      const folder = engineFolder(scope);
      const node = new PatroniNode(`node${index}`, port, folder);
      const configuration = this.#configuration({ name: node.name, folder, ...port, settings });
      writeFileSync(join(folder, 'patroni.json'), JSON.stringify(configuration));
      cleanupOf(scope).defer(() => node.kill());
      return node;
    });
  }

  /** With the role's password; to whichever node leads. */
  url(role = owner, options: UrlOptions = {}): string {
    return this.#roles.url(role, { ports: this.nodes.map(({ port }) => port), ...options });
  }

  /** Who may log in, with a new password. */
  async addRole(role: string, attributes = ''): Promise<void> {
    await (await this.primary()).query(this.#roles.sqlFor(role, attributes));
  }

  /** Waits for one that takes writes. */
  async primary(): Promise<PatroniNode> {
    let primary: PatroniNode | undefined;
    const find = async () => {
      for (const node of this.nodes.filter(({ isUp }) => isUp)) {
        const isOne = (await node.query('SELECT pg_is_in_recovery()').catch(() => 't')) === 'f';
        if (isOne && (await this.#roleOf(node)) === 'leader') primary = node;
      }
      return primary !== undefined;
    };
    await until('a node of Patroni leads', find, { deadlineMs: clusterMs });
    return primary as PatroniNode;
  }

  /** Waits until every node that is up follows the leader, one of them synchronously. */
  async whole(): Promise<void> {
    const isWhole = async () => {
      const up = this.nodes.filter(({ isUp }) => isUp);
      const roles = await Promise.all(up.map((node) => this.#roleOf(node)));
      const count = (role: PatroniRole) => roles.filter((each) => each === role).length;
      return count('leader') === 1 && count('sync_standby') === 1 && count('replica') === up.length - 2;
    };
    await until('all nodes of Patroni follow one', isWhole, { deadlineMs: clusterMs });
  }

  /** As the node itself sees it; undefined where it does not run. */
  async #roleOf(node: PatroniNode): Promise<PatroniRole | undefined> {
    const port = this.#restPorts[this.nodes.indexOf(node)];
    const answer = await askJson(`http://127.0.0.1:${port}/cluster`).catch(() => undefined);
    const members = (answer?.body as { members?: { name: string; role: PatroniRole; state: string }[] } | undefined)
      ?.members;
    const member = members?.find(({ name }) => name === node.name);
    return member !== undefined && ['running', 'streaming'].includes(member.state) ? member.role : undefined;
  }

  #configuration({ name, folder, sql, rest, settings }: NodeSettings): object {
    const login = (username: string) => ({ username, password: this.#roles.password(username) });
    const { authority, client, members, scheme } = this.etcd;
    const tls = authority && { cacert: authority.ca, cert: client?.cert, key: client?.key };
    const address = (port: number) => `127.0.0.1:${port}`;
    return {
      scope: 'test',
      name,
      restapi: { listen: address(rest), connect_address: address(rest) },
      etcd3: { hosts: members.map(({ port }) => address(port)), protocol: scheme, ...tls },
      bootstrap: {
        dcs: {
          ...times,
          synchronous_mode: true,
          postgresql: { use_pg_rewind: true, parameters: { shared_buffers: '32MB', ...settings } },
        },
        initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums', 'no-sync'],
      },
      // It would reset the machine.
      watchdog: { mode: 'off' },
      postgresql: {
        listen: address(sql),
        connect_address: address(sql),
        use_unix_socket: true,
        data_dir: join(folder, 'data'),
        bin_dir: programsOf('15'),
        pgpass: join(folder, 'pgpass'),
        authentication: { superuser: login(owner), replication: login(replicator) },
        parameters: { unix_socket_directories: folder },
        pg_hba: [
          'local all all trust',
          'host all all 127.0.0.1/32 scram-sha-256',
          'host replication all 127.0.0.1/32 scram-sha-256',
        ],
        basebackup: [{ checkpoint: 'fast' }, 'no-sync'],
      },
    };
  }
}

interface NodeSettings {
  readonly name: string;
  readonly folder: string;
  readonly sql: number;
  readonly rest: number;
  readonly settings: Readonly<Record<string, string>>;
}
