// The alarms of what providers serve: hands each provider those that are of one of its measurements, triggered by it or of a
// device that it is read from, and every change of their states.
import type { AlarmState } from '@telltale/schema';
import type { StackAlarm, StackAlarmState } from '@telltale/stack-kit';
import type { Alarms } from '../alarms/index.ts';
import type { Measurements } from '../points/index.ts';
import type { StackHost } from '../stacks/index.ts';

export interface AlarmFeedOptions {
  readonly alarms: Alarms;
  readonly measurements: Measurements;
  /** By the handle of a measurement. */
  readonly providersOf: (measurement: number) => Iterable<string>;
  readonly idOf: (measurement: number) => number;
  readonly host: Pick<StackHost, 'setAlarms' | 'publishAlarms'>;
}

const facts: Readonly<Record<AlarmState, Pick<StackAlarmState, 'isActive' | 'isAcknowledged'>>> = {
  INACT_ACK: { isActive: false, isAcknowledged: true },
  ACT_UNACK: { isActive: true, isAcknowledged: false },
  ACT_ACK: { isActive: true, isAcknowledged: true },
  INACT_UNACK: { isActive: false, isAcknowledged: false },
};

export class AlarmFeed {
  readonly #options: AlarmFeedOptions;
  /** From the name of a measurement to the names of the alarms that it triggers. */
  readonly #byTrigger = new Map<string, Set<string>>();
  /** Of each provider that has any: names by handle, since a handle may become another alarm's. */
  readonly #given = new Map<string, ReadonlyMap<number, string>>();
  /** Triggers whose alarms are others than they were given. */
  readonly #changed = new Set<string>();
  /** What happened in the running turn, by provider. */
  readonly #gathered = new Map<string, StackAlarmState[]>();

  constructor(options: AlarmFeedOptions) {
    this.#options = options;
    options.alarms.onChange((handle, isRemoved) => {
      if (!isRemoved) this.#onChange(handle);
    });
  }

  put(name: string, before: string | undefined, after: string | undefined): void {
    if (before !== after) this.remove(name, before);
    if (after === undefined) return;
    const alarms = this.#byTrigger.get(after) ?? new Set();
    this.#byTrigger.set(after, alarms.add(name));
    this.#changed.add(after);
  }

  remove(name: string, trigger: string | undefined): void {
    if (trigger === undefined) return;
    const alarms = this.#byTrigger.get(trigger);
    alarms?.delete(name);
    if (alarms?.size === 0) this.#byTrigger.delete(trigger);
    this.#changed.add(trigger);
  }

  /** After a rendering: what changed goes to the providers that serve it, all of theirs to those whose points changed. */
  done(touched: Iterable<string>): void {
    const { measurements, providersOf, host } = this.#options;
    const providers = new Set(touched);
    for (const trigger of this.#changed) {
      for (const provider of providersOf(measurements.find(trigger))) providers.add(provider);
    }
    this.#changed.clear();
    this.#publishGathered(); // before a handle is given to the provider as another alarm's
    for (const provider of providers) {
      const alarms = this.#alarmsOf(provider);
      if (alarms.length === 0 && !this.#given.has(provider)) continue;
      if (alarms.length === 0) this.#given.delete(provider);
      else this.#given.set(provider, new Map(alarms.map(({ id, name }) => [id, name])));
      host.setAlarms('provider', provider, alarms);
      this.publishAll(provider);
    }
  }

  forget(provider: string): void {
    this.#given.delete(provider);
  }

  publishAll(provider: string): void {
    const states: StackAlarmState[] = [];
    for (const [handle, name] of this.#given.get(provider) ?? []) {
      if (this.#options.alarms.find(name) === handle) states.push(this.#stateOf(handle));
    }
    if (states.length > 0) this.#options.host.publishAlarms(provider, states);
  }

  serves(provider: string, alarm: string): boolean {
    return this.#given.get(provider)?.get(this.#options.alarms.find(alarm)) === alarm;
  }

  #alarmsOf(provider: string): StackAlarm[] {
    const { alarms, measurements, providersOf, idOf } = this.#options;
    const found: StackAlarm[] = [];
    for (const [trigger, names] of this.#byTrigger) {
      const measurement = measurements.find(trigger);
      if (!Iterator.from(providersOf(measurement)).some((each) => each === provider)) continue;
      for (const name of names) {
        const id = alarms.find(name);
        if (id < 0) continue;
        const { description = '', severity, area } = alarms.alarmOf(id);
        found.push({ id, name, description, severity, measurement: idOf(measurement), ...(area && { area }) });
      }
    }
    return found;
  }

  #onChange(handle: number): void {
    const { alarms, measurements, providersOf } = this.#options;
    const { name, trgMeasurement } = alarms.alarmOf(handle);
    if (this.#given.size === 0 || trgMeasurement === undefined) return;
    for (const provider of providersOf(measurements.find(trgMeasurement))) {
      if (this.#given.get(provider)?.get(handle) !== name) continue;
      if (this.#gathered.size === 0) queueMicrotask(() => this.#publishGathered());
      const states = this.#gathered.get(provider) ?? [];
      this.#gathered.set(provider, states);
      states.push(this.#stateOf(handle));
    }
  }

  #publishGathered(): void {
    for (const [provider, states] of this.#gathered) this.#options.host.publishAlarms(provider, states);
    this.#gathered.clear();
  }

  #stateOf(handle: number): StackAlarmState {
    const { alarms } = this.#options;
    const { state, timeUs, authority } = alarms.stateOf(handle);
    const message = alarms.alarmOf(handle).description === undefined ? alarms.descriptionOf(handle) : '';
    return { id: handle, ...facts[state], timeUs, authority, ...(message !== '' && { message }) };
  }
}
