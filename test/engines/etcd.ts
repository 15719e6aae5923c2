// etcd for tests: one member or three on loopback, over TLS with certificates of clients and with users where asked for.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { accepts, freePort, missingPeers, until } from '@telltale/stack-kit/testing';
import { cleanupOf, type Scope } from '@telltale/stack-kit/testing/cleanup';
import { askJson } from './ask-json.ts';
import type { Authority, Pair } from './authority.ts';
import { engineFolder } from './engine-folder.ts';
import { EngineProcess } from './engine-process.ts';

/** Why tests that need it are skipped, or false. */
export const withoutEtcd = missingPeers('etcd') ?? false;

export interface EtcdOptions {
  /** One unless told otherwise. */
  readonly members?: 1 | 3;
  /** With one, it speaks TLS, and knows only clients with a certificate of this authority. */
  readonly authority?: Authority | undefined;
  /** As they are on its command line. */
  readonly arguments?: readonly string[];
}

/** What a user may read and write: a range of keys. */
export interface EtcdGrant {
  readonly prefix: string;
  readonly access?: 'READ' | 'WRITE' | 'READWRITE';
}

interface AskedOf {
  readonly member?: EtcdMember;
  readonly user?: string | undefined;
}

interface Status {
  readonly header: { readonly member_id: string };
  /** Missing where there is none. */
  readonly leader?: string;
}

export class EtcdMember {
  readonly name: string;
  readonly port: number;
  readonly folder: string;
  readonly peerPort: number;
  readonly #cluster: Etcd;
  readonly #process: EngineProcess;

  /** Made by `Etcd`. */
  constructor(cluster: Etcd, { folder, name, port, peerPort, args }: MemberOptions) {
    this.#cluster = cluster;
    [this.name, this.folder, this.port, this.peerPort] = [name, folder, port, peerPort];
    // Debian's refuses what its makers do not test all day.
    const env = process.arch === 'arm64' ? { ETCD_UNSUPPORTED_ARCH: 'arm64' } : {};
    // Without a majority it listens, and answers when there is one.
    const isReady = () => (cluster.hasMajority ? this.answers() : accepts(port));
    const all = ['--name', name, '--data-dir', join(folder, 'data'), ...args];
    this.#process = new EngineProcess({ command: 'etcd', args: all, folder, env, isReady });
  }

  get url(): string {
    return `${this.#cluster.scheme}://127.0.0.1:${this.port}`;
  }

  get said(): string {
    return this.#process.said;
  }

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

  async kill(): Promise<void> {
    await this.#process.kill();
  }

  async freeze(): Promise<void> {
    await this.#process.freeze();
  }

  thaw(): void {
    this.#process.thaw();
  }

  /** Whether it can read what a majority has. */
  async answers(): Promise<boolean> {
    const { authority, client } = this.#cluster;
    const answer = await askJson(`${this.url}/health`, { authority, pair: client }).catch(() => undefined);
    return answer?.status === 200;
  }

  async status(): Promise<Status> {
    return (await this.#cluster.ask('maintenance/status', {}, { member: this })) as Status;
  }
}

interface MemberOptions {
  readonly folder: string;
  readonly name: string;
  readonly port: number;
  readonly peerPort: number;
  readonly args: readonly string[];
}

export class Etcd {
  readonly members: readonly EtcdMember[];
  readonly scheme: 'http' | 'https';
  readonly authority: Authority | undefined;
  /** Of a client that may connect, where certificates are asked for. */
  readonly client: Pair | undefined;
  readonly #passwords = new Map<string, string>();

  /** With a leader. It ends with the scope. */
  static async start(scope: Scope, options: EtcdOptions = {}): Promise<Etcd> {
    const ports = await Promise.all(
      Array.from({ length: options.members ?? 1 }, async () => [await freePort(), await freePort()] as const),
    );
    const etcd = new Etcd(scope, ports, options);
    await Promise.all(etcd.members.map((member) => member.again()));
    return etcd;
  }

  private constructor(
    scope: Scope,
    ports: readonly (readonly [number, number])[],
    { authority, arguments: more = [] }: EtcdOptions,
  ) {
    this.authority = authority;
    this.scheme = authority === undefined ? 'http' : 'https';
    // Who has users refuses clients with a common name at its gateway, where it would mean nothing.
    this.client = authority?.issue('client', '/OU=client');
    const at = (port: number) => `${this.scheme}://127.0.0.1:${port}`;
    const cluster = ports.map(([, peerPort], index) => `etcd${index}=${at(peerPort)}`).join(',');
    const tls = authority === undefined ? [] : tlsArguments(authority);
    this.members = ports.map(([port, peerPort], index) => {
      const client = ['--listen-client-urls', at(port), '--advertise-client-urls', at(port)];
      const peer = ['--listen-peer-urls', at(peerPort), '--initial-advertise-peer-urls', at(peerPort)];
      const args = [...client, ...peer, '--initial-cluster', cluster, '--logger', 'zap', ...tls, ...more];
      const member = new EtcdMember(this, { folder: engineFolder(scope), name: `etcd${index}`, port, peerPort, args });
      cleanupOf(scope).defer(() => member.kill());
      return member;
    });
  }

  get urls(): string[] {
    return this.members.map(({ url }) => url);
  }

  /** Of its members, more than half run and are not frozen. */
  get hasMajority(): boolean {
    return 2 * this.members.filter(({ isUp }) => isUp).length > this.members.length;
  }

  /** Waits for one. */
  async leader(): Promise<EtcdMember> {
    let leader: EtcdMember | undefined;
    await until('etcd has a leader', async () => {
      for (const member of this.members.filter(({ isUp }) => isUp)) {
        const status = await member.status().catch(() => undefined);
        if (status !== undefined && status.leader === status.header.member_id) leader = member;
      }
      return leader !== undefined;
    });
    return leader as EtcdMember;
  }

  /** By its JSON gateway, of this member or the first one that is up. Rejects with what it says where it refuses. */
  async ask(path: string, body: object, { member, user }: AskedOf = {}): Promise<unknown> {
    const asked = member ?? this.members.find(({ isUp }) => isUp) ?? (this.members[0] as EtcdMember);
    const token = user === undefined ? undefined : await this.#token(user, asked);
    const { status, body: answer } = await askJson(`${asked.url}/v3/${path}`, {
      body,
      authority: this.authority,
      pair: this.client,
      headers: token === undefined ? {} : { authorization: token },
    });
    if (status !== 200) throw new Error(`etcd: ${path}: ${JSON.stringify(answer)}`);
    return answer;
  }

  async put(key: string, value: string, user?: string): Promise<void> {
    await this.ask('kv/put', { key: btoa(key), value: btoa(value) }, { user });
  }

  async get(key: string, user?: string): Promise<string | undefined> {
    const answer = (await this.ask('kv/range', { key: btoa(key) }, { user })) as { kvs?: { value: string }[] };
    const value = answer.kvs?.[0]?.value;
    return value === undefined ? undefined : atob(value);
  }

  async remove(key: string): Promise<void> {
    await this.ask('kv/deleterange', { key: btoa(key) });
  }

  /** From now on everybody has to be somebody: `root`, who may do everything, and these. */
  async requireUsers(users: Readonly<Record<string, readonly EtcdGrant[]>>): Promise<void> {
    for (const [user, grants] of [['root', []] as const, ...Object.entries(users)]) {
      this.#passwords.set(user, randomBytes(18).toString('hex'));
      await this.ask('auth/user/add', { name: user, password: this.password(user) });
      await this.ask('auth/role/add', { name: user });
      for (const { prefix, access = 'READWRITE' } of grants) {
        const perm = { permType: access, key: btoa(prefix), range_end: btoa(endOf(prefix)) };
        await this.ask('auth/role/grant', { name: user, perm });
      }
      await this.ask('auth/user/grant', { user, role: user });
    }
    await this.ask('auth/enable', {});
  }

  password(user: string): string {
    const password = this.#passwords.get(user);
    if (password === undefined) throw new Error(`${user} is no user that requireUsers has made`);
    return password;
  }

  async #token(user: string, member: EtcdMember): Promise<string> {
    const login = { name: user, password: this.password(user) };
    return ((await this.ask('auth/authenticate', login, { member })) as { token: string }).token;
  }
}

/** Its certificate is that of a server and a client: members and its gateway connect to it. */
function tlsArguments(authority: Authority): string[] {
  const { cert, key } = authority.issue('etcd');
  const files = (prefix: string) => [`--${prefix}cert-file`, cert, `--${prefix}key-file`, key];
  const checked = (prefix: string) => [`--${prefix}client-cert-auth`, `--${prefix}trusted-ca-file`, authority.ca];
  return ['', 'peer-'].flatMap((prefix) => [...files(prefix), ...checked(prefix)]);
}

/** The first key that does not begin with it. */
function endOf(prefix: string): string {
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
}
