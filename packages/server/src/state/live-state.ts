// What must survive a restart of what is live: values of commands, states of alarms, simulations, which connectors and
// providers are disabled, and what was uploaded as the executable of a function module.
import { join } from 'node:path';
import type { Clock } from '@telltale/schema';
import type { AlarmStore, StoredAlarm } from '../alarms/index.ts';
import { type Entry, type EntryForm, EntryStore } from '../entries/index.ts';
import type { UploadRecord, UploadStore } from '../modules/index.ts';
import type {
  CommandStore,
  DisabledLinkStore,
  SimulationStore,
  StoredCommand,
  StoredDisabledLink,
  StoredSimulation,
} from '../points/index.ts';
import { currentFormat, stateFile } from '../upgrade/index.ts';

export const sharedFamilies = ['commands', 'alarms', 'simulations', 'disabled-links'] as const;
type SharedFamily = (typeof sharedFamilies)[number];
/** What was uploaded is on the disk of its own node. */
type StoredFamily = SharedFamily | 'uploads';

/** Without it, live values go on from the initial ones. */
export const stateForm: EntryForm = {
  applicationId: stateFile.applicationId,
  version: currentFormat,
  mayBeGone: true,
  meaning:
    'values of commands, states and acknowledgements of alarms, simulations, and what is disabled may be older than what was ' +
    'acknowledged',
};

export interface LiveStateOptions {
  /** The data folder; it exists and is ours alone. */
  readonly folder: string;
  /** The thread died: nothing from now on will be on disk. */
  readonly onFailure: (error: Error) => void;
  /** The disk refuses, for this reason; undefined: it accepts writes again. */
  readonly onFault?: (reason: string | undefined) => void;
  readonly clock?: Clock;
  /** Where the nodes of a site have their state in common: resolves when they have it. Undefined: nobody is to have it. */
  readonly share?: (entries: readonly Entry[]) => Promise<void> | undefined;
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

/** What is stored of the objects of a family. */
export const storedAs = { measurements: 'simulations', commands: 'commands', alarms: 'alarms' } as const;

export class LiveState implements CommandStore, AlarmStore, SimulationStore, UploadStore, DisabledLinkStore {
  readonly #store: EntryStore;
  readonly #share: LiveStateOptions['share'];
  /** Of renamed objects: what is not yet on disk under the new name, and is there under the old one. */
  #moved: Entry[] = [];

  constructor({ folder, share, ...options }: LiveStateOptions) {
    this.#share = share;
    this.#store = new EntryStore({
      ...options,
      path: join(folder, stateFile.name),
      form: stateForm,
      thread: 'live state',
    });
  }

  /** How many changes are not on disk yet. */
  get pending(): number {
    return this.#store.pending;
  }

  /** Why the newest commit failed; undefined where it did not. A disk that takes writes again is found by itself. */
  get failure(): string | undefined {
    return this.#store.failure;
  }

  /** What was stored and was not found at opening, a sentence each, until it is acknowledged. */
  get missing(): readonly string[] {
    return this.#store.missing;
  }

  /** Resolves when that is on disk. */
  acknowledgeMissing(): Promise<void> {
    return this.#store.acknowledgeMissing();
  }

  /** Starts the thread, which takes its time, and touches no file yet. */
  prepare(): void {
    this.#store.prepare();
  }

  /**
   * What is stored under the old name of a rename is that of the new one. Rejects with `UnusableDatabase` where the file cannot
   * be used.
   */
  async open(renames: readonly StateRename[] = []): Promise<StoredState> {
    const entries = (await this.#store.open()).map((entry) => this.#renamed(entry, renames));
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
    return this.#save('commands', name, stored);
  }

  deleteCommand(name: string): Promise<void> {
    return this.#save('commands', name, undefined);
  }

  saveAlarm({ name, ...stored }: StoredAlarm): Promise<void> {
    return this.#save('alarms', name, stored);
  }

  deleteAlarm(name: string): Promise<void> {
    return this.#save('alarms', name, undefined);
  }

  saveSimulation({ name, ...stored }: StoredSimulation): Promise<void> {
    return this.#save('simulations', name, stored);
  }

  deleteSimulation(name: string): Promise<void> {
    return this.#save('simulations', name, undefined);
  }

  storeUpload({ name, ...stored }: UploadRecord): Promise<void> {
    return this.#save('uploads', name, stored);
  }

  forgetUpload(name: string): Promise<void> {
    return this.#save('uploads', name, undefined);
  }

  saveDisabledLink({ name, ...stored }: StoredDisabledLink): Promise<void> {
    return this.#save('disabled-links', name, stored);
  }

  deleteDisabledLink(name: string): Promise<void> {
    return this.#save('disabled-links', name, undefined);
  }

  /** Resolves when everything so far is on disk, what has another name since the opening included. */
  async written(): Promise<void> {
    await this.#change(this.#moved);
    this.#moved = [];
  }

  /** What another node of the site has stored; resolves when it is on disk here. */
  adopt(entries: readonly Entry[]): Promise<void> {
    return this.#store.change(entries);
  }

  #renamed(entry: Entry, renames: readonly StateRename[]): Entry {
    const rename = renames.find(({ family, from }) => storedAs[family] === entry.family && from === entry.name);
    if (rename === undefined) return entry;
    const renamed = { ...entry, name: rename.to };
    this.#moved.push(renamed, { ...entry, text: null });
    return renamed;
  }

  /** Writes what is queued, closes the file and ends the thread, by force after `patienceMs`: the file is safe then, too. */
  close(patienceMs: number): Promise<void> {
    return this.#store.close(patienceMs);
  }

  #save(family: StoredFamily, name: string, stored: object | undefined): Promise<void> {
    return this.#change([{ family, name, text: stored === undefined ? null : JSON.stringify(stored) }]);
  }

  async #change(entries: readonly Entry[]): Promise<void> {
    const shared = entries.filter(({ family }) => (sharedFamilies as readonly string[]).includes(family));
    const sharing = shared.length > 0 ? this.#share?.(shared) : undefined;
    if (sharing === undefined) return this.#store.change(entries);
    // In the same turn: both keep the order of the calls.
    await Promise.all([this.#store.change(entries), sharing]);
  }
}
