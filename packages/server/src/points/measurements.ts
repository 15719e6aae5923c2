// The live measurements: what is configured, what the devices say, what is forced, and who is notified of it.
// Readings come in batches; every change of a published value is handed on once, in order.
import {
  type Batch,
  type Clock,
  type Datatype,
  liveMeasurement,
  type Measurement,
  quality,
  type StoredValue,
  stored,
  unstored,
  type Value,
} from '@telltale/schema';
import { adoptStates } from './adopt-states.ts';
import type { ChainView } from './chain-view.ts';
import { LinkedPoints } from './linked-points.ts';
import type { LinkRole, Silence } from './links.ts';
import { MeasurementChain, type PastReading, type ReadingTrial } from './measurement-chain.ts';
import { flag } from './measurement-layout.ts';
import type { Changes, MeasurementReader } from './measurement-reader.ts';
import { chainSettings, MeasurementTable } from './measurement-table.ts';
import { NamedPoints, type PreparedPoint } from './named-points.ts';
import type { QualityCounts } from './quality-counts.ts';
import { SimulationControl, type SimulationRequest } from './simulation-control.ts';
import { type SimulationStore, Simulations, type StoredSimulation } from './simulations.ts';
import { sourceOf } from './source-of.ts';
import { TimedWriter, usualRoom } from './wire-format.ts';
import { WireSlots } from './wire-slots.ts';

export interface MeasurementsOptions {
  readonly clock: Clock;
  readonly store: SimulationStore;
}

/** A new measurement that is prepared and not visible yet. */
interface Coming {
  readonly handle: number;
  readonly point: Measurement;
  readonly isWatched: boolean;
}

export class Measurements extends NamedPoints<Measurement> implements MeasurementReader {
  readonly #clock: Clock;
  readonly #table = new MeasurementTable();
  readonly #chain: MeasurementChain;
  readonly #simulations: Simulations;
  readonly #forcing: SimulationControl;
  readonly #linked: LinkedPoints;
  readonly #listeners: ((changes: Changes) => void)[] = [];
  readonly #coming: Coming[] = [];
  readonly #writer = new TimedWriter();
  readonly wire = new WireSlots<Measurement>(
    liveMeasurement,
    (handle) => this.definitionOf(handle),
    (handle, bytes, at, room) => this.#writeVtq(handle, bytes, at, room),
  );

  constructor({ clock, store }: MeasurementsOptions) {
    super(clock);
    this.#clock = clock;
    this.#simulations = new Simulations(clock, this.handles, this.#table);
    this.#chain = new MeasurementChain(this.#table, (changes) => this.#notify(changes));
    this.#forcing = new SimulationControl({
      clock,
      store,
      handles: this.handles,
      table: this.#table,
      simulations: this.#simulations,
      publish: (handle) => this.#publishNow(handle),
    });
    this.#linked = new LinkedPoints({
      clock,
      handles: this.handles,
      table: this.#table,
      chain: this.#chain,
      published: this,
    });
  }

  get counts() {
    return { ...this.#chain.counts, unfit: this.#chain.unfit };
  }

  get simulated(): number {
    return this.#simulations.size;
  }

  /** Of how many the disk has refused the present simulation, or its end. */
  get unsaved(): number {
    return this.#forcing.unsaved;
  }

  /** The measurements that are simulated. */
  simulatedHandles(): Iterable<number> {
    return this.#simulations.handles();
  }

  /** Those whose quality may be another one than at the last call: for one reader. */
  takeQualityChanges(): Uint32Array {
    return this.#table.takeQualityChanges();
  }

  onChanges(listener: (changes: Changes) => void): void {
    this.#listeners.push(listener);
  }

  datatypeOf(handle: number): Datatype {
    return this.#table.datatypeOf(handle);
  }

  numberOf(handle: number): number {
    return this.#isSimulated(handle) ? (this.#simulations.get(handle).value as number) : this.#table.numberOf(handle);
  }

  longOf(handle: number): bigint {
    return this.valueOf(handle) as bigint;
  }

  textOf(handle: number): string {
    return this.valueOf(handle) as string;
  }

  override valueOf(handle: number): StoredValue {
    return this.#isSimulated(handle) ? this.#simulations.get(handle).value : this.#table.valueOf(handle);
  }

  qualityOf(handle: number): number {
    return this.#isSimulated(handle) ? this.#simulations.get(handle).quality : this.#table.qualityOf(handle);
  }

  timeOf(handle: number): number {
    return this.#isSimulated(handle) ? this.#simulations.get(handle).sinceUs : this.#table.timeOf(handle);
  }

  /** A connector or provider is configured, or configured otherwise. Before the measurements that it brings. */
  putLink(role: LinkRole, name: string, watchdog: string | undefined, isDisabled = false): void {
    this.#linked.put(role, name, watchdog, isDisabled);
  }

  removeLink(role: LinkRole, name: string): void {
    this.#linked.remove(role, name);
  }

  /** The link of a connector or provider came up or went down. */
  setLink(role: LinkRole, name: string, isUp: boolean, timeUs: number): void {
    this.#linked.set(role, name, isUp, timeUs);
  }

  /** It is taken out of service, or back into it; before its link ends or begins. */
  setDisabled(role: LinkRole, name: string, isDisabled: boolean, timeUs: number): void {
    this.#linked.setDisabled(role, name, isDisabled, timeUs);
  }

  /** Its thread stopped answering though the link was not lost, or answers again. */
  setSilent(role: LinkRole, name: string, silence: Silence | undefined, timeUs: number): void {
    this.#linked.setSilent(role, name, silence, timeUs);
  }

  /** Why a command must not be written though the link is up: its watchdog reports that the device is not there. */
  refusalOf(connector: string): string | undefined {
    return this.#linked.refusalOf(connector);
  }

  /** How the measurement came to be what it is. */
  chainOf(handle: number): ChainView {
    const table = this.#table;
    return {
      datatype: table.datatypeOf(handle),
      rawDatatype: table.rawDatatypeOf(handle),
      ...this.#linked.viewOf(handle),
      scaling: table.scalingOf(handle),
      isDeduplicated: (table.flagsOf(handle) & flag.deduplicated) !== 0,
      deadband: table.deadbandOf(handle),
      device: { value: table.valueOf(handle), quality: table.qualityOf(handle), timeUs: table.timeOf(handle) },
      simulation: this.#isSimulated(handle) ? this.#simulations.describe(handle) : undefined,
    };
  }

  /** What the chain would make of a good reading of this raw value now. */
  trial(handle: number, raw: Value): ReadingTrial {
    return this.#chain.trial(handle, stored(raw));
  }

  /** By connector, its measurements by what the device makes of them: a simulation changes nothing here. */
  countQualities(): ReadonlyMap<string, QualityCounts> {
    return this.#linked.countQualities();
  }

  readings(connector: string, batch: Batch): void {
    this.#linked.readings(connector, batch);
  }

  /** As another server has published them, or that it is not there; without a value, the last one stays. */
  adopt(batch: Batch): void {
    adoptStates(this.#table, this.#chain, batch, this.#clock.now());
    this.#linked.settle();
  }

  /** What readings of the past come to; those of other connectors, and of simulated points, are left out. Nothing changes. */
  *pastReadings(connector: string, batch: Batch): Generator<PastReading> {
    const number = this.#linked.connectorNumber(connector);
    for (let at = 0; at < batch.count; at++) {
      const reading = this.#chain.pastOf(batch, at, number);
      if (reading !== undefined) yield reading;
    }
  }

  /** Then `showNew`, and `settle` when all is taken over; or `discardNew`. */
  prepare(point: Measurement): PreparedPoint {
    const { name, datatype, connectorName } = point;
    const isNew = this.find(name) < 0;
    const handle = this.handles.reserve(name);
    const settings = chainSettings(point);
    const { isWatched } = settings;
    if (isNew) {
      this.#table.define(handle, settings);
      this.#table.reset(handle);
      this.wire.prepare(handle, usualRoom(datatype));
      this.#coming.push({ handle, point, isWatched });
      return { handle };
    }
    const before = this.definitionOf(handle);
    const isOther = before.datatype !== datatype;
    const isElsewhere = isOther || sourceOf(point) !== sourceOf(before);
    const endsSimulation = isOther || before.connectorName !== connectorName;
    const takeOver = () => {
      if (isElsewhere) this.#linked.forgetPoint(handle);
      this.define(handle, point);
      this.#table.define(handle, settings);
      this.#table.connect(handle, this.#linked.connectorNumber(connectorOf(point)), isWatched);
      this.wire.put(handle, usualRoom(datatype));
      if (endsSimulation) this.#forcing.discard(handle);
      if (isOther) this.#table.reset(handle);
      if (isElsewhere) {
        this.#markUnread(handle, isOther);
        this.#chain.publish(handle);
      }
      this.#linked.pointPut(handle, name);
      this.notifyPut(handle);
    };
    return { handle, takeOver };
  }

  /** Makes the prepared measurements visible; their links are defined before. */
  showNew(): void {
    for (const { handle, point, isWatched } of this.#coming.splice(0)) {
      const { name } = point;
      this.handles.show(handle, name);
      this.define(handle, point);
      this.#table.connect(handle, this.#linked.connectorNumber(connectorOf(point)), isWatched);
      this.wire.show(handle);
      this.#markUnread(handle, true);
      this.#chain.publish(handle);
      this.#linked.pointPut(handle, name);
      this.#forcing.resume(handle, name);
      this.notifyPut(handle);
    }
  }

  discardNew(): void {
    for (const { handle, point } of this.#coming.splice(0)) {
      this.wire.remove(handle);
      this.#table.remove(handle);
      this.handles.release(handle, point.name);
    }
  }

  /** After what was prepared is taken over: listeners are notified. */
  settle(): void {
    this.#linked.settle();
  }

  put(point: Measurement): void {
    this.prepare(point).takeOver?.();
    this.showNew();
    this.settle();
  }

  remove(name: string): void {
    const handle = this.find(name);
    if (handle < 0) return;
    this.#forcing.discard(handle);
    this.#linked.forgetPoint(handle);
    this.#linked.pointRemoved(handle);
    this.#table.setQuality(handle, quality.bad.configurationError);
    this.#table.setTime(handle, this.#clock.now());
    this.wire.touch(handle);
    this.notifyRemoval(handle);
    this.wire.remove(handle);
    this.#table.remove(handle);
    this.definitions[handle] = undefined;
    this.handles.release(handle, name);
    this.#linked.settle();
  }

  /** Simulations of before the start; each goes on when its measurement comes. */
  restore(simulations: Iterable<StoredSimulation>): void {
    this.#forcing.restore(simulations);
  }

  storedSimulations(): Iterable<StoredSimulation> {
    return this.#forcing.stored();
  }

  /** Another node of the site simulates it so, or not: nothing is stored. */
  storedElsewhere(name: string, stored: StoredSimulation | undefined): void {
    this.#forcing.storedElsewhere(name, stored);
  }

  /** Before it is removed: the one that comes under the new name is simulated as it was. */
  inherit(from: string, to: string): void {
    this.#forcing.inherit(from, to);
  }

  /** After the first rendering runs: stored simulations of measurements that it does not have are deleted. */
  deleteOrphans(): void {
    this.#forcing.deleteOrphans();
  }

  /** Forces a value: on disk first, then published as given. Refused, it leaves nothing on disk. */
  simulate(name: string, request: SimulationRequest): Promise<void> {
    return this.#forcing.simulate(name, request);
  }

  stopSimulation(name: string): Promise<void> {
    return this.#forcing.stop(name);
  }

  simulations() {
    return this.#simulations.list();
  }

  close(): void {
    this.#forcing.close();
  }

  /** One that starts over has no time, unless its connector is out of service. */
  #markUnread(handle: number, startsOver: boolean): void {
    const status = this.#linked.unreadQualityOf(handle);
    this.#table.setQuality(handle, status);
    if (startsOver && status === quality.bad.notConnected) return;
    this.#table.setTime(handle, this.#clock.now());
  }

  #isSimulated(handle: number): boolean {
    return (this.#table.flagsOf(handle) & flag.simulated) !== 0;
  }

  #publishNow(handle: number): void {
    this.#chain.publish(handle);
    this.#linked.settle();
  }

  /** Before the listeners, the bytes are marked stale; after them, watchdogs take effect. */
  #notify(changes: Changes): void {
    this.wire.touchAll(changes);
    for (const listener of this.#listeners) listener(changes);
    this.#linked.noteChanges(changes);
  }

  #writeVtq(handle: number, bytes: Buffer, start: number, room: number): number {
    const table = this.#table;
    const datatype = table.datatypeOf(handle);
    const {
      value,
      sinceUs,
      quality: status,
    } = this.#isSimulated(handle)
      ? this.#simulations.get(handle)
      : { value: table.valueOf(handle), sinceUs: table.timeOf(handle), quality: table.qualityOf(handle) };
    return this.#writer.write(bytes, start, room, datatype, unstored(datatype, value), sinceUs, status);
  }
}

/** The connector that reads it; undefined where none does. */
function connectorOf({ address, connectorName }: Measurement): string | undefined {
  return address === undefined ? undefined : connectorName;
}
