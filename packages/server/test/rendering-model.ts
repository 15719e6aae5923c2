// What may be seen of a plant that is rendered again and again, in plain words: each rendering has a number and a mark,
// and whatever is seen must be of the rendering whose mark is there. Within the step of one to the next there may be no
// mark: there it is of one of these two.
import { isBad, quality } from '@telltale/schema';
import {
  type Definition,
  deviceOf,
  emptyPlant,
  isHigh,
  liveIn,
  markOf,
  type Plant,
  readingOf,
} from './rendering-plant.ts';

/** Something that was asked of a point. */
export interface Asked {
  readonly kind: 'simulate' | 'expire' | 'stop' | 'write';
  /** Of the measurement, whose command it may be. */
  readonly name: string;
  /** With its prefix. */
  readonly value: string;
  /** The rendering that ran then. */
  readonly from: number;
  /** The one that ran when it was answered, and how; until then undefined. */
  until: number | undefined;
  outcome: string | undefined;
  /** Of a write through a provider: which, and since which rendering its id stood for the command, as far as that is known. */
  readonly through?: { readonly provider: number; readonly since: number | undefined };
}

export interface Seen {
  /** With its prefix. */
  readonly value: string;
  readonly quality: number;
}

export class RenderingModel {
  readonly plants: Plant[] = [emptyPlant];
  /** The newest that was seen to run. */
  version = 0;
  readonly #isThere: (measurement: string) => boolean;
  readonly #asked = new Map<string, Asked[]>();

  constructor(isThere: (measurement: string) => boolean) {
    this.#isThere = isThere;
  }

  /** The rendering that runs; two in the midst of the step from one to the next. */
  present(): number[] {
    const marked = this.plants.keys().filter((version) => this.#isThere(markOf(version)));
    const found = [...marked];
    if (found.length > 1) throw new Error(`renderings ${found} run at the same time`);
    this.version = found[0] ?? this.version;
    return found.length === 1 || this.version === this.plants.length - 1
      ? [this.version]
      : [this.version, this.version + 1];
  }

  ask(asked: Omit<Asked, 'from' | 'until' | 'outcome'>): Asked {
    const whole = { ...asked, from: this.#now(), until: undefined, outcome: undefined };
    this.#askedOf(asked.name).push(whole);
    return whole;
  }

  /** `unknown`: it may still be under way. */
  answered(asked: Asked, outcome: string): void {
    if (outcome !== 'unknown') asked.until = this.#now();
    asked.outcome = outcome;
  }

  /** What is wrong with a measurement that is seen so; undefined: nothing. */
  faultOf(name: string, seen: Seen, versions: readonly number[]): string | undefined {
    const faults = versions.map((version) => this.#faultIn(version, name, seen));
    return faults.includes(undefined) ? undefined : `${name} is ${seen.value} ${seen.quality}: ${faults.join('; ')}`;
  }

  /** What must be of a simulation once all that was asked has been answered. */
  simulationFault(name: string, { value, quality: status }: Seen, version: number): string | undefined {
    const asked = this.#askedOf(name).filter(({ kind }) => kind !== 'write');
    if (asked.some(({ outcome }) => outcome === undefined)) return undefined;
    const last = asked.findLast(({ outcome }) => outcome === 'none');
    const isSimulated = (status & quality.simulated) !== 0;
    if (last?.kind === 'stop' && isSimulated) return `${name} is simulated, though that was stopped`;
    if (last?.kind !== 'simulate' || !this.#stays(name, last.until as number, version)) return undefined;
    if (isSimulated && value === last.value) return undefined;
    return `${name} is ${value} ${status}, not simulated as ${last.value}`;
  }

  /** What is wrong with the value that a command shows. */
  commandFault(name: string, value: string, versions: readonly number[]): string | undefined {
    const faults = versions.map((version) => this.#commandFaultIn(version, name, value));
    return faults.includes(undefined) ? undefined : `${name}_set is ${value}: ${faults.join('; ')}`;
  }

  /** Whether an alarm may be so, given its measurement. */
  alarmFault(
    name: string,
    state: string,
    seen: Seen,
    description: string,
    versions: readonly number[],
  ): string | undefined {
    const isMeant = versions.some((version) => {
      const definition = liveIn(this.#plant(version), name);
      if (definition === undefined || description !== `above ${definition.limit}`) return false;
      return isBad(seen.quality) || state.startsWith('ACT') === isHigh(definition, seen.value);
    });
    return isMeant ? undefined : `${name}_high, ${description}, is ${state} at ${seen.value} ${seen.quality}`;
  }

  /** What is wrong with a write that has reached a device. */
  sentFault(device: number, address: string, raw: number): string | undefined {
    for (const asked of [...this.#asked.values()].flat()) {
      if (asked.kind !== 'write') continue;
      const versions = this.#sendable(asked);
      const isMeant = versions.some(
        (version) => this.sentOf(asked, version) === `${device} ${address} ${rounded(raw)}`,
      );
      if (!isMeant) continue;
      const mayBe = asked.outcome === undefined || !isRefused(asked.outcome);
      return mayBe ? undefined : `${asked.name} was answered with ${asked.outcome}, and device ${device} got ${raw}`;
    }
    return `device ${device} got ${address}=${raw}, which nobody has meant`;
  }

  /** What the device is to get of a write that was made when this rendering ran. */
  sentOf({ name, value }: Asked, version: number): string | undefined {
    const definition = commandIn(this.#plant(version), name);
    if (definition === undefined) return undefined;
    const { address, factor } = definition;
    return `${deviceOf(this.#plant(version), definition)} ${address} ${rounded(Number(value.slice(1)) / factor)}`;
  }

  /** Whether a stack may be told that this was written last, or is to be written first. */
  mayBeLast(device: number, address: string, raw: number, since: number): boolean {
    return this.plants.keys().some((version) => {
      const plant = this.#plant(version);
      return Object.keys(plant.points).some((name) => {
        const definition = commandIn(plant, name);
        if (version < since || definition?.address !== address || deviceOf(plant, definition) !== device) return false;
        const value = `${definition.datatype}${rounded(raw * definition.factor)}`;
        return this.#mayHave(definition, version, name, value);
      });
    });
  }

  /** Accepted, and so once at a device. */
  *accepted(): Generator<Asked> {
    for (const asked of this.#asked.values()) {
      yield* asked.filter(({ kind, outcome }) => kind === 'write' && outcome === 'none');
    }
  }

  /** Whether the measurement is archived under this name and datatype, by its own changes or with a leader. */
  archivedIn(version: number, name: string, datatype: string): string | undefined {
    const { archived, datatype: own } = liveIn(this.#plant(version), name) ?? {};
    return own === datatype && archived !== 'no' ? archived : undefined;
  }

  #plant(version: number): Plant {
    return this.plants[version] ?? emptyPlant;
  }

  #now(): number {
    const versions = this.present();
    return versions[0] as number;
  }

  #askedOf(name: string): Asked[] {
    const known = this.#asked.get(name) ?? [];
    this.#asked.set(name, known);
    return known;
  }

  #faultIn(version: number, name: string, { value, quality: status }: Seen): string | undefined {
    const definition = liveIn(this.#plant(version), name);
    if (definition === undefined) return `is not there in ${version}`;
    if (!value.startsWith(definition.datatype)) return `is ${definition.datatype} in ${version}`;
    if ((status & quality.simulated) !== 0) {
      const isMeant = this.#askedOf(name).some((asked) => asked.value === value && this.#mayLast(asked, version));
      return isMeant ? undefined : `is not simulated so in ${version}`;
    }
    if (isBad(status)) return undefined;
    const reading = readingOf(this.#plant(version), definition);
    return value === reading && status === quality.good ? undefined : `is ${reading} in ${version}`;
  }

  /** A simulation stays where datatype and connector stay. */
  #stays(name: string, from: number, to: number): boolean {
    return this.#keeps(from, to, (plant) => {
      const { datatype, connector } = liveIn(plant, name) ?? {};
      return datatype && `${datatype} ${connector}`;
    });
  }

  #mayLast({ kind, name, from, until }: Asked, version: number): boolean {
    if (kind === 'stop' || kind === 'write') return false;
    return span(from, Math.min(until ?? version, version)).some((begun) => this.#stays(name, begun, version));
  }

  #commandFaultIn(version: number, name: string, value: string): string | undefined {
    const definition = commandIn(this.#plant(version), name);
    if (definition === undefined) return `is not there in ${version}`;
    if (!this.#mayHave(definition, version, name, value)) return `was not written so in ${version}`;
    if (value !== firstOf(definition)) return undefined;
    const lost = this.#writesOf(name).find(
      ({ outcome, from }) => outcome === 'none' && this.#keepsType(name, from, version),
    );
    return lost === undefined ? undefined : `was written ${lost.value} in ${lost.from}`;
  }

  /** What a command has at first, or what was written to it since it is of its datatype. */
  #mayHave(definition: Definition, version: number, name: string, value: string): boolean {
    const isWritten = ({ value: written, from, until }: Asked) =>
      written === value &&
      span(from, Math.min(until ?? version, version)).some((begun) => this.#keepsType(name, begun, version));
    return value === firstOf(definition) || this.#writesOf(name).some(isWritten);
  }

  #writesOf(name: string): Asked[] {
    return this.#askedOf(name).filter(({ kind }) => kind === 'write');
  }

  #keepsType(name: string, from: number, to: number): boolean {
    return this.#keeps(from, to, (plant) => commandIn(plant, name)?.datatype);
  }

  /** Under which renderings a write may be carried out. */
  #sendable({ name, value, from, until, through }: Asked): number[] {
    if (through === undefined) return [from];
    const { provider, since } = through;
    return span(from, until ?? this.version).filter((version) => {
      const { served, datatype } = commandIn(this.#plant(version), name) ?? {};
      if (served?.[provider] === undefined || datatype !== value[0]) return false;
      const isServed = (plant: Plant) => {
        const command = commandIn(plant, name);
        return command?.served.some((address) => address !== undefined) ? command.datatype : undefined;
      };
      return since === undefined || this.#keeps(since, version, isServed);
    });
  }

  #keeps(from: number, to: number, what: (plant: Plant) => string | undefined): boolean {
    const first = what(this.#plant(from));
    return first !== undefined && span(from, to).every((version) => what(this.#plant(version)) === first);
  }
}

/** Where the command of a measurement is there. */
export function commandIn(plant: Plant, name: string): Definition | undefined {
  const definition = liveIn(plant, name);
  return definition?.hasCommand === true ? definition : undefined;
}

/** Of a command to which nothing was written. */
function firstOf({ datatype, initial }: Definition): string {
  return `${datatype}${initial ?? (datatype === 's' ? '' : 0)}`;
}

export function rounded(number: number): number {
  return Number(number.toFixed(6));
}

/** Whether the answer says that nothing has happened. */
function isRefused(outcome: string): boolean {
  return /^(write-refused|command-changed|connector-down|unknown-object|invalid-value|Refused)/.test(outcome);
}

function span(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
}
