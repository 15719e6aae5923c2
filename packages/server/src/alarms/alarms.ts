// The live alarms: their states, who may change them and when that is published. Triggers, texts and the way to the
// disk are files of their own.
import {
  type Alarm,
  type AlarmField,
  type AlarmOperation,
  type AlarmState,
  type Clock,
  ProblemError,
  timeAfter,
  triggerAuthority,
} from '@telltale/schema';
import { type Changes, type Gathering, handlesOf, type MeasurementReader, Turns } from '../points/index.ts';
import type { AlarmCounts } from './alarm-counts.ts';
import { AlarmPersistence } from './alarm-persistence.ts';
import { isAcknowledged, isActive, nextState, reportedState } from './alarm-state.ts';
import type { AlarmStore, StoredAlarm } from './alarm-store.ts';
import { AlarmTexts } from './alarm-texts.ts';
import { LiveEntry, type ReportedAlarm } from './live-entry.ts';
import { Triggers } from './triggers.ts';

/** One call a transition or removal, after it and in order. A removed alarm can be read for as long as the call lasts. */
export type AlarmListener = (handle: number, isRemoved: boolean) => void;

export interface AlarmSelection {
  readonly names?: Iterable<string>;
  /** Instead of names; what is negative or gone is left out. */
  readonly handles?: Iterable<number>;
  readonly fields?: readonly AlarmField[] | undefined;
}

export interface AlarmsOptions {
  readonly measurements: MeasurementReader;
  readonly store: AlarmStore;
  readonly clock: Clock;
  /** Resolves when the device of the alarm has accepted it; rejects with `ProblemError`. */
  readonly acknowledgeAtDevice?: (name: string, authority: string) => Promise<void>;
}

export class Alarms {
  readonly #clock: Clock;
  readonly #acknowledgeAtDevice: NonNullable<AlarmsOptions['acknowledgeAtDevice']>;
  readonly #triggers: Triggers;
  readonly #persistence: AlarmPersistence;
  readonly #texts: AlarmTexts;
  readonly #handles = new Map<string, number>();
  readonly #entries: (LiveEntry | undefined)[] = [];
  readonly #free: number[] = [];
  readonly #restored = new Map<string, StoredAlarm>();
  #listeners: readonly AlarmListener[] = [];
  readonly #defineListeners: ((handle: number, after: Alarm, before: Alarm | undefined) => void)[] = [];
  readonly #putListeners: ((handle: number) => void)[] = [];
  readonly #addedListeners: ((handle: number) => void)[] = [];
  readonly #operations = new Turns();
  readonly #byState = { INACT_ACK: 0, ACT_UNACK: 0, ACT_ACK: 0, INACT_UNACK: 0 };
  #transitions = 0;
  #version = 0;
  #isClosed = false;

  constructor({ measurements, store, clock, acknowledgeAtDevice }: AlarmsOptions) {
    this.#clock = clock;
    this.#acknowledgeAtDevice = acknowledgeAtDevice ?? noDevice;
    this.#triggers = new Triggers(measurements, clock, (...fired) => this.#trigger(...fired));
    this.#persistence = new AlarmPersistence(store, clock, (name) => this.present(name));
    this.#texts = new AlarmTexts((handle) => this.#entries[handle]);
  }

  /** What was on disk, before the first put. */
  restore(stored: Iterable<StoredAlarm>): void {
    for (const alarm of stored) this.#restored.set(alarm.name, alarm);
  }

  /** The last transitions of those that have had one. */
  *stored(): Generator<StoredAlarm> {
    for (const handle of this.all()) {
      const last = this.stateOf(handle);
      if (last.timeUs > 0) yield last;
    }
  }

  /** What has become of it at another node of the site, or nothing yet: published, and not stored. */
  storedElsewhere(name: string, stored: StoredAlarm | undefined): void {
    const entry = this.#entryOf(name);
    if (entry === undefined) {
      if (stored === undefined) this.#restored.delete(name);
      else this.#restored.set(name, stored);
      return;
    }
    const { state, timeUs, authority, message } = stored ?? { state: 'INACT_ACK', timeUs: 0, authority: '' };
    if (state === entry.state && timeUs === entry.timeUs && authority === entry.authority) return;
    entry.message = message;
    this.#apply(entry, state, timeUs, authority);
  }

  /** Before it is removed: the one that is put under the new name goes on with its state. */
  inherit(from: string, to: string): void {
    const present = this.present(from);
    if (present === undefined) return;
    this.#restored.set(to, { ...present, name: to });
    this.#persistence.storeNow({ ...present, name: to }).catch(() => undefined); // which is retried
  }

  /** After the puts of the first rendering: what was restored and belongs to no alarm is forgotten on disk as well. */
  deleteOrphans(): void {
    const names = [...this.#restored.keys()];
    this.#restored.clear();
    for (const name of names) this.#persistence.changed(name);
  }

  /** A new definition keeps the state. Its trigger looks at the present value at once. */
  put(alarm: Alarm): void {
    const known = this.#entryOf(alarm.name);
    const entry = known ?? this.#add(alarm);
    for (const listener of this.#defineListeners) listener(entry.handle, alarm, known?.alarm);
    entry.alarm = alarm;
    this.#changed(entry);
    if (known === undefined) for (const listener of this.#addedListeners) listener(entry.handle);
    this.#triggers.put(entry.handle, alarm, isActive(entry.state));
    for (const listener of this.#putListeners) listener(entry.handle);
  }

  remove(name: string): void {
    const entry = this.#entryOf(name);
    if (entry === undefined) return;
    this.#triggers.remove(entry.handle);
    for (const listener of this.#listeners) listener(entry.handle, true);
    this.#handles.delete(name);
    this.#entries[entry.handle] = undefined;
    this.#free.push(entry.handle);
    this.#byState[entry.state]--;
    this.#changed(entry);
    this.#persistence.changed(name);
  }

  /** These were added, removed, or got another handle or datatype: triggers find them by name again. */
  measurementsChanged(names: Iterable<string>): void {
    this.#triggers.measurementsChanged(names);
  }

  /** From now on triggers look at nothing, until `release`: then at all that has changed. */
  hold(): void {
    this.#triggers.hold();
  }

  release(): void {
    this.#triggers.release();
  }

  /** Nobody looks at changes from now on: what is delayed does not come. */
  stopDelays(): void {
    this.#triggers.stopDelays();
  }

  evaluate(changes: Changes): void {
    if (!this.#isClosed) this.#triggers.evaluate(changes);
  }

  /** Resolves when it is on disk and published. One at a time on each alarm. */
  operate(name: string, operation: AlarmOperation, authority: string): Promise<void> {
    return this.#operations.take(name, () => {
      const isOfDevice = this.#entryOf(name)?.alarm.connectorName !== undefined;
      if (!isOfDevice) return this.#carryOut(name, operation, authority);
      return this.#askDevice(name, operation, authority);
    });
  }

  /** What its device reports: published at once, stored in the background, as what a trigger does. */
  report(handle: number, { isActive, isAcknowledged: isAcked, timeUs, authority, message }: ReportedAlarm): void {
    const entry = this.#at(handle);
    const state = reportedState(isActive, isAcked, entry.alarm.ackMode);
    if (state === entry.state || this.#isClosed) return;
    const isHere = entry.acknowledging !== undefined && isAcknowledged(state) && !isAcknowledged(entry.state);
    entry.message = message;
    this.#apply(entry, state, Math.max(timeUs, entry.timeUs + 1), (isHere && entry.acknowledging) || authority);
    this.#persistence.changed(entry.name);
  }

  /** As another server has published it: the last transition, which is stored nowhere. */
  adopt(handle: number, { state, timeUs, authority, message }: Omit<StoredAlarm, 'name'>): void {
    this.#apply(Object.assign(this.#at(handle), { message }), state, timeUs, authority);
  }

  /** The handle stays until the alarm is removed; -1: there is no such alarm. */
  find(name: string): number {
    return this.#handles.get(name) ?? -1;
  }

  get size(): number {
    return this.#handles.size;
  }

  names(): IterableIterator<string> {
    return this.#handles.keys();
  }

  all(): IterableIterator<number> {
    return this.#handles.values();
  }

  /** As it is configured; undefined where there is no alarm at this handle. */
  definitionAt(handle: number): Alarm | undefined {
    return this.#entries[handle]?.alarm;
  }

  /** As it is configured. */
  alarmOf(handle: number): Alarm {
    return this.#at(handle).alarm;
  }

  /** The last transition. */
  stateOf(handle: number): StoredAlarm {
    const { name, state, timeUs, authority, message } = this.#at(handle);
    return { name, state, timeUs, authority, ...(message !== undefined && { message }) };
  }

  /** The last transition; undefined where there is no such alarm. */
  present(name: string): StoredAlarm | undefined {
    const entry = this.#entryOf(name);
    return entry === undefined ? undefined : this.stateOf(entry.handle);
  }

  /** As it is configured, or else what its device says. */
  descriptionOf(handle: number): string {
    return this.#at(handle).description;
  }

  /** The JSON of one live alarm. */
  text(handle: number): string {
    return this.#texts.one(handle);
  }

  /** The JSON of a map from name to live alarm. Unknown names are left out; names and fields given twice count once. */
  collection(selection: AlarmSelection = {}): Gathering {
    const { names, fields, handles } = selection;
    if (names === undefined && fields === undefined && handles === undefined) return this.#texts.all();
    return this.#texts.some(handles ?? this.#chosen(names), fields);
  }

  /** The JSON of an array of live alarms; what is negative or gone is left out. */
  array(handles: Iterable<number>): Gathering {
    return this.#texts.array(handles);
  }

  /** Another number whenever anything of `collection` may be another. */
  get version(): number {
    return this.#version;
  }

  /** The version with the last change of one of these. */
  versionOf(handles: Iterable<number>): number {
    let version = 0;
    for (const handle of handles) version = Math.max(version, this.#entries[handle]?.version ?? 0);
    return version;
  }

  /** Called first of all when an alarm comes or is configured otherwise: it can still be read, as it was. */
  onDefine(listener: (handle: number, after: Alarm, before: Alarm | undefined) => void): void {
    this.#defineListeners.push(listener);
  }

  /** Of an alarm that is new, before its trigger looks at anything. */
  onAdded(listener: (handle: number) => void): void {
    this.#addedListeners.push(listener);
  }

  /** A listener neither puts nor removes. The returned function takes it back. */
  onChange(listener: AlarmListener): () => void {
    this.#listeners = [...this.#listeners, listener];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener);
    };
  }

  /** Called when an alarm came or is configured otherwise. */
  onPut(listener: (handle: number) => void): void {
    this.#putListeners.push(listener);
  }

  counts(): AlarmCounts {
    return {
      byState: { ...this.#byState },
      transitions: this.#transitions,
      storeFailures: this.#persistence.failures,
      unsaved: this.#persistence.pending,
      operationsPending: this.#operations.pending,
    };
  }

  /** The disk, which had refused, takes writes again. */
  diskWorks(): void {
    this.#persistence.diskWorks();
  }

  /** No trigger fires any more. Resolves when the disk has answered what it was asked. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#triggers.stopDelays();
    return this.#persistence.close();
  }

  #add(alarm: Alarm): LiveEntry {
    const entry = new LiveEntry(this.#free.pop() ?? this.#entries.length, alarm);
    const stored = this.#restored.get(alarm.name);
    if (stored !== undefined) {
      this.#restored.delete(alarm.name);
      entry.state = stored.state;
      entry.timeUs = stored.timeUs;
      entry.authority = stored.authority;
      entry.message = stored.message;
    }
    if (entry.handle === this.#entries.length) this.#entries.push(entry);
    else this.#entries[entry.handle] = entry;
    this.#handles.set(alarm.name, entry.handle);
    this.#byState[entry.state]++;
    return entry;
  }

  #entryOf(name: string): LiveEntry | undefined {
    const handle = this.#handles.get(name);
    return handle === undefined ? undefined : this.#entries[handle];
  }

  #chosen(names: Iterable<string> | undefined): Iterable<number> {
    return names === undefined ? this.#handles.values() : handlesOf(names, (name) => this.find(name));
  }

  #at(handle: number): LiveEntry {
    const entry = this.#entries[handle];
    if (entry === undefined) throw new RangeError(`There is no alarm at ${handle}`);
    return entry;
  }

  #changed(entry: LiveEntry): void {
    entry.version = ++this.#version;
    this.#texts.changed(entry.handle);
  }

  /** An alarm is raised though the disk may be full: published first, stored in the background. */
  #trigger(handle: number, event: 'activate' | 'deactivate', timeUs: number, isSimulated: boolean): void {
    const entry = this.#at(handle);
    const authority = isSimulated ? triggerAuthority.simulated : triggerAuthority.live;
    this.#apply(entry, nextState(entry.state, event, entry.alarm.ackMode), timeUs, authority);
    this.#persistence.changed(entry.name);
  }

  async #carryOut(name: string, operation: AlarmOperation, authority: string): Promise<void> {
    this.#persistence.hold(name);
    try {
      let stored: StoredAlarm | undefined;
      let from: LiveEntry | undefined;
      let transitions = 0;
      for (;;) {
        const entry = this.#entryOf(name);
        if (entry === undefined) throw new ProblemError('unknown-object', `There is no alarm ${JSON.stringify(name)}.`);
        const state = nextState(entry.state, operation, entry.alarm.ackMode);
        if (state === entry.state) {
          // A definition that changed meanwhile may have left on disk what is not to be.
          if (stored !== undefined) this.#persistence.changed(name);
          return;
        }
        if (stored?.state === state) {
          // Where a trigger came between, and went again, the time of the operation is later than those.
          const isSame = entry === from && entry.transitions === transitions;
          this.#apply(entry, state, isSame ? stored.timeUs : this.#timeAfter(entry), authority);
          return;
        }
        [from, transitions] = [entry, entry.transitions];
        stored = { name, state, timeUs: this.#timeAfter(entry), authority };
        await this.#persistence.storeNow(stored);
      }
    } finally {
      this.#persistence.release(name);
    }
  }

  /** The device decides. What it has accepted is so here, whatever the disk says; its own report may come before. */
  async #askDevice(name: string, operation: AlarmOperation, authority: string): Promise<void> {
    const asked = this.#entryOf(name) as LiveEntry;
    const { connectorName, ackMode } = asked.alarm;
    if (operation !== 'acknowledge') {
      const text = `Alarm ${name} follows the device of connector ${connectorName}: only that raises and clears it.`;
      throw new ProblemError('device-alarm', text);
    }
    if (nextState(asked.state, operation, ackMode) === asked.state) return;
    asked.acknowledging = authority;
    try {
      await this.#acknowledgeAtDevice(name, authority);
    } finally {
      asked.acknowledging = undefined;
    }
    const entry = this.#entryOf(name);
    if (entry === undefined) return; // removed meanwhile
    const state = nextState(entry.state, operation, entry.alarm.ackMode);
    if (state !== entry.state) this.#apply(entry, state, this.#timeAfter(entry), authority);
    this.#persistence.hold(name);
    try {
      await this.#persistence.storeNow(this.stateOf(entry.handle));
    } catch (error) {
      const text = 'The device has accepted it and reads show it, but it is not on disk yet, which is retried';
      throw new ProblemError('storage-failed', `${text}: ${(error as Error).message}`);
    } finally {
      this.#persistence.release(name);
    }
  }

  /** What a person does has a time of its own. */
  #timeAfter({ timeUs }: LiveEntry): number {
    return timeAfter(timeUs, this.#clock.now());
  }

  #apply(entry: LiveEntry, state: AlarmState, timeUs: number, authority: string): void {
    this.#byState[entry.state]--;
    this.#byState[state]++;
    entry.state = state;
    entry.timeUs = timeUs;
    entry.authority = authority;
    entry.transitions++;
    this.#transitions++;
    this.#changed(entry);
    this.#triggers.setActive(entry.handle, isActive(state));
    for (const listener of this.#listeners) listener(entry.handle, false);
  }
}

async function noDevice(name: string): Promise<never> {
  throw new ProblemError('connector-down', `Nothing leads to the device of alarm ${name}.`);
}
