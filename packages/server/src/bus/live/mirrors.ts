// The points and alarms of a site as live objects at a centre: those that serve the interface of a site serve it here.
import { AlarmState, Batch, type Clock, parseJson, quality, type StoredValue } from '@telltale/schema';
import { Value } from 'typebox/value';
import { Alarms, type StoredAlarm } from '../../alarms/index.ts';
import { Commands, Measurements } from '../../points/index.ts';
import type { FeedDefinition } from './feed-message.ts';
import type { FeedSink } from './feed-mirror.ts';
import { readAlarm, readCommand, readMeasurement } from './mirrored-definitions.ts';

/** A number that no handle has. */
const nobody = 2 ** 32 - 1;

interface Named {
  readonly name: string;
}

interface Objects<Definition extends Named> {
  read(definition: object): Definition | undefined;
  find(name: string): number;
  put(definition: Definition): void;
  remove(name: string): void;
  states(batch: Batch): void;
}

/** From the numbers of a site to objects here. */
export class Mirror<Definition extends Named> implements FeedSink {
  readonly #objects: Objects<Definition>;
  readonly #onWhole: () => void;
  readonly #names = new Map<number, string>();
  /** Of each that is there: its JSON. */
  readonly #definitions = new Map<string, string>();
  isWhole = false;

  constructor(objects: Objects<Definition>, onWhole: () => void) {
    this.#objects = objects;
    this.#onWhole = onWhole;
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
    for (let at = 0; at < states.count; at++) {
      const name = this.#names.get(states.points[at] as number);
      const handle = name === undefined ? -1 : this.#objects.find(name);
      states.points[at] = handle < 0 ? nobody : handle;
    }
    this.#objects.states(states);
  }

  setWhole(isWhole: boolean): void {
    this.isWhole = isWhole;
    this.#onWhole();
  }
}

export function mirroredMeasurements(clock: Clock): Measurements {
  const refuse = { saveSimulation: refused, deleteSimulation: async () => undefined };
  return new Measurements({ clock, store: refuse });
}

export function measurementMirror(measurements: Measurements, onWhole: () => void) {
  return new Mirror(
    {
      read: readMeasurement,
      find: (name) => measurements.find(name),
      put: (point) => measurements.put(point),
      remove: (name) => measurements.remove(name),
      states: (batch) => measurements.adopt(batch),
    },
    onWhole,
  );
}

/** As they are when nothing is known of their devices: the values stay. */
export function loseMeasurements(measurements: Measurements, nowUs: number): void {
  const batch = new Batch();
  for (const handle of measurements.all()) batch.none(handle, quality.bad.communicationFailure, nowUs);
  measurements.adopt(batch);
}

export function mirroredCommands(clock: Clock): Commands {
  const store = { saveCommand: refused, deleteCommand: async () => undefined };
  return new Commands({ clock, store, writeToDevice: refused });
}

export function commandMirror(commands: Commands, onWhole: () => void) {
  const states = (batch: Batch) => {
    for (let at = 0; at < batch.count; at++) {
      const handle = batch.points[at] as number;
      const value = batch.valueAt(at) as StoredValue | undefined;
      if (handle === nobody || value === undefined) continue;
      const adopted = { value, timeUs: timeOf(batch, at), hasValue: batch.qualities[at] === quality.good };
      const isSame = commands.timeOf(handle) === adopted.timeUs && Object.is(commands.valueOf(handle), value);
      if (!isSame || commands.hasValue(handle) !== adopted.hasValue) commands.adopt(handle, adopted);
    }
  };
  const put = (point: Parameters<Commands['put']>[0]) => commands.put(point);
  const remove = (name: string) => commands.remove(name);
  return new Mirror({ read: readCommand, find: (name) => commands.find(name), put, remove, states }, onWhole);
}

export function mirroredAlarms(clock: Clock, measurements: Measurements): Alarms {
  return new Alarms({ clock, measurements, store: { saveAlarm: refused, deleteAlarm: async () => undefined } });
}

export function alarmMirror(alarms: Alarms, onWhole: () => void) {
  const states = (batch: Batch) => {
    for (let at = 0; at < batch.count; at++) {
      const handle = batch.points[at] as number;
      const read = handle === nobody ? undefined : readState(batch.valueAt(at));
      if (read === undefined) continue;
      const adopted = { ...read, timeUs: timeOf(batch, at) };
      const { state, timeUs, authority } = alarms.stateOf(handle);
      const isSame = state === adopted.state && timeUs === adopted.timeUs && authority === adopted.authority;
      if (!isSame) alarms.adopt(handle, adopted);
    }
  };
  const put = (alarm: Parameters<Alarms['put']>[0]) => alarms.put(alarm);
  const remove = (name: string) => alarms.remove(name);
  return new Mirror({ read: readAlarm, find: (name) => alarms.find(name), put, remove, states }, onWhole);
}

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
