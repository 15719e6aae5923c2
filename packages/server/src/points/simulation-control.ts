// Forces values and lets them go: on disk first, one operation on a measurement at a time, and on disk again where it refused.
import { type Clock, ProblemError, parsePrefixedAs, quality, stored, ValueError } from '@telltale/schema';
import type { Handles } from './handles.ts';
import { flag } from './measurement-chain.ts';
import type { MeasurementTable } from './measurement-table.ts';
import { PointKeeping } from './point-keeping.ts';
import type { Forced, KeptSimulation, SimulationKeeper, Simulations } from './simulations.ts';

export interface SimulationRequest {
  /** With its prefix. */
  readonly value: string;
  readonly quality: number | undefined;
  readonly validForS: number | undefined;
  readonly by: string;
}

export interface SimulationControlOptions {
  readonly clock: Clock;
  readonly keeper: SimulationKeeper;
  readonly handles: Handles;
  readonly table: MeasurementTable;
  readonly simulations: Simulations;
  /** The measurement shows another value now. */
  readonly publish: (handle: number) => void;
}

export class SimulationControl {
  readonly #options: SimulationControlOptions;
  readonly #keeping: PointKeeping<KeptSimulation>;
  /** Simulations of before the start, by name, until their measurement comes. */
  readonly #kept = new Map<string, KeptSimulation>();

  constructor(options: SimulationControlOptions) {
    const { clock, keeper, handles, simulations } = options;
    this.#options = options;
    this.#keeping = new PointKeeping(
      { keep: (simulation) => keeper.keepSimulation(simulation), forget: (name) => keeper.forgetSimulation(name) },
      clock,
      (name) => simulations.keptOf(handles.find(name)),
    );
  }

  /** Of how many the disk has refused the present simulation, or its end. */
  get unkept(): number {
    return this.#keeping.unkept;
  }

  restore(simulations: Iterable<KeptSimulation>): void {
    for (const simulation of simulations) this.#kept.set(simulation.name, simulation);
  }

  forgetStrangers(): void {
    for (const name of this.#kept.keys()) this.#keeping.changed(name);
    this.#kept.clear();
  }

  simulate(name: string, request: SimulationRequest): Promise<void> {
    const { clock } = this.#options;
    const [sinceUs, sinceMs] = [clock.now(), clock.monotonicMs()];
    return this.#keeping.operate(name, () => this.#simulate(name, request, sinceUs, sinceMs));
  }

  stop(name: string): Promise<void> {
    return this.#keeping.operate(name, async () => {
      // What has ended may still be on disk, which refused to forget it.
      const isOn = (this.#options.table.flagsOf(this.#mustFind(name)) & flag.simulated) !== 0;
      if (!isOn && !this.#keeping.isUnkept(name)) return;
      await this.#keeping.forget(name);
      const handle = this.#options.handles.find(name);
      if (handle >= 0) this.#release(handle);
    });
  }

  /** The measurement is another one now, or none: on disk as well. */
  drop(handle: number): void {
    if (this.#end(handle)) this.#keeping.changed(this.#options.handles.nameOf(handle));
  }

  /** The measurement has come: what was kept of it goes on. */
  resume(handle: number, name: string): void {
    const kept = this.#kept.get(name);
    if (kept === undefined) return;
    this.#kept.delete(name);
    const { clock, table } = this.#options;
    const leftMs = kept.untilUs === undefined ? undefined : leftOf(kept.sinceUs, kept.untilUs, clock.now());
    const fits = kept.value.startsWith(table.datatypeOf(handle));
    if ((leftMs !== undefined && leftMs <= 0) || !fits) this.#keeping.changed(name);
    else this.#force(handle, this.#forcedBy(handle, kept), leftMs);
  }

  close(): void {
    this.#keeping.close();
    this.#options.simulations.close();
  }

  async #simulate(name: string, request: SimulationRequest, sinceUs: number, sinceMs: number): Promise<void> {
    const { value, quality: given = quality.good, validForS, by } = request;
    const untilUs = validForS === undefined ? undefined : sinceUs + Math.round(validForS * 1_000_000);
    const kept: KeptSimulation = { name, value, quality: given | quality.simulated, sinceUs, untilUs, by };
    this.#forcedBy(this.#mustFind(name), kept);
    await this.#keeping.keep(kept);
    let handle: number;
    let forced: Forced;
    try {
      handle = this.#mustFind(name);
      forced = this.#forcedBy(handle, kept);
    } catch (refusal) {
      // The measurement has gone or changed its datatype meanwhile, and its simulation with it.
      await this.#keeping.forget(name).catch(() => undefined);
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

  #forcedBy(handle: number, kept: KeptSimulation): Forced {
    try {
      return { ...kept, value: stored(parsePrefixedAs(this.#options.table.datatypeOf(handle), kept.value)) };
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      throw new ProblemError('invalid-value', `${error.message}.`, [{ path: 'value', message: error.message }]);
    }
  }

  #force(handle: number, forced: Forced, leftMs: number | undefined): void {
    const { handles, simulations, table, publish } = this.#options;
    const name = handles.nameOf(handle);
    simulations.set(handle, forced, leftMs, () => {
      this.#keeping.changed(name); // its time is over there, too
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
