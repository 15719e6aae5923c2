// The processes of the stacks in one thread. The main thread has them started, passes on what is said, and ends them with
// the thread, since a thread that is terminated can reap none.
import type { ProcessListener, StackProcess } from '@telltale/stack-kit';
import { reasonOf, startProcess } from '@telltale/stack-kit/host';
import type { Link } from '../threads/index.ts';
import type { HostClient, HostThread } from './protocol.ts';

/** In the thread: what its stacks see. */
export class AskedProcesses {
  readonly #client: Link<HostClient>;
  readonly #running = new Map<number, ProcessListener>();
  #lastProcess = 0;

  constructor(client: Link<HostClient>) {
    this.#client = client;
  }

  start(file: string, listener: ProcessListener): StackProcess {
    const process = ++this.#lastProcess;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#running.set(process, {
      onMessage: listener.onMessage,
      onEnded(reason) {
        resolve();
        listener.onEnded(reason);
      },
    });
    this.#client.notify('startProcess', [process, file]);
    return {
      send: (message) => void this.#client.notify('toProcess', [process, message]),
      end: () => {
        this.#client.notify('endProcess', [process]);
        return promise;
      },
    };
  }

  heard(process: number, message: unknown): void {
    this.#running.get(process)?.onMessage(message);
  }

  ended(process: number, reason: string): void {
    const listener = this.#running.get(process);
    this.#running.delete(process);
    listener?.onEnded(reason);
  }
}

/** In the main thread. */
export class StartedProcesses {
  readonly #thread: () => Link<HostThread> | undefined;
  #running = new Map<number, StackProcess>();
  #ending: Promise<unknown> = Promise.resolve();

  constructor(thread: () => Link<HostThread> | undefined) {
    this.#thread = thread;
  }

  start(process: number, file: string): void {
    const running = this.#running;
    const onMessage = (message: unknown) => {
      if (running === this.#running) this.#thread()?.notify('fromProcess', [process, message]);
    };
    const onEnded = (reason: string) => {
      running.delete(process);
      if (running === this.#running) this.#thread()?.notify('processEnded', [process, reason]);
    };
    try {
      running.set(process, startProcess(file, { onMessage, onEnded }));
    } catch (error) {
      onEnded(reasonOf(error));
    }
  }

  send(process: number, message: unknown): void {
    this.#running.get(process)?.send(message);
  }

  end(process: number): void {
    this.#running.get(process)?.end();
  }

  /** The thread is gone; resolves when they are as well, and those of earlier threads. */
  endAll(): Promise<unknown> {
    const running = [...this.#running.values()];
    this.#running = new Map();
    this.#ending = Promise.all([this.#ending, ...running.map((each) => each.end())]);
    return this.#ending;
  }
}
