// A peer of a protocol as a process of its own: started, waited for, and ended by its pid.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { createConnection } from 'node:net';
import { delimiter, isAbsolute, join } from 'node:path';
import { until } from './until.ts';

export interface PeerOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** A temporary folder of the test. */
  readonly folder: string;
  /** Asked again and again until it holds; it may look at what the peer has said. */
  readonly isReady: (peer: PeerProcess) => boolean | Promise<boolean>;
  readonly env?: Readonly<Record<string, string>>;
  /** As whom it runs, where root starts what refuses root. */
  readonly user?: PeerUser | undefined;
  /** False where somebody else ends it when this process ends. */
  readonly endsWithUs?: boolean;
  /** For what takes longer than `until` waits by itself. */
  readonly readyMs?: number;
}

export interface PeerUser {
  readonly uid: number;
  readonly gid: number;
}

/** Of what it says, the last so many characters are kept. */
const maxSaid = 100_000;
const killMs = 3000;
/** Where Debian puts them; the environment of the test does not matter. */
const searchPath = '/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin';

export class PeerProcess {
  /** Standard output and error. */
  said = '';
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #endWithUs = () => this.#child.kill('SIGKILL');

  /** Rejects, with what it said, where it ends before it is ready or never is. */
  static async start(options: PeerOptions): Promise<PeerProcess> {
    const peer = new PeerProcess(options);
    try {
      const isReady = async () => {
        if (!peer.isRunning) throw new Error(`${options.command} has ended`);
        return options.isReady(peer);
      };
      await until(`${options.command} is ready`, isReady, { deadlineMs: options.readyMs });
      return peer;
    } catch (error) {
      await peer.stop();
      throw new Error(`${(error as Error).message}; it said: ${peer.said.slice(-2000)}`, { cause: error });
    }
  }

  private constructor({ command, args, folder, env, user, endsWithUs = true }: PeerOptions) {
    this.#child = spawn(command, args, {
      ...user,
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: searchPath, HOME: folder, LANG: 'C', ...env },
    });
    // `exit`, not `close`: what the peer has started may hold its output open.
    this.#exited = once(this.#child, 'exit').catch((error) => this.#hear(String(error)));
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => this.#hear(text));
    }
    if (endsWithUs) process.on('exit', this.#endWithUs);
  }

  get isRunning(): boolean {
    return this.#child.pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Resolves when it has ended, killed where it does not end by itself. */
  async stop(signal: NodeJS.Signals = 'SIGTERM', patienceMs = killMs): Promise<void> {
    process.off('exit', this.#endWithUs);
    this.#child.kill(signal);
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), patienceMs);
    await this.#exited;
    clearTimeout(timer);
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }

  /** As a device that hangs: its sockets stay, and it answers nothing until it goes on. */
  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  #hear(text: string): void {
    this.said = (this.said + text).slice(-maxSaid);
  }
}

/** Why a test that needs these commands is skipped; undefined where they are all there. */
export function missingPeers(...commands: readonly string[]): string | undefined {
  const folders = searchPath.split(delimiter);
  const missing = commands.filter((command) => {
    const paths = isAbsolute(command) ? [command] : folders.map((folder) => join(folder, command));
    return !paths.some(isExecutable);
  });
  if (missing.length === 0) return undefined;
  return `${missing.join(', ')} cannot be found: test/install-peers.sh installs what these tests talk to`;
}

/** Whether somebody listens there. */
export async function accepts(port: number, host = '127.0.0.1'): Promise<boolean> {
  const socket = createConnection({ port, host });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
