// A running engine: the process that is started, and all that it starts in its folder. It is ended, killed and frozen as a whole.
import { type PeerOptions, PeerProcess } from '@telltale/stack-kit/testing';
import { engineUser, killAll, processesIn, signalAll } from './engine-folder.ts';

/** What it has to write down before it ends can be much. */
const stopMs = 60_000;
const readyMs = 60_000;

export interface EngineOptions extends Omit<PeerOptions, 'user'> {
  /** That ends it in order. */
  readonly stopSignal?: NodeJS.Signals;
}

export class EngineProcess {
  readonly #options: EngineOptions;
  #peer: PeerProcess | undefined;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /** What it said since it was last started. */
  get said(): string {
    return this.#peer?.said ?? '';
  }

  /** Of the process that was started. */
  get pid(): number {
    return this.#peer?.pid ?? 0;
  }

  /** All of its processes. */
  get pids(): number[] {
    return processesIn(this.#options.folder);
  }

  get isRunning(): boolean {
    return this.#peer?.isRunning ?? false;
  }

  /** For the first time, or again with what its folder holds. */
  async start(): Promise<void> {
    if (this.isRunning) return;
    this.#peer = await PeerProcess.start({ readyMs, user: engineUser(), ...this.#options });
  }

  /** In order. */
  async stop(signal = this.#options.stopSignal): Promise<void> {
    this.thaw();
    await this.#peer?.stop(signal, stopMs);
    await killAll(this.#options.folder);
  }

  /** At once, with everything that it has started; what it has not synced may be gone. */
  async kill(): Promise<void> {
    await this.#peer?.stop('SIGKILL');
    await killAll(this.#options.folder);
  }

  /** As a machine that stands still: its sockets stay, and nothing answers until it goes on. */
  freeze(): void {
    signalAll(this.#options.folder, 'SIGSTOP');
  }

  thaw(): void {
    signalAll(this.#options.folder, 'SIGCONT');
  }
}
