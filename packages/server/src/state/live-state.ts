// What must survive a restart of what is live: values of commands, states of alarms, simulations, which connectors and
// providers are disabled, and what was uploaded as the executable of a function module. The client of the thread that writes it: what comes while a commit runs goes
// into the next one, so that a crowd of writes costs as many disk syncs as a few.
import { join } from 'node:path';
import { type Clock, ProblemError, systemClock } from '@telltale/schema';
import type { AlarmStore, StoredAlarm } from '../alarms/index.ts';
import type { UploadRecord, UploadStore } from '../modules/index.ts';
import type {
  CommandStore,
  DisabledLinkStore,
  SimulationStore,
  StoredCommand,
  StoredDisabledLink,
  StoredSimulation,
} from '../points/index.ts';
import { UnusableDatabase } from '../sqlite/index.ts';
import { DiskRetry, startThread, threadPort, WorkerLink } from '../threads/index.ts';
import type { Entry, StateThread, StoredFamily } from './protocol.ts';

export interface LiveStateOptions {
  /** The data folder; it exists and is ours alone. */
  readonly folder: string;
  /** The thread died: nothing from now on will be on disk. */
  readonly onFailure: (error: Error) => void;
  /** The disk refuses, for this reason; undefined: it accepts writes again. */
  readonly onFault?: (reason: string | undefined) => void;
  readonly clock?: Clock;
}

export interface StoredState {
  readonly commands: readonly StoredCommand[];
  readonly alarms: readonly StoredAlarm[];
  readonly simulations: readonly StoredSimulation[];
  readonly uploads: readonly UploadRecord[];
  readonly disabledLinks: readonly StoredDisabledLink[];
}

/** An object runs under another name. */
export interface StateRename {
  readonly family: keyof typeof storedAs;
  readonly from: string;
  readonly to: string;
}

const storedAs = { measurements: 'simulations', commands: 'commands', alarms: 'alarms' } as const;
/** Deletes what is not there. */
const nothing: Entry = { family: 'commands', name: '', text: null };

interface Change {
  /** Undefined: it is acknowledged what is missing. */
  readonly entry: Entry | undefined;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class LiveState implements CommandStore, AlarmStore, SimulationStore, UploadStore, DisabledLinkStore {
  readonly #options: LiveStateOptions;
  readonly #disk: DiskRetry;
  #thread: WorkerLink<StateThread> | undefined;
  #isOpen = false;
  #queued: Change[] = [];
  #committing: Change[] = [];
  #isBusy = false;
  #onIdle: (() => void) | undefined;
  #missing: readonly string[] = [];
  /** Of renamed objects: what is not yet on disk under the new name, and is there under the old one. */
  #moved: Entry[] = [];

  constructor(options: LiveStateOptions) {
    const { clock = systemClock, onFault = () => {} } = options;
    this.#options = options;
    this.#disk = new DiskRetry({ clock, retry: () => this.#commit(), onChange: onFault });
  }

  /** How many changes are not on disk yet. */
  get pending(): number {
    return this.#queued.length + this.#committing.length;
  }

  /** Why the newest commit failed; undefined where it did not. A disk that takes writes again is found by itself. */
  get failure(): string | undefined {
    return this.#disk.reason;
  }

  /** What was stored and was not found at opening, a sentence each, until it is acknowledged. */
  get missing(): readonly string[] {
    return this.#missing;
  }

  /** Resolves when that is on disk. */
  async acknowledgeMissing(): Promise<void> {
    await this.#change(undefined);
    this.#missing = [];
  }

  /** Starts the thread, which takes its time, and touches no file yet. */
  prepare(): WorkerLink<StateThread> {
    const start = () => threadPort(startThread(new URL('./state-thread.ts', import.meta.url), 'live state'));
    this.#thread ??= new WorkerLink(start(), { handlers: {}, onDeath: (error) => this.#onDeath(error) });
    return this.#thread;
  }

  /**
   * What is stored under the old name of a rename is that of the new one. Rejects with `UnusableDatabase` where the file cannot
   * be used.
   */
  async open(renames: readonly StateRename[] = []): Promise<StoredState> {
    const thread = this.prepare();
    const opened = await thread.call('open', [join(this.#options.folder, 'state.sqlite')]);
    if ('unusable' in opened) {
      await thread.kill();
      throw new UnusableDatabase(opened.unusable);
    }
    this.#isOpen = true;
    this.#missing = opened.missing;
    const entries = opened.entries.map((entry) => this.#renamed(entry, renames));
    const of = <Stored>(family: StoredFamily) =>
      entries
        .filter((entry) => entry.family === family)
        .map(({ name, text }) => ({ name, ...JSON.parse(text as string) }) as Stored);
    return {
      commands: of('commands'),
      alarms: of('alarms'),
      simulations: of('simulations'),
      uploads: of('uploads'),
      disabledLinks: of('disabled-links'),
    };
  }

  saveCommand({ name, ...stored }: StoredCommand): Promise<void> {
    return this.#store('commands', name, stored);
  }

  deleteCommand(name: string): Promise<void> {
    return this.#store('commands', name, undefined);
  }

  saveAlarm({ name, ...stored }: StoredAlarm): Promise<void> {
    return this.#store('alarms', name, stored);
  }

  deleteAlarm(name: string): Promise<void> {
    return this.#store('alarms', name, undefined);
  }

  saveSimulation({ name, ...stored }: StoredSimulation): Promise<void> {
    return this.#store('simulations', name, stored);
  }

  deleteSimulation(name: string): Promise<void> {
    return this.#store('simulations', name, undefined);
  }

  storeUpload({ name, ...stored }: UploadRecord): Promise<void> {
    return this.#store('uploads', name, stored);
  }

  forgetUpload(name: string): Promise<void> {
    return this.#store('uploads', name, undefined);
  }

  saveDisabledLink({ name, ...stored }: StoredDisabledLink): Promise<void> {
    return this.#store('disabled-links', name, stored);
  }

  deleteDisabledLink(name: string): Promise<void> {
    return this.#store('disabled-links', name, undefined);
  }

  /** Resolves when everything so far is on disk, what has another name since the opening included. */
  async written(): Promise<void> {
    await Promise.all(this.#moved.map((entry) => this.#change(entry)));
    this.#moved = [];
    await this.#change(nothing);
  }

  #renamed(entry: Entry, renames: readonly StateRename[]): Entry {
    const rename = renames.find(({ family, from }) => storedAs[family] === entry.family && from === entry.name);
    if (rename === undefined) return entry;
    const renamed = { ...entry, name: rename.to };
    this.#moved.push(renamed, { ...entry, text: null });
    return renamed;
  }

  /** Writes what is queued, closes the file and ends the thread, by force after `patienceMs`: the file is safe then, too. */
  async close(patienceMs: number): Promise<void> {
    const thread = this.#thread;
    this.#disk.stop();
    if (this.#isOpen) {
      await thread?.close(patienceMs, async () => {
        if (this.#isBusy) await new Promise<void>((resolve) => (this.#onIdle = resolve));
        await thread.call('close', []);
      });
    } else await thread?.kill();
    this.#isOpen = false;
  }

  #onDeath(error: Error): void {
    if (!this.#isOpen) return; // `open` rejects
    this.#isOpen = false;
    this.#disk.stop();
    this.#options.onFailure(error);
  }

  #store(family: StoredFamily, name: string, stored: object | undefined): Promise<void> {
    return this.#change({ family, name, text: stored === undefined ? null : JSON.stringify(stored) });
  }

  #change(entry: Entry | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queued.push({ entry, resolve, reject });
      this.#commit();
    });
  }

  /** What is queued, until there is nothing more; the first time that may be nothing: then the thread tries the disk. */
  async #commit(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    do {
      this.#committing = this.#queued.splice(0);
      const failure = await this.#write(this.#committing);
      for (const { resolve, reject } of this.#committing.splice(0)) failure === undefined ? resolve() : reject(failure);
    } while (this.#queued.length > 0);
    this.#isBusy = false;
    this.#onIdle?.();
  }

  async #write(changes: readonly Change[]): Promise<Error | undefined> {
    if (!this.#isOpen) return storageFailed('The live state is not open');
    const entries = changes.flatMap(({ entry }) => entry ?? []);
    try {
      const reason = await this.#thread?.call('commit', [entries, entries.length < changes.length]);
      this.#disk.note(reason);
      return reason === undefined ? undefined : storageFailed(reason);
    } catch (error) {
      return error instanceof ProblemError ? error : storageFailed((error as Error).message);
    }
  }
}

function storageFailed(reason: string): ProblemError {
  return new ProblemError('storage-failed', `${reason}.`);
}
