// The points and alarms of a site as live objects at a centre: those that serve the interface of a site serve it here.
import { AlarmState, Batch, type Clock, parseJson, quality, type StoredValue } from '@telltale/schema';
import { Value } from 'typebox/value';
import { Alarms, type StoredAlarm } from '../../alarms/index.ts';
import { Commands, Measurements } from '../../points/index.ts';
import { type FeedDefinition, noItem } from './feed-message.ts';
import type { FeedSink } from './feed-mirror.ts';
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

/** From the numbers of a site to objects here. */
export class Mirror<Definition extends Named> implements FeedSink {
  readonly #objects: Objects<Definition>;
  readonly #onChange: () => void;
  readonly #names = new Map<number, string>();
  /** Of each that is there: its JSON. */
  readonly #definitions = new Map<string, string>();

  /** `onChange`: all of it counts, or no longer. */
  constructor(objects: Objects<Definition>, onChange: () => void) {
    this.#objects = objects;
    this.#onChange = onChange;
  }

  define(definitions: readonly FeedDefinition[]): void {
    for (const [item, given] of definitions) {
      const definition = this.#objects.read(given);
      if (definition === undefined) {
        this.#names.delete(item);
        continue;
      }
      const { name } = definition;
      this.#names.set(item, name);
      const text = JSON.stringify(definition);
      if (this.#definitions.get(name) === text) continue;
      this.#definitions.set(name, text);
      this.#objects.put(definition);
    }
  }

  retain(items: ReadonlySet<number>): void {
    for (const item of [...this.#names.keys()]) if (!items.has(item)) this.#names.delete(item);
    const names = new Set(this.#names.values());
    for (const name of [...this.#definitions.keys()]) {
      if (names.has(name)) continue;
      this.#definitions.delete(name);
      this.#objects.remove(name);
    }
  }

  states(states: Batch): void {
    for (let at = 0; at < states.count; at++) states.points[at] = this.#handleOf(states.points[at] as number);
    this.#objects.states(states);
  }

  whole(): void {
    this.#onChange();
  }

  lose(but: ReadonlySet<number>): void {
    this.#objects.lose(new Set(Array.from(but, (item) => this.#handleOf(item))));
    this.#onChange();
  }

  #handleOf(item: number): number {
    const name = this.#names.get(item);
    const handle = name === undefined ? -1 : this.#objects.find(name);
    return handle < 0 ? noItem : handle;
  }
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
    if (!Value.Check(AlarmState, state) || typeof authority !== 'string') return undefined;
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
