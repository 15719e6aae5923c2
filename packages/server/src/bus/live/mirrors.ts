// The points and alarms of a site as live objects at a centre: those that serve the interface of a site serve it here.
import { AlarmState, Batch, type Clock, form, parseJson, quality, type StoredValue } from '@telltale/schema';
import { Check } from 'typebox/value';
import { Alarms, type StoredAlarm } from '../../alarms/index.ts';
import { Commands, Measurements } from '../../points/index.ts';
import { type FeedDefinition, noItem } from './feed-message.ts';
import { type FeedSink, mostItems } from './feed-mirror.ts';
import { readAlarm, readCommand, readMeasurement } from './mirrored-definitions.ts';

interface Named {
  readonly name: string;
}

interface Objects<Definition extends Named> {
  read(definition: object): Definition | undefined;
  find(name: string): number;
  put(definition: Definition): void;
  remove(name: string): void;
  states(batch: Batch): void;
  /** What there is of them counts no longer, but for these. */
  lose(but: ReadonlySet<number>): void;
}

/** What one object costs here, beside its texts. */
const bytesOfObject = 256;

interface Kept {
  readonly name: string;
  /** Its definition, as JSON. */
  readonly text: string;
  /** Of the text that is its state; 0: that is none. */
  stateLength: number;
}

/** From the numbers of a site to objects here: so many as `mostBytes` has room for, since a site may say anything. */
export class Mirror<Definition extends Named> implements FeedSink {
  readonly #objects: Objects<Definition>;
  readonly #onChange: () => void;
  readonly #mostBytes: number;
  readonly #names = new Map<number, string>();
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  /** `onChange`: all of it counts, or no longer. */
  constructor(objects: Objects<Definition>, onChange: () => void, mostBytes = 2 ** 27) {
    this.#objects = objects;
    this.#onChange = onChange;
    this.#mostBytes = mostBytes;
  }

  define(definitions: readonly FeedDefinition[]): boolean {
    for (const [item, given] of definitions) {
      const definition = this.#objects.read(given);
      if (definition === undefined) this.#names.delete(item);
      else this.#names.set(item, this.#put(definition));
      if (!this.#hasRoom()) return false;
    }
    return true;
  }

  retain(items: ReadonlySet<number>): void {
    for (const item of [...this.#names.keys()]) if (!items.has(item)) this.#names.delete(item);
    const names = new Set(this.#names.values());
    for (const kept of [...this.#kept.values()]) if (!names.has(kept.name)) this.#remove(kept);
  }

  states(states: Batch): boolean {
    for (let at = 0; at < states.count; at++) {
      const item = states.points[at] as number;
      this.#count(item, states.forms[at] === form.text ? (states.texts[at]?.length ?? 0) : 0);
      if (!this.#hasRoom()) return false;
      states.points[at] = this.#handleOf(item);
    }
    if (states.count > 0) this.#objects.states(states);
    return true;
  }

  whole(): void {
    this.#onChange();
  }

  lose(but: ReadonlySet<number>): void {
    this.#objects.lose(new Set(Array.from(but, (item) => this.#handleOf(item))));
    this.#onChange();
  }

  #put(definition: Definition): string {
    const text = JSON.stringify(definition);
    const before = this.#kept.get(definition.name);
    if (before?.text === text) return before.name;
    // With texts of its own: those given may be pieces of far longer ones, which would be kept with them.
    const own = parseJson(text) as Definition;
    const kept = { name: own.name, text, stateLength: before?.stateLength ?? 0 };
    this.#bytes += bytesOf(kept) - (before === undefined ? 0 : bytesOf(before));
    this.#kept.set(kept.name, kept);
    this.#objects.put(own);
    return kept.name;
  }

  #remove(kept: Kept): void {
    this.#bytes -= bytesOf(kept);
    this.#kept.delete(kept.name);
    this.#objects.remove(kept.name);
  }

  #count(item: number, stateLength: number): void {
    const kept = this.#kept.get(this.#names.get(item) ?? '');
    if (kept === undefined) return;
    this.#bytes += stateLength - kept.stateLength;
    kept.stateLength = stateLength;
  }

  /** Where there is none, all is dropped: with what is left over of before there might never be room again. */
  #hasRoom(): boolean {
    if (this.#bytes <= this.#mostBytes && this.#names.size <= mostItems) return true;
    this.retain(new Set());
    return false;
  }

  #handleOf(item: number): number {
    const name = this.#names.get(item);
    const handle = name === undefined ? -1 : this.#objects.find(name);
    return handle < 0 ? noItem : handle;
  }
}

function bytesOf({ text, stateLength }: Kept): number {
  return bytesOfObject + text.length + stateLength;
}

export function mirroredMeasurements(clock: Clock): Measurements {
  const refuse = { saveSimulation: refused, deleteSimulation: async () => undefined };
  return new Measurements({ clock, store: refuse });
}

export function measurementMirror(measurements: Measurements, clock: Clock, onChange: () => void) {
  return new Mirror(
    {
      read: readMeasurement,
      find: (name) => measurements.find(name),
      put: (point) => measurements.put(point),
      remove: (name) => measurements.remove(name),
      states: (batch) => measurements.adopt(batch),
      // As measurements whose link is lost: the values stay.
      lose: (but) => {
        const batch = new Batch();
        const nowUs = clock.now();
        for (const handle of measurements.all()) {
          if (but.has(handle) || measurements.qualityOf(handle) === quality.bad.communicationFailure) continue;
          batch.none(handle, quality.bad.communicationFailure, nowUs);
        }
        measurements.adopt(batch);
      },
    },
    onChange,
  );
}

export function mirroredCommands(clock: Clock): Commands {
  const store = { saveCommand: refused, deleteCommand: async () => undefined };
  return new Commands({ clock, store, writeToDevice: refused });
}

export function commandMirror(commands: Commands, onChange: () => void) {
  const states = (batch: Batch) => {
    for (let at = 0; at < batch.count; at++) {
      const handle = batch.points[at] as number;
      const value = batch.valueAt(at) as StoredValue | undefined;
      if (handle === noItem || value === undefined) continue;
      const adopted = { value, timeUs: timeOf(batch, at), hasValue: batch.qualities[at] === quality.good };
      const isSame = commands.timeOf(handle) === adopted.timeUs && Object.is(commands.valueOf(handle), value);
      if (!isSame || commands.hasValue(handle) !== adopted.hasValue) commands.adopt(handle, adopted);
    }
  };
  const put = (point: Parameters<Commands['put']>[0]) => commands.put(point);
  const remove = (name: string) => commands.remove(name);
  return new Mirror({ read: readCommand, find: (name) => commands.find(name), put, remove, states, lose }, onChange);
}

export function mirroredAlarms(clock: Clock, measurements: Measurements): Alarms {
  return new Alarms({ clock, measurements, store: { saveAlarm: refused, deleteAlarm: async () => undefined } });
}

export function alarmMirror(alarms: Alarms, onChange: () => void) {
  const states = (batch: Batch) => {
    for (let at = 0; at < batch.count; at++) {
      const handle = batch.points[at] as number;
      const read = handle === noItem ? undefined : readState(batch.valueAt(at));
      if (read === undefined) continue;
      const adopted = { ...read, timeUs: timeOf(batch, at) };
      const { state, timeUs, authority } = alarms.stateOf(handle);
      const isSame = state === adopted.state && timeUs === adopted.timeUs && authority === adopted.authority;
      if (!isSame) alarms.adopt(handle, adopted);
    }
  };
  const put = (alarm: Parameters<Alarms['put']>[0]) => alarms.put(alarm);
  const remove = (name: string) => alarms.remove(name);
  return new Mirror({ read: readAlarm, find: (name) => alarms.find(name), put, remove, states, lose }, onChange);
}

/** They have no quality: the last known state stays. */
const lose = () => undefined;

function readState(text: unknown): Omit<StoredAlarm, 'name' | 'timeUs'> | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const { state, authority, message } = parseJson(text) as Record<string, unknown>;
    if (!Check(AlarmState, state) || typeof authority !== 'string') return undefined;
    return { state, authority, ...(typeof message === 'string' && { message }) };
  } catch {
    return undefined;
  }
}

function timeOf({ times }: Batch, at: number): number {
  const timeUs = times[at] as number;
  return Number.isSafeInteger(timeUs) && timeUs >= 0 ? timeUs : 0;
}

/** Operations on what is mirrored are carried out at the site. */
async function refused(): Promise<never> {
  throw new Error('it is of another server');
}
