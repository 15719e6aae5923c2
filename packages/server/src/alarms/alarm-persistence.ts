// Brings the states of alarms to disk: those of operations before they are answered, all others in the background,
// the newest state of each, again and again until the disk takes it.
import { type Clock, ProblemError } from '@telltale/schema';
import type { AlarmStore, StoredAlarm } from './alarm-store.ts';

/** What is still to be done about a name. */
interface Work {
  /** What is on disk may differ from the present state. */
  isDue: boolean;
  isSending: boolean;
  /** An operation is on its way; what were sent now would come to lie over it. */
  isHeld: boolean;
  /** The disk refused; the next try is with the timer. */
  isResting: boolean;
}

const firstPauseMs = 1000;
const longestPauseMs = 60_000;

export class AlarmPersistence {
  readonly #store: AlarmStore;
  readonly #clock: Clock;
  readonly #present: (name: string) => StoredAlarm | undefined;
  readonly #work = new Map<string, Work>();
  readonly #whenIdle: (() => void)[] = [];
  #pauseMs = firstPauseMs;
  #stopTimer: (() => void) | undefined;
  #isClosed = false;
  #failures = 0;
  /** How many names are being sent, or held. */
  #busy = 0;

  /** `present` returns what should be on disk; undefined: nothing about this name. */
  constructor(store: AlarmStore, clock: Clock, present: (name: string) => StoredAlarm | undefined) {
    this.#store = store;
    this.#clock = clock;
    this.#present = present;
  }

  get failures(): number {
    return this.#failures;
  }

  /** How many names may be on disk otherwise than they are. */
  get pending(): number {
    return this.#work.size;
  }

  /** What should be on disk about the name is not what was there. */
  changed(name: string): void {
    const work = this.#workOf(name);
    work.isDue = true;
    this.#go(name, work);
  }

  /** From now to `release`, nothing is sent about the name but by `storeNow`. */
  hold(name: string): void {
    this.#workOf(name).isHeld = true;
    this.#busy++;
  }

  release(name: string): void {
    const work = this.#workOf(name);
    work.isHeld = false;
    this.#busy--;
    this.#go(name, work);
  }

  /** Resolves when it is on disk. Refused, the present state is stored again later: the write may have succeeded all the same. */
  async storeNow(alarm: StoredAlarm): Promise<void> {
    try {
      await this.#store.saveAlarm(alarm);
      this.#pauseMs = firstPauseMs;
    } catch (error) {
      this.#failed(this.#workOf(alarm.name));
      throw new ProblemError('storage-failed', `The state of alarm ${alarm.name} was not stored: ${reasonOf(error)}`);
    }
  }

  /** The disk takes writes again: what it refused is tried at once. */
  diskWorks(): void {
    if (this.#stopTimer === undefined || this.#isClosed) return;
    this.#stopTimer();
    this.#pauseMs = firstPauseMs;
    this.#tryAll();
  }

  /** Ends the tries; resolves when the disk has answered what it was asked. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#stopTimer?.();
    return new Promise((resolve) => {
      this.#whenIdle.push(resolve);
      this.#notifyIdle();
    });
  }

  #workOf(name: string): Work {
    let work = this.#work.get(name);
    if (work === undefined) {
      work = { isDue: false, isSending: false, isHeld: false, isResting: false };
      this.#work.set(name, work);
    }
    return work;
  }

  /** The next step that there is for the name. */
  #go(name: string, work: Work): void {
    if (work.isSending || work.isHeld) return;
    if (!work.isDue) this.#work.delete(name);
    else if (!work.isResting) void this.#send(name, work);
    this.#notifyIdle();
  }

  async #send(name: string, work: Work): Promise<void> {
    work.isDue = false;
    work.isSending = true;
    this.#busy++;
    const alarm = this.#present(name);
    try {
      await (alarm === undefined ? this.#store.deleteAlarm(name) : this.#store.saveAlarm(alarm));
      this.#pauseMs = firstPauseMs;
    } catch {
      this.#failed(work);
    }
    work.isSending = false;
    this.#busy--;
    this.#go(name, work);
  }

  /** One timer for all: a disk that is full is asked seldom, however many alarms there are. */
  #failed(work: Work): void {
    this.#failures++;
    work.isDue = true;
    work.isResting = true;
    if (this.#stopTimer !== undefined || this.#isClosed) return;
    this.#stopTimer = this.#clock.after(this.#pauseMs, () => {
      this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
      this.#tryAll();
    });
  }

  #tryAll(): void {
    this.#stopTimer = undefined;
    for (const [name, pending] of this.#work) {
      pending.isResting = false;
      this.#go(name, pending);
    }
  }

  #notifyIdle(): void {
    if (!this.#isClosed || this.#busy > 0) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
