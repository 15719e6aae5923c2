// NATS for tests: one server or three that know each other, on loopback, without JetStream.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, missingPeers, until } from '@telltale/stack-kit/testing';
import { cleanupOf, type Scope } from '@telltale/stack-kit/testing/cleanup';
import { askJson } from './ask-json.ts';
import type { Authority } from './authority.ts';
import { engineFolder } from './engine-folder.ts';
import { EngineProcess } from './engine-process.ts';

/** Why tests that need it are skipped, or false. */
export const withoutNats = missingPeers('nats-server') ?? false;

export interface NatsOptions {
  /** One unless told otherwise. */
  readonly servers?: 1 | 3;
  /** With one, it speaks TLS alone, and knows only clients with a certificate of this authority. */
  readonly authority?: Authority | undefined;
  /** Of `tls`, beside its files: such as `verify_and_map: true`. */
  readonly tls?: string;
  /** The rest of the configuration: accounts, users, permissions, limits. */
  readonly configuration?: string;
}

interface Ports {
  readonly client: number;
  readonly monitor: number;
  readonly cluster: number;
}

export class NatsServer {
  readonly name: string;
  readonly port: number;
  readonly folder: string;
  readonly url: string;
  readonly #monitor: string;
  readonly #process: EngineProcess;

  /** Made by `Nats`. */
  constructor(cluster: Nats, { name, ports, folder }: { name: string; ports: Ports; folder: string }) {
    this.name = name;
    this.folder = folder;
    this.port = ports.client;
    this.url = `${cluster.scheme}://127.0.0.1:${ports.client}`;
    this.#monitor = `http://127.0.0.1:${ports.monitor}`;
    const isReady = async () => (await this.#isHealthy()) && (await this.routes()) >= cluster.othersUp(this);
    this.#process = new EngineProcess({
      command: 'nats-server',
      args: ['-c', join(folder, 'nats.conf')],
      folder,
      isReady,
    });
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

  /** After `stop` or `kill`: on the same ports. */
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

  /** How many other servers it is connected to. */
  async routes(): Promise<number> {
    return ((await this.monitor('routez')) as { num_routes: number }).num_routes;
  }

  /** What it tells of itself: `connz`, `varz`, `subsz` and others. */
  async monitor(page: string): Promise<unknown> {
    return (await askJson(`${this.#monitor}/${page}`)).body;
  }

  /** Reads its configuration again; what it no longer permits ends. */
  async reload(): Promise<void> {
    const reloads = () => this.said.split('Reloaded server configuration').length;
    const before = reloads();
    process.kill(this.#process.pid, 'SIGHUP');
    await until(`${this.name} has read its configuration`, () => reloads() > before);
  }

  async #isHealthy(): Promise<boolean> {
    const answer = await askJson(`${this.#monitor}/healthz`).catch(() => undefined);
    return answer?.status === 200;
  }
}

export class Nats {
  readonly servers: readonly NatsServer[];
  readonly authority: Authority | undefined;
  readonly scheme: 'nats' | 'tls';
  readonly #write: (configuration: string) => void;

  /** Every server knows the others. It ends with the scope. */
  static async start(scope: Scope, options: NatsOptions = {}): Promise<Nats> {
    const ports = Array.from({ length: options.servers ?? 1 }, async () => ({
      client: await freePort(),
      monitor: await freePort(),
      cluster: await freePort(),
    }));
    const nats = new Nats(scope, await Promise.all(ports), options);
    await Promise.all(nats.servers.map((server) => server.again()));
    return nats;
  }

  private constructor(scope: Scope, ports: readonly Ports[], options: NatsOptions) {
    const { authority, configuration = '', tls = '' } = options;
    this.authority = authority;
    this.scheme = authority === undefined ? 'nats' : 'tls';
    const pair = authority?.issue('nats');
    const files =
      pair && `cert_file: "${pair.cert}", key_file: "${pair.key}", ca_file: "${authority?.ca}", verify: true`;
    const secured = files === undefined ? '' : `tls { ${files} }`;
    const routes = ports.map(({ cluster }) => `"nats-route://127.0.0.1:${cluster}"`).join(', ');
    const folders = ports.map(() => engineFolder(scope));
    this.#write = (text) => {
      for (const [index, { client, monitor, cluster }] of ports.entries()) {
        const lines = [
          `server_name: nats${index}`,
          `listen: "127.0.0.1:${client}"`,
          `http: "127.0.0.1:${monitor}"`,
          ...(files === undefined ? [] : [`tls { ${files}, ${tls} }`]),
          // A client that is told of other servers would go around the proxy that it was given.
          ...(ports.length === 1
            ? []
            : [
                `cluster { name: test, listen: "127.0.0.1:${cluster}", no_advertise: true, routes: [${routes}], ${secured} }`,
              ]),
          text,
        ];
        writeFileSync(join(folders[index] as string, 'nats.conf'), `${lines.join('\n')}\n`);
      }
    };
    this.#write(configuration);
    this.servers = ports.map((port, index) => {
      const server = new NatsServer(this, { name: `nats${index}`, ports: port, folder: folders[index] as string });
      cleanupOf(scope).defer(() => server.kill());
      return server;
    });
  }

  get urls(): string[] {
    return this.servers.map(({ url }) => url);
  }

  /** How many run beside this one. */
  othersUp(server: NatsServer): number {
    return this.servers.filter((other) => other !== server && other.isUp).length;
  }

  /** Puts this in place of the configuration that it was started with, without a restart. */
  async configure(configuration: string): Promise<void> {
    this.#write(configuration);
    await Promise.all(this.servers.filter(({ isUp }) => isUp).map((server) => server.reload()));
  }
}
