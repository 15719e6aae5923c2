// A running engine: the process that is started, and all that it starts in its folder. It is ended, killed and frozen as a whole.
import { type PeerOptions, PeerProcess } from '@telltale/stack-kit/testing';
import { engineUser, freezeAll, killAll, processesIn, thawAll } from './engine-folder.ts';

/** What it has to write down before it ends can be much. */
const stopMs = 60_000;
const readyMs = 60_000;

export interface EngineOptions extends Omit<PeerOptions, 'user' | 'endsWithUs'> {
  /** That ends it in order. */
  readonly stopSignal?: NodeJS.Signals;
}

export class EngineProcess {
  /** In an `engineFolder`, which ends it with this process. */
  readonly #options: EngineOptions;
  #peer: PeerProcess | undefined;
  #isStarting = false;
  #isFrozen = false;

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

  /** It starts or runs, and is not frozen. */
  get isUp(): boolean {
    return (this.#isStarting || this.isRunning) && !this.#isFrozen;
  }

  /** For the first time, or again with what its folder holds. */
  async start(): Promise<void> {
    if (this.isRunning || this.#isStarting) return;
    this.#isStarting = true;
    this.#isFrozen = false;
    try {
      this.#peer = await PeerProcess.start({ readyMs, user: engineUser(), endsWithUs: false, ...this.#options });
    } finally {
      this.#isStarting = false;
    }
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
  async freeze(): Promise<void> {
    this.#isFrozen = true;
    await freezeAll(this.#options.folder);
  }

  thaw(): void {
    this.#isFrozen = false;
    thawAll(this.#options.folder);
  }
}
