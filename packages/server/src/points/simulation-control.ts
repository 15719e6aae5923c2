// Starts and stops simulations: on disk first, one operation on a measurement at a time, retried where the disk refused.
import { type Clock, ProblemError, parsePrefixedAs, quality, stored, ValueError } from '@telltale/schema';
import type { Handles } from './handles.ts';
import { flag } from './measurement-layout.ts';
import type { MeasurementTable } from './measurement-table.ts';
import { PointPersistence } from './point-persistence.ts';
import type { Forced, SimulationStore, Simulations, StoredSimulation } from './simulations.ts';

export interface SimulationRequest {
  /** With its prefix. */
  readonly value: string;
  readonly quality: number | undefined;
  readonly validForS: number | undefined;
  readonly by: string;
  readonly reason?: string | undefined;
}

export interface SimulationControlOptions {
  readonly clock: Clock;
  readonly store: SimulationStore;
  readonly handles: Handles;
  readonly table: MeasurementTable;
  readonly simulations: Simulations;
  /** The measurement shows another value now. */
  readonly publish: (handle: number) => void;
}

export class SimulationControl {
  readonly #options: SimulationControlOptions;
  readonly #persistence: PointPersistence<StoredSimulation>;
  /** Simulations of before the start, by name, until their measurement is added. */
  readonly #restored = new Map<string, StoredSimulation>();

  constructor(options: SimulationControlOptions) {
    const { clock, store, handles, simulations } = options;
    this.#options = options;
    this.#persistence = new PointPersistence(
      { save: (simulation) => store.saveSimulation(simulation), delete: (name) => store.deleteSimulation(name) },
      clock,
      (name) => simulations.storedOf(handles.find(name)),
    );
  }

  /** Of how many the disk has refused the present simulation, or its end. */
  get unsaved(): number {
    return this.#persistence.unsaved;
  }

  restore(simulations: Iterable<StoredSimulation>): void {
    for (const simulation of simulations) this.#restored.set(simulation.name, simulation);
  }

  *stored(): Generator<StoredSimulation> {
    const { simulations } = this.#options;
    for (const handle of simulations.handles()) {
      const stored = simulations.storedOf(handle);
      if (stored !== undefined) yield stored;
    }
  }

  /** Another node of the site simulates it so, or not: nothing is stored. */
  storedElsewhere(name: string, stored: StoredSimulation | undefined): void {
    if (stored === undefined) this.#restored.delete(name);
    else this.#restored.set(name, stored);
    const handle = this.#options.handles.find(name);
    if (handle < 0) return;
    if (stored === undefined) this.#release(handle);
    else this.resume(handle, name);
  }

  /** Before the measurement is removed: the one that comes under the new name is simulated as it was. */
  inherit(from: string, to: string): void {
    const stored = this.#options.simulations.storedOf(this.#options.handles.find(from));
    if (stored === undefined) return;
    this.#restored.set(to, { ...stored, name: to });
    this.#persistence.save({ ...stored, name: to }).catch(() => undefined); // which is retried
  }

  deleteOrphans(): void {
    for (const name of this.#restored.keys()) this.#persistence.changed(name);
    this.#restored.clear();
  }

  /** One that would end behind the last time there is lasts until it is stopped. */
  simulate(name: string, given: SimulationRequest): Promise<void> {
    const { clock } = this.#options;
    const [sinceUs, sinceMs] = [clock.now(), clock.monotonicMs()];
    const isEndless = (given.validForS ?? 0) * 1_000_000 > Number.MAX_SAFE_INTEGER - sinceUs;
    const request = isEndless ? { ...given, validForS: undefined } : given;
    return this.#persistence.operate(name, () => this.#simulate(name, request, sinceUs, sinceMs));
  }

  stop(name: string): Promise<void> {
    return this.#persistence.operate(name, async () => {
      // What has ended may still be on disk, which refused to delete it.
      const isOn = (this.#options.table.flagsOf(this.#mustFind(name)) & flag.simulated) !== 0;
      if (!isOn && !this.#persistence.isUnsaved(name)) return;
      await this.#persistence.delete(name);
      const handle = this.#options.handles.find(name);
      if (handle >= 0) this.#release(handle);
    });
  }

  /** The measurement is another one now, or none: its simulation ends, on disk as well. */
  discard(handle: number): void {
    if (this.#end(handle)) this.#persistence.changed(this.#options.handles.nameOf(handle));
  }

  /** The measurement was added: its stored simulation, if there is one, goes on. */
  resume(handle: number, name: string): void {
    const saved = this.#restored.get(name);
    if (saved === undefined) return;
    this.#restored.delete(name);
    const { clock, table } = this.#options;
    const leftMs = saved.untilUs === undefined ? undefined : leftOf(saved.sinceUs, saved.untilUs, clock.now());
    const fits = saved.value.startsWith(table.datatypeOf(handle));
    if ((leftMs !== undefined && leftMs <= 0) || !fits) this.#persistence.changed(name);
    else this.#force(handle, this.#forcedBy(handle, saved), leftMs);
  }

  close(): void {
    this.#persistence.close();
    this.#options.simulations.close();
  }

  async #simulate(name: string, request: SimulationRequest, sinceUs: number, sinceMs: number): Promise<void> {
    const { value, quality: given = quality.good, validForS, by, reason } = request;
    const untilUs = validForS === undefined ? undefined : sinceUs + Math.round(validForS * 1_000_000);
    const status = given | quality.simulated;
    const saved: StoredSimulation = { name, value, quality: status, sinceUs, untilUs, by, reason };
    this.#forcedBy(this.#mustFind(name), saved);
    await this.#persistence.save(saved);
    let handle: number;
    let forced: Forced;
    try {
      handle = this.#mustFind(name);
      forced = this.#forcedBy(handle, saved);
    } catch (refusal) {
      // The measurement has gone or changed its datatype meanwhile, and its simulation with it.
      await this.#persistence.delete(name).catch(() => undefined);
      throw refusal;
    }
    const { clock } = this.#options;
    const leftMs = validForS === undefined ? undefined : validForS * 1000 - (clock.monotonicMs() - sinceMs);
    this.#force(handle, forced, leftMs);
  }

  #mustFind(name: string): number {
    const handle = this.#options.handles.find(name);
    if (handle >= 0) return handle;
    throw new ProblemError('unknown-object', `There is no measurement ${JSON.stringify(name.slice(0, 80))}.`);
  }

  #forcedBy(handle: number, saved: StoredSimulation): Forced {
    try {
      return { ...saved, value: stored(parsePrefixedAs(this.#options.table.datatypeOf(handle), saved.value)) };
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      throw new ProblemError('invalid-value', `${error.message}.`, [{ path: 'value', message: error.message }]);
    }
  }

  #force(handle: number, forced: Forced, leftMs: number | undefined): void {
    const { handles, simulations, table, publish } = this.#options;
    const name = handles.nameOf(handle);
    simulations.set(handle, forced, leftMs, () => {
      this.#persistence.changed(name); // it has expired there, too
      this.#release(handle);
    });
    table.setFlag(handle, flag.simulated, true);
    publish(handle);
  }

  /** The newest device value is back. */
  #release(handle: number): void {
    if (this.#end(handle)) this.#options.publish(handle);
  }

  #end(handle: number): boolean {
    const { simulations, table } = this.#options;
    if (!simulations.end(handle)) return false;
    table.setFlag(handle, flag.simulated, false);
    return true;
  }
}

/** How long a simulation of before the start goes on: by the time of day, yet never for longer than it was to last at all. */
function leftOf(sinceUs: number, untilUs: number, nowUs: number): number {
  return (untilUs - Math.max(sinceUs, nowUs)) / 1000;
}
