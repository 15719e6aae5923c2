// The real server as a child process, as a user runs it, on a free port and a data folder of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { cleanupOf, type Scope } from '@telltale/stack-kit/testing/cleanup';

const here = fileURLToPath(new URL('..', import.meta.url));
const mainFileOf = (installation: string) => join(installation, 'packages/server/bin/telltale-server.js');
export const mainFile = mainFileOf(here);

export interface StartOptions {
  readonly data: string;
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Run by the shell before the server, in its process: `ulimit -n 8192`. */
  readonly prelude?: string;
  /** The folder of another installation than this one. */
  readonly installation?: string;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Environment variables of the one who runs the tests must not set the server. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TELLTALE_')));
}

export function spawnServer(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  prelude?: string,
  main = mainFile,
): ChildProcess {
  const shell = prelude === undefined ? [] : ['sh', '-c', `${prelude}; exec "$@"`, 'sh'];
  const [command = '', ...rest] = [...shell, process.execPath, main, ...args];
  return spawn(command, rest, {
    env: { ...cleanEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/**
 * For a server whose modules run Node: one that has a user of its own cannot where a folder above Node is closed to others,
 * as below /root.
 */
export const moduleArgs: readonly string[] = isClosedToOthers(process.execPath) ? ['--module-user', 'server'] : [];

function isClosedToOthers(path: string): boolean {
  const isClosed = (statSync(path).mode & 0o001) === 0;
  return isClosed || (path !== dirname(path) && isClosedToOthers(dirname(path)));
}

const endTimeoutMs = 60_000;

/** Runs the server where it is expected to end by itself; where it does not, it is killed. */
export async function runServer(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Ended> {
  const child = spawnServer(args, env);
  const output = collect(child);
  const overdue = setTimeout(() => child.kill('SIGKILL'), endTimeoutMs);
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  clearTimeout(overdue);
  return { code, signal, ...output() };
}

function collect(child: ChildProcess): () => { stdout: string; stderr: string } {
  const text = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => {
    text.stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    text.stderr += chunk;
  });
  return () => ({ ...text });
}

export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #output: () => { stdout: string; stderr: string };
  readonly #closed: Promise<[number | null, NodeJS.Signals | null]>;
  readonly url: string;

  /** Resolves when the server says that it is ready. */
  static async start(
    scope: Scope,
    { data, args = [], env, prelude, installation = here }: StartOptions,
  ): Promise<ServerProcess> {
    const child = spawnServer(
      ['--data', data, '--port', '0', '--no-demo', ...args],
      env,
      prelude,
      mainFileOf(installation),
    );
    const output = collect(child);
    const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    cleanupOf(scope).defer(() => stop(child, closed));
    const url = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
        const found = /"msg":"(?:ready|running, and not ready \([^)]+\)): (https?:\/\/[^/]+)\//.exec(line);
        if (found?.[1] !== undefined) resolve(found[1]);
      });
      closed.then(([code]) => reject(new Error(`the server ended with ${code}: ${JSON.stringify(output())}`)));
    });
    return new ServerProcess(child, url, output, closed);
  }

  private constructor(
    child: ChildProcess,
    url: string,
    output: () => { stdout: string; stderr: string },
    closed: Promise<[number | null, NodeJS.Signals | null]>,
  ) {
    this.#child = child;
    this.url = url;
    this.#output = output;
    this.#closed = closed;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The root of the configuration interface. */
  get config(): string {
    return `${this.url}/config/v2`;
  }

  /** The lines of its log so far. */
  get log(): string {
    return this.#output().stdout;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
    this.#child.kill(signal);
    const [code, endedBy] = await this.#closed;
    return { code, signal: endedBy, ...this.#output() };
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(this.config + path, { headers });
  }

  /** Sends `body` as JSON where there is one. */
  send(method: string, path: string, body?: unknown): Promise<Response> {
    if (body === undefined) return fetch(this.config + path, { method });
    return fetch(this.config + path, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  sendBytes(method: string, path: string, type: string, body: Uint8Array): Promise<Response> {
    return fetch(this.config + path, {
      method,
      headers: { 'content-type': type },
      body: body as Uint8Array<ArrayBuffer>,
    });
  }
}

/** A server that has ended when the scope is over, and before anything that was begun there earlier is undone. */
export const startServer = ServerProcess.start;

/** As an operator would, and by force where that does not help. */
async function stop(child: ChildProcess, closed: Promise<unknown>): Promise<void> {
  child.kill();
  const overdue = setTimeout(() => child.kill('SIGKILL'), endTimeoutMs);
  await closed;
  clearTimeout(overdue);
}
