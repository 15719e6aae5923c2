// The broker of the tests, with a client that is not ours.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, missingPeers, PeerProcess, until } from '@telltale/stack-kit/testing';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';

const run = promisify(execFile);

/** Why tests that need a broker are skipped, or false. */
export const withoutMosquitto = missingPeers('mosquitto', 'mosquitto_pub', 'mosquitto_sub') ?? false;
export const withoutOpenssl = withoutMosquitto || (missingPeers('openssl') ?? false);

export interface MosquittoOptions {
  readonly port?: number;
  /** Lines of its configuration, for the folder that it has. */
  readonly config?: (folder: string) => string[];
  /** In front of the arguments of its clients. */
  readonly clientArgs?: (folder: string) => string[];
}

export class Mosquitto {
  readonly port: number;
  readonly folder: string;
  readonly #cleanup: AsyncDisposableStack;
  readonly #clientArgs: string[];
  #process: PeerProcess | undefined;

  static async start({ port, config, clientArgs }: MosquittoOptions = {}): Promise<Mosquitto> {
    const cleanup = new AsyncDisposableStack();
    const folder = temporaryFolder(cleanup);
    const broker = new Mosquitto(port ?? (await freePort()), folder, clientArgs?.(folder) ?? [], cleanup);
    const lines = config?.(folder) ?? ['allow_anonymous true'];
    // Started by root it would become somebody who may not read the folder.
    const user = `user ${userInfo().username}`;
    const listener = `listener ${broker.port} 127.0.0.1`;
    writeFileSync(
      join(folder, 'mosquitto.conf'),
      [listener, 'log_type all', 'set_tcp_nodelay true', user, ...lines, ''].join('\n'),
    );
    await broker.again().catch((error) => cleanup.disposeAsync().then(() => Promise.reject(error)));
    return broker;
  }

  private constructor(port: number, folder: string, clientArgs: string[], cleanup: AsyncDisposableStack) {
    this.port = port;
    this.folder = folder;
    this.#cleanup = cleanup;
    cleanup.defer(() => this.halt());
    this.#clientArgs = ['-h', '127.0.0.1', '-p', String(port), '-V', 'mqttv5', ...clientArgs];
  }

  /** What it said. */
  get said(): string {
    return this.#process?.said ?? '';
  }

  /** After `halt`: what was retained is gone. */
  async again(): Promise<void> {
    this.#process = await PeerProcess.start({
      command: '/usr/sbin/mosquitto',
      args: ['-c', join(this.folder, 'mosquitto.conf')],
      folder: this.folder,
      isReady: ({ said }) => said.includes('running'),
    });
  }

  async halt(signal?: NodeJS.Signals): Promise<void> {
    await this.#process?.stop(signal);
    this.#process = undefined;
  }

  async stop(): Promise<void> {
    await this.#cleanup.disposeAsync();
  }

  async pub(topic: string, payload: string | Buffer, ...args: string[]): Promise<void> {
    const from = typeof payload === 'string' ? ['-m', payload] : ['-s'];
    const running = run('mosquitto_pub', [...this.#clientArgs, '-t', topic, '-q', '1', ...from, ...args]);
    if (typeof payload !== 'string') running.child.stdin?.end(payload);
    await running;
  }

  /** Hears what comes from now on, and what is retained. */
  async sub(...filters: string[]): Promise<Heard> {
    const id = `sub_${randomUUID()}`;
    const heard = new Heard([...this.#clientArgs, '-i', id], filters);
    await until('mosquitto_sub has subscribed', () => this.said.includes(`Sending SUBACK to ${id}`));
    return heard;
  }
}

export interface HeardMessage {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: number;
  readonly isRetained: boolean;
}

/** A running mosquitto_sub. */
export class Heard {
  readonly messages: HeardMessage[] = [];
  readonly #child;

  constructor(clientArgs: readonly string[], filters: readonly string[]) {
    const topics = filters.flatMap((filter) => ['-t', filter]);
    // Without stdbuf it says nothing before it has much to say.
    this.#child = spawn('stdbuf', ['-oL', 'mosquitto_sub', ...clientArgs, '-q', '2', '-F', '%q %r %x %t', ...topics]);
    let rest = '';
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const [, qos, retain, payload = '', topic = ''] = /^(\d) (\d) ([0-9a-fA-F]*) (.*)$/.exec(line) ?? [];
        if (qos === undefined) continue;
        this.messages.push({
          topic,
          payload: Buffer.from(payload, 'hex'),
          qos: Number(qos),
          isRetained: retain === '1',
        });
      }
    });
  }

  of(topic: string): HeardMessage[] {
    return this.messages.filter((message) => message.topic === topic);
  }

  texts(topic: string): string[] {
    return this.of(topic).map(({ payload }) => payload.toString());
  }

  /** Asked to end while its broker goes away, it may try to reach the broker for ever. */
  stop(): void {
    this.#child.kill('SIGKILL');
  }
}

/** A certificate authority, a certificate of the broker (for 127.0.0.1 and localhost) and one of a client. */
export function makeCertificates(folder: string): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=test authority', '-days', '2');
  writeFileSync(join(folder, 'san'), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
  for (const name of ['broker', 'client']) {
    openssl('req', ...key, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    const extra = name === 'broker' ? ['-extfile', 'san'] : [];
    const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2'];
    openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.pem`, ...by, ...extra);
  }
}
