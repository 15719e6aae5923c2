// A program of the tests in a process of its own, that carries out orders and answers each.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';

interface Answer {
  readonly id?: number;
  readonly ready?: boolean;
  readonly answer?: unknown;
  readonly error?: string;
}

export class OrderedProcess {
  readonly #cleanup = new AsyncDisposableStack();
  /** Its own, gone when it is stopped. */
  readonly folder = temporaryFolder(this.#cleanup);
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, (answer: Answer) => void>();
  #nextId = 1;

  /** `main` is a file beside this one; its first argument is the folder. */
  constructor(main: string, ...args: readonly string[]) {
    const path = fileURLToPath(new URL(main, import.meta.url));
    this.#child = fork(path, [this.folder, ...args], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const exited = once(this.#child, 'exit');
    this.#cleanup.defer(async () => {
      this.#child.kill('SIGKILL');
      await exited;
    });
    this.#child.on('message', (answer: Answer) => {
      if (answer.id === undefined) return;
      this.#pending.get(answer.id)?.(answer);
      this.#pending.delete(answer.id);
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Resolves when it has said that it is. */
  async ready(): Promise<this> {
    const ended = once(this.#child, 'exit').then(() => [{ error: 'it has ended' }]);
    const [{ error }] = (await Promise.race([once(this.#child, 'message'), ended])) as [Answer];
    if (error !== undefined) throw new Error(error);
    return this;
  }

  async order(order: Record<string, unknown>): Promise<unknown> {
    const id = this.#nextId++;
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.#pending.set(id, resolve);
    this.#child.send({ id, ...order });
    const { answer, error } = await promise;
    if (error !== undefined) throw new Error(error);
    return answer;
  }

  async stop(): Promise<void> {
    await this.#cleanup.disposeAsync();
  }
}

/** For the program itself: carries out orders until its parent is gone. */
export function carryOut<Order>(work: (order: Order) => unknown): void {
  process.on('message', (order: Order & { readonly id: number }) => {
    Promise.try(() => work(order)).then(
      (answer) => process.send?.({ id: order.id, answer }),
      (error: Error) => process.send?.({ id: order.id, error: error.message }),
    );
  });
  process.on('disconnect', () => process.exit());
  process.send?.({ ready: true });
}
