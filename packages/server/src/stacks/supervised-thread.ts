// Supervises a thread: one that ends, or no longer answers, is replaced by a new one after a pause.
import type { Worker } from 'node:worker_threads';
import type { Clock } from '@telltale/schema';
import { growingMs, reasonOf } from '@telltale/stack-kit/host';
import type { Logger } from 'pino';
import { type Handlers, type Link, threadPort, WorkerLink } from '../threads/index.ts';
import type { HostClient, HostThread, InstanceClient } from './protocol.ts';

export interface SupervisedThreadOptions {
  readonly create: () => Worker;
  readonly clock: Clock;
  readonly log: Logger;
  /** A new thread runs after one that ended, and has none of its state. */
  readonly onReplaced: () => void;
  readonly handlers: Handlers<InstanceClient>;
  /**
   * What it was asked so long ago is unanswered, and its last answer is of `sinceUs`: reported from 2 s on, each second. The
   * answer is up to a second older than the question.
   */
  readonly onSilent: (silentMs: number, sinceUs: number) => void;
  /** It has answered for 5 s after it was silent. */
  readonly onHeard: () => void;
  /** A thread that took messages is gone, after its last message. */
  readonly onEnded: (reason: string) => void;
}

const pingPeriodMs = 1000;
/** A thread that leaves so many pings in a row unanswered is ended. */
const maxUnanswered = 10;
/** One that leaves so many unanswered is silent: what it said last may be old. */
const maxUnansweredHeard = 2;
/** Within this, whatever was lost is reported. */
const heardMs = 5000;
/** While it loads code, which may block it for long on a small machine. Ids of points that are gone rest for longer. */
const maxUnansweredLoading = 45;
/** A thread that ran for this long makes the ends before it forgotten. */
const steadyMs = 60_000;
const longestPauseMs = 30_000;

export class SupervisedThread {
  readonly #options: SupervisedThreadOptions;
  #thread: WorkerLink<HostThread, HostClient> | undefined;
  /** The first from the beginning, since it has no past; others when they have said that they are open. */
  #takesMessages = false;
  #hasBegun = false;
  #endsOfLate = 0;
  #ends = 0;
  #isClosing = false;
  #cancel = () => {};

  constructor(options: SupervisedThreadOptions) {
    this.#options = options;
  }

  /** Does not wait for the thread: one that ends before it is open is replaced as well. */
  begin(): void {
    this.#hasBegun = true;
    this.#start();
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Undefined where no thread accepts messages. */
  get link(): Link<HostThread> | undefined {
    return this.#takesMessages ? this.#thread : undefined;
  }

  get ends(): number {
    return this.#ends;
  }

  /** Asks the thread to end, and ends it after `patienceMs` at the latest. */
  async close(patienceMs: number): Promise<void> {
    this.#isClosing = true;
    this.#cancel();
    const thread = this.#thread;
    if (!this.#takesMessages) await thread?.kill();
    await thread?.close(patienceMs, () => thread.call('close', []));
  }

  #start(): void {
    const { create, clock, log, handlers, onReplaced, onSilent, onHeard, onEnded } = this.#options;
    const worker = create();
    const port = threadPort(worker);
    const isFirst = this.#ends === 0;
    this.#takesMessages = isFirst;
    let reason: string | undefined;
    let unanswered = 0;
    let answeredUs = clock.now();
    let isSilent = false;
    let isLoading = true;
    let stopSteady = () => {};
    let stopHeard = () => {};
    const answered = () => {
      unanswered = 0;
      answeredUs = clock.now();
      if (isSilent) stopHeard = clock.after(heardMs, onHeard);
      isSilent = false;
    };
    const ping = () => {
      const most = isLoading ? maxUnansweredLoading : maxUnanswered;
      if (unanswered >= most) {
        reason ??= `it has not answered for ${(most * pingPeriodMs) / 1000} s`;
        worker.terminate();
        return;
      }
      if (unanswered >= maxUnansweredHeard && this.#takesMessages) {
        isSilent = true;
        stopHeard();
        onSilent(unanswered * pingPeriodMs, answeredUs);
      }
      unanswered++;
      thread.notify('ping', []);
      stopPing = clock.after(pingPeriodMs, ping);
    };
    let stopPing = clock.after(pingPeriodMs, ping);
    const ended = (error: Error) => {
      const tookMessages = this.#takesMessages;
      this.#takesMessages = false;
      this.#thread = undefined;
      stopPing();
      stopSteady();
      stopHeard();
      if (tookMessages) onEnded(error.message);
      if (this.#isClosing) return;
      this.#ends++;
      const pauseMs = growingMs(this.#endsOfLate++, { maxMs: longestPauseMs, random: Math.random });
      log.error(`${error.message}; it is started again in ${Math.round(pauseMs)} ms`);
      this.#cancel = clock.after(pauseMs, () => this.#start());
    };
    const onEnd = (end: (error: Error) => void) =>
      port.onEnd((error) => end(new Error(`the thread of the stacks ended: ${reason ?? reasonOf(error)}`)));
    const thread = new WorkerLink<HostThread, HostClient>(
      { ...port, onEnd },
      {
        handlers: {
          ...handlers,
          pong: answered,
          loading: (is) => {
            isLoading = is;
            answered();
          },
          opened: () => {
            this.#takesMessages = true;
            isLoading = false;
            stopSteady = clock.after(steadyMs, () => {
              this.#endsOfLate = 0;
            });
            if (!isFirst) onReplaced();
          },
        },
        onEnd: ended,
        clock,
      },
    );
    this.#thread = thread;
  }
}
