// A part of a test of the bus in a process of its own, so that it can be killed and frozen: a site, or an archiver.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { cleanupOf, type Scope } from '@telltale/stack-kit/testing/cleanup';

export class PartProcess<Options extends object, Said extends object> {
  /** The newest of each field that it has said, over all of its lives. */
  readonly said: Partial<Said> = {};
  readonly #script: URL;
  #child: ChildProcess | undefined;

  /** Started by `start`; it ends with the scope. */
  constructor(scope: Scope, script: URL) {
    this.#script = script;
    cleanupOf(scope).defer(() => this.kill());
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  /** 0: it does not run. */
  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Resolves when it says something for the first time. */
  async start(options: Options): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const child = fork(fileURLToPath(this.#script), [JSON.stringify(options)], { execArgv: [], stdio: 'inherit' });
    this.#child = child;
    child.on('message', (said: Partial<Said>) => {
      Object.assign(this.said, said);
      resolve();
    });
    child.once('exit', (code) => {
      if (this.#child !== child) return;
      this.#child = undefined;
      reject(new Error(`${this.#script.pathname} has ended by itself, with ${code}`));
    });
    await promise;
  }

  tell(message: object): void {
    this.#child?.send(message);
  }

  /** Without a word. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }

  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }
}

/** In the process: says something to whoever has started it. It ends with them. */
export function tellStarter(said: object): void {
  process.send?.(said);
}

export function endWithStarter(): void {
  process.once('disconnect', () => process.exit());
}
