// What must survive a restart of what is live: values of commands, states of alarms, simulations, and what was uploaded
// as the executable of a function module. The client of the thread that writes it: what comes while a commit runs goes
// into the next one, so that a crowd of writes costs as many disk syncs as a few.
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { type Clock, ProblemError, systemClock } from '@telltale/schema';
import type { AlarmStore, StoredAlarm } from '../alarms/index.ts';
import type { KeptUpload, UploadKeeper } from '../modules/index.ts';
import type { CommandStore, SimulationStore, StoredCommand, StoredSimulation } from '../points/index.ts';
import { UnusableDatabase } from '../sqlite/index.ts';
import { startThread } from '../threads/index.ts';
import type { Answer, Entry, KeptFamily, Opened, Request } from './protocol.ts';

export interface LiveStateOptions {
  /** The data folder; it exists and is ours alone. */
  readonly folder: string;
  /** The thread died: nothing that is kept from now on will be on disk. */
  readonly onFailure: (error: Error) => void;
  /** The disk refuses, for this reason; undefined: it takes what is kept again. */
  readonly onTrouble?: (reason: string | undefined) => void;
  readonly clock?: Clock;
}

/** How long after a refusal the disk is tried again, by a write that changes nothing. */
const trialMs = 1000;

/** What was kept when the server ended. */
export interface KeptState {
  readonly commands: readonly StoredCommand[];
  readonly alarms: readonly StoredAlarm[];
  readonly simulations: readonly StoredSimulation[];
  readonly uploads: readonly KeptUpload[];
}

interface Waiting {
  /** Undefined: it is acknowledged what is missing. */
  readonly entry: Entry | undefined;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class LiveState implements CommandStore, AlarmStore, SimulationStore, UploadKeeper {
  readonly #options: LiveStateOptions;
  #prepared: Worker | undefined;
  #thread: Worker | undefined;
  #waiting: Waiting[] = [];
  #committing: Waiting[] = [];
  #missing: readonly string[] = [];
  #isBusy = false;
  #isClosing = false;
  #failure: string | undefined;
  #cancelTrial: (() => void) | undefined;
  #onIdle: (() => void) | undefined;

  constructor(options: LiveStateOptions) {
    this.#options = options;
  }

  /** How many changes are not on disk yet. */
  get waiting(): number {
    return this.#waiting.length + this.#committing.length;
  }

  /** Why the newest commit failed; undefined where it did not. A disk that takes writes again is found by itself. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** What was kept and was not found when it was opened, a sentence each, until somebody acknowledges it. */
  get missing(): readonly string[] {
    return this.#missing;
  }

  /** Resolves when that is on disk. */
  async acknowledgeMissing(): Promise<void> {
    await this.#wait(undefined);
    this.#missing = [];
  }

  /** Starts the thread, which takes its time, and touches no file yet. */
  prepare(): void {
    this.#prepared ??= startThread(new URL('./state-thread.ts', import.meta.url), 'live state');
  }

  /** Rejects with `UnusableDatabase` where the file cannot be used. */
  async open(): Promise<KeptState> {
    this.prepare();
    const thread = this.#prepared as Worker;
    thread.postMessage({ open: join(this.#options.folder, 'state.sqlite') } satisfies Request);
    const opened = await new Promise<Opened>((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', reject);
    });
    if ('unusable' in opened) {
      await thread.terminate();
      throw new UnusableDatabase(opened.unusable);
    }
    thread.on('message', (answer: Answer) => this.#settle(answer));
    thread.on('error', (error: Error) => {
      this.#thread = undefined;
      this.#isBusy = false;
      this.#cancelTrial?.();
      this.#rejectAll(this.#committing.splice(0).concat(this.#waiting.splice(0)), `${error.message}.`);
      this.#onIdle?.();
      this.#options.onFailure(error);
    });
    this.#thread = thread;
    this.#missing = opened.missing;
    const of = <Kept>(family: KeptFamily) =>
      opened.entries
        .filter((entry) => entry.family === family)
        .map(({ name, text }) => ({ name, ...JSON.parse(text as string) }) as Kept);
    return {
      commands: of('commands'),
      alarms: of('alarms'),
      simulations: of('simulations'),
      uploads: of('uploads'),
    };
  }

  saveCommand({ name, ...kept }: StoredCommand): Promise<void> {
    return this.#keep('commands', name, kept);
  }

  deleteCommand(name: string): Promise<void> {
    return this.#keep('commands', name, undefined);
  }

  saveAlarm({ name, ...kept }: StoredAlarm): Promise<void> {
    return this.#keep('alarms', name, kept);
  }

  deleteAlarm(name: string): Promise<void> {
    return this.#keep('alarms', name, undefined);
  }

  saveSimulation({ name, ...kept }: StoredSimulation): Promise<void> {
    return this.#keep('simulations', name, kept);
  }

  deleteSimulation(name: string): Promise<void> {
    return this.#keep('simulations', name, undefined);
  }

  keepUpload({ name, ...kept }: KeptUpload): Promise<void> {
    return this.#keep('uploads', name, kept);
  }

  forgetUpload(name: string): Promise<void> {
    return this.#keep('uploads', name, undefined);
  }

  /** Writes what waits, closes the file and ends the thread, by force after `patienceMs`: the file is safe then, too. */
  async close(patienceMs: number): Promise<void> {
    const thread = this.#thread;
    const prepared = this.#prepared;
    this.#prepared = undefined;
    if (thread === undefined) {
      await prepared?.terminate();
      return;
    }
    this.#isClosing = true;
    this.#cancelTrial?.();
    const force = setTimeout(() => thread.terminate(), patienceMs);
    const ended = new Promise((resolve) => thread.once('exit', resolve));
    const idle = this.waiting === 0 ? Promise.resolve() : new Promise<void>((resolve) => (this.#onIdle = resolve));
    await Promise.race([idle, ended]);
    thread.postMessage({ close: true } satisfies Request);
    await ended;
    clearTimeout(force);
    this.#thread = undefined;
    this.#rejectAll(this.#committing.splice(0).concat(this.#waiting.splice(0)), 'The service is stopping.');
  }

  #keep(family: KeptFamily, name: string, kept: object | undefined): Promise<void> {
    return this.#wait({ family, name, text: kept === undefined ? null : JSON.stringify(kept) });
  }

  #wait(entry: Entry | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ entry, resolve, reject });
      this.#commit();
    });
  }

  #commit(): void {
    if (this.#isBusy || this.#waiting.length === 0) return;
    this.#committing = this.#waiting;
    this.#waiting = [];
    this.#post();
  }

  /** What is being committed; where that is nothing, the thread tries the disk. */
  #post(): void {
    if (this.#thread === undefined) {
      this.#rejectAll(this.#committing.splice(0), 'The live state is not open.');
      return;
    }
    this.#isBusy = true;
    const entries = this.#committing.flatMap(({ entry }) => entry ?? []);
    this.#thread.postMessage({ entries, acknowledges: entries.length < this.#committing.length } satisfies Request);
  }

  #settle(answer: Answer): void {
    const committed = this.#committing;
    this.#committing = [];
    this.#isBusy = false;
    this.#noteTrouble(answer.kept ? undefined : answer.reason);
    if (answer.kept) for (const { resolve } of committed) resolve();
    else this.#rejectAll(committed, `${answer.reason}.`);
    this.#commit();
    if (this.waiting === 0) this.#onIdle?.();
  }

  #noteTrouble(reason: string | undefined): void {
    const wasFailing = this.#failure !== undefined;
    this.#failure = reason;
    this.#cancelTrial?.();
    this.#cancelTrial = undefined;
    if (reason !== undefined && !this.#isClosing) {
      this.#cancelTrial = (this.#options.clock ?? systemClock).after(trialMs, () => this.#isBusy || this.#post());
    }
    if (wasFailing !== (reason !== undefined)) this.#options.onTrouble?.(reason);
  }

  #rejectAll(waiting: readonly Waiting[], reason: string): void {
    for (const { reject } of waiting) reject(new ProblemError('storage-failed', reason));
  }
}
