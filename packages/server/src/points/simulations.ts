// Which measurements are forced, to what, since when, until when and by whom. Persisted, so that a restart
// of the server ends no simulation by itself.
import { type Clock, formatPrefixed, type Simulation, type StoredValue, toTimestamp, unstored } from '@telltale/schema';
import type { Handles } from './handles.ts';
import type { MeasurementTable } from './measurement-table.ts';

/** One simulation as it is on disk. */
export interface StoredSimulation {
  readonly name: string;
  /** With its prefix. */
  readonly value: string;
  readonly quality: number;
  readonly sinceUs: number;
  readonly untilUs: number | undefined;
  readonly by: string;
  /** Undefined where none was given; those of earlier versions have none. */
  readonly reason?: string | undefined;
}

/** Each resolves when it is on disk, in the order of the calls. */
export interface SimulationStore {
  saveSimulation(simulation: StoredSimulation): Promise<void>;
  deleteSimulation(name: string): Promise<void>;
}

export interface Forced {
  readonly value: StoredValue;
  /** With the bit that says that it is simulated. */
  readonly quality: number;
  readonly sinceUs: number;
  readonly untilUs: number | undefined;
  readonly by: string;
  readonly reason?: string | undefined;
}

interface Running extends Forced {
  readonly cancel: () => void;
}

export class Simulations {
  readonly #clock: Clock;
  readonly #handles: Handles;
  readonly #table: MeasurementTable;
  readonly #running = new Map<number, Running>();

  constructor(clock: Clock, handles: Handles, table: MeasurementTable) {
    this.#clock = clock;
    this.#handles = handles;
    this.#table = table;
  }

  get size(): number {
    return this.#running.size;
  }

  handles(): Iterable<number> {
    return this.#running.keys();
  }

  get(handle: number): Forced {
    return this.#running.get(handle) as Forced;
  }

  /** What should be on disk; undefined where none runs. */
  storedOf(handle: number): StoredSimulation | undefined {
    const running = this.#running.get(handle);
    if (running === undefined) return undefined;
    const { quality, sinceUs, untilUs, by, reason } = running;
    const value = this.#textOf(handle, running);
    return { name: this.#handles.nameOf(handle), value, quality, sinceUs, untilUs, by, reason };
  }

  /** `onExpiry` is called when `leftMs` have passed, if it has an end; not when it is replaced or ended before. */
  set(handle: number, forced: Forced, leftMs: number | undefined, onExpiry: () => void): void {
    this.end(handle);
    const cancel = leftMs === undefined ? () => undefined : this.#clock.after(leftMs, onExpiry);
    this.#running.set(handle, { ...forced, cancel });
  }

  /** Whether there was one. */
  end(handle: number): boolean {
    this.#running.get(handle)?.cancel();
    return this.#running.delete(handle);
  }

  close(): void {
    for (const handle of [...this.#running.keys()]) this.end(handle);
  }

  /** By name, in the order of names. */
  list(): Simulation[] {
    const byName = (a: Simulation, b: Simulation) => (a.name < b.name ? -1 : 1);
    return Array.from(this.#running.keys(), (handle) => this.describe(handle)).sort(byName);
  }

  /** Of one that runs. */
  describe(handle: number): Simulation {
    const forced = this.get(handle);
    const { quality, sinceUs, untilUs, by, reason } = forced;
    return {
      name: this.#handles.nameOf(handle),
      value: this.#textOf(handle, forced),
      quality,
      since: toTimestamp(sinceUs),
      until: untilUs === undefined ? null : toTimestamp(untilUs),
      by,
      reason: reason ?? null,
    };
  }

  /** With its prefix. */
  #textOf(handle: number, { value }: Forced): string {
    const datatype = this.#table.datatypeOf(handle);
    return formatPrefixed(datatype, unstored(datatype, value));
  }
}
