// The command line `telltale`, as a person or a script runs it: in this process, where only its words matter, and as a
// process of its own, with pipes or a terminal.
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@telltale/schema';
import { cleanupOf, type Scope } from '@telltale/stack-kit/testing/cleanup';
import { run } from '../packages/cli/src/run.ts';

export const mainFile = fileURLToPath(new URL('../packages/cli/bin/telltale.js', import.meta.url));

export interface CliOptions {
  readonly url: string;
  readonly input?: string | Uint8Array;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function environment({ url, env }: CliOptions): NodeJS.ProcessEnv {
  const clean = Object.entries(process.env).filter(([name]) => !name.startsWith('TELLTALE_') && name !== 'NO_COLOR');
  return { ...Object.fromEntries(clean), TELLTALE_URL: url, ...env };
}

function start(args: readonly string[], options: CliOptions): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [mainFile, ...args], {
    env: environment(options),
    ...(options.cwd !== undefined && { cwd: options.cwd }),
  });
}

/** In this process, piped. */
export async function runCli(args: readonly string[], { url, input = '', env }: CliOptions): Promise<CliResult> {
  const text = { out: '', err: '' };
  const stream = (to: 'out' | 'err') => ({
    write: (chunk: string | Uint8Array) => {
      text[to] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      return true;
    },
    once: () => undefined,
  });
  const code = await run(args, {
    out: stream('out'),
    err: stream('err'),
    input: Readable.from([Buffer.from(input)]),
    environment: { TELLTALE_URL: url, ...env },
    version: '1.2.3',
    clock: systemClock,
    signal: new AbortController().signal,
  });
  return { code, stdout: text.out, stderr: text.err };
}

/** In a process of its own, piped. */
export async function spawnCli(args: readonly string[], options: CliOptions): Promise<CliResult> {
  const child = start(args, options);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdin.on('error', () => undefined); // it may end before it has read anything
  child.stdin.end(options.input ?? '');
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

/** A process that goes on until it is ended; with the test at the latest. */
export class RunningCli {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  /** Its exit code; null where a signal ended it. */
  readonly ended: Promise<number | null>;
  stderr = '';

  constructor(scope: Scope, args: readonly string[], options: CliOptions) {
    this.#child = start(args, options);
    this.ended = once(this.#child, 'close').then(([code]) => code as number | null);
    cleanupOf(scope).defer(async () => void (await this.end('SIGKILL')));
    this.#child.stderr.on('data', (chunk) => {
      this.stderr += chunk;
    });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** The next line that fits. */
  async line(fits: (line: string) => boolean): Promise<string> {
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done) throw new Error(`it ended before the line came: ${this.stderr}`);
      if (fits(value)) return value;
    }
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  stopReading(): void {
    this.#child.stdout.destroy();
  }

  end(signal: NodeJS.Signals = 'SIGINT'): Promise<number | null> {
    this.#child.kill(signal);
    return this.ended;
  }
}

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

/** False where a terminal can be had; else why not. */
export const noTerminal: false | string =
  spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0 ? false : 'there is no script(1) on this machine';

export interface Typed {
  /** What is printed before it is typed. */
  readonly after: string;
  /** May depend on all that was printed. */
  readonly text: string | ((printed: string) => string);
}

/** On a terminal, where somebody types when they are asked; with both outputs together. */
export async function typeToCli(
  scope: Scope,
  args: readonly string[],
  typed: readonly Typed[],
  options: CliOptions,
): Promise<CliResult> {
  const command = [quoted(process.execPath), quoted(mainFile), ...args.map(quoted)].join(' ');
  const child = spawn('script', ['-qec', command, '/dev/null'], { env: environment(options) });
  const ended = once(child, 'close') as Promise<[number | null]>;
  cleanupOf(scope).defer(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const left = [...typed];
  let [stdout, heard] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
    heard += chunk;
    const [next] = left;
    if (next === undefined || !heard.includes(next.after)) return;
    left.shift();
    heard = '';
    child.stdin.write(typeof next.text === 'string' ? next.text : next.text(stdout));
  });
  const [code] = await ended;
  return { code, stdout, stderr: '' };
}

/** On a terminal of 100 columns, with both outputs together. */
export function runOnTerminal(args: readonly string[], options: CliOptions): CliResult {
  const command = ['stty cols 100;', quoted(process.execPath), quoted(mainFile), ...args.map(quoted)].join(' ');
  const { status, stdout, stderr } = spawnSync('script', ['-qec', command, '/dev/null'], {
    env: environment(options),
    encoding: 'utf8',
    ...(options.cwd !== undefined && { cwd: options.cwd }),
  });
  return { code: status, stdout, stderr };
}
