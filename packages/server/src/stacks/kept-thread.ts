// A thread that is kept running: one that ends, or no longer answers, is replaced by a new one after a pause.
import type { Worker } from 'node:worker_threads';
import type { Clock } from '@telltale/schema';
import { growingMs, reasonOf } from '@telltale/stack-kit/host';
import type { Logger } from 'pino';
import type { FromThread, InstanceMessage, ToThread } from './protocol.ts';

export interface KeptThreadOptions {
  readonly create: () => Worker;
  readonly clock: Clock;
  readonly log: Logger;
  /** A thread is there and takes messages; what was told to an earlier one is forgotten. */
  readonly onBegun: () => void;
  readonly onMessage: (message: InstanceMessage) => void;
  /** The thread is gone, after its last message. */
  readonly onEnded: (reason: string) => void;
}

const pingPeriodMs = 1000;
/** A thread that leaves so many pings in a row unanswered is ended. */
const maxUnanswered = 10;
/** A thread that ran for this long makes the ends before it forgotten. */
const steadyMs = 60_000;

export class KeptThread {
  readonly #options: KeptThreadOptions;
  #thread: Worker | undefined;
  /** Only after it has said that it is open. */
  #isOpen = false;
  #wasEverOpen = false;
  #ends = 0;
  #isClosing = false;
  #takeBack = () => {};

  constructor(options: KeptThreadOptions) {
    this.#options = options;
  }

  /** Rejects where the thread ends before it is open. */
  async open(): Promise<void> {
    await this.#start();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** False where there is no thread to tell. */
  post(message: ToThread, transfer: ArrayBuffer[] = []): boolean {
    if (!this.#isOpen) return false;
    this.#thread?.postMessage(message, transfer);
    return true;
  }

  /** Asks the thread to end, and ends it after `patienceMs` at the latest. */
  async close(patienceMs: number): Promise<void> {
    this.#isClosing = true;
    this.#takeBack();
    const thread = this.#thread;
    if (thread === undefined) return;
    const ended = new Promise((resolve) => thread.once('exit', resolve));
    const takeBack = this.#options.clock.after(patienceMs, () => thread.terminate());
    if (!this.post({ kind: 'close' })) thread.terminate();
    await ended;
    takeBack();
  }

  #start(): Promise<void> {
    const { create, clock, log, onBegun, onMessage, onEnded } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const thread = create();
    this.#thread = thread;
    let reason: string | undefined;
    let unanswered = 0;
    let stopSteady = () => {};
    const ping = () => {
      if (++unanswered > maxUnanswered) {
        reason ??= `it has not answered for ${(maxUnanswered * pingPeriodMs) / 1000} s`;
        thread.terminate();
        return;
      }
      thread.postMessage({ kind: 'ping' } satisfies ToThread);
      stopPing = clock.after(pingPeriodMs, ping);
    };
    let stopPing = clock.after(pingPeriodMs, ping);
    thread.on('message', (message: FromThread) => {
      if (message.kind === 'pong') unanswered = 0;
      else if (message.kind === 'closed') thread.terminate();
      else if (message.kind === 'opened') {
        this.#isOpen = true;
        this.#wasEverOpen = true;
        stopSteady = clock.after(steadyMs, () => {
          this.#ends = 0;
        });
        onBegun();
        resolve();
      } else onMessage(message);
    });
    thread.on('error', (error) => {
      reason ??= reasonOf(error);
    });
    thread.on('exit', (code) => {
      const wasOpen = this.#isOpen;
      this.#isOpen = false;
      this.#thread = undefined;
      stopPing();
      stopSteady();
      const text = `the thread of the stacks ended: ${reason ?? `exit code ${code}`}`;
      if (wasOpen) onEnded(text);
      reject(new Error(text));
      if (this.#isClosing || !this.#wasEverOpen) return;
      const pauseMs = growingMs(this.#ends++, Math.random);
      log.error(`${text}; it is started again in ${Math.round(pauseMs)} ms`);
      this.#takeBack = clock.after(pauseMs, () => this.#start().catch(() => undefined));
    });
    return promise;
  }
}
