// The live measurements: what is configured, what the devices say, what is forced, and what is told to whoever listens.
// Readings come in batches; every change of a published value is handed on once, in order.
import {
  type Batch,
  type Clock,
  type Datatype,
  formatText,
  type Measurement,
  ProblemError,
  parsePrefixedAs,
  quality,
  ValueError,
} from '@telltale/schema';
import { type StoredValue, stored, unstored } from './convert.ts';
import { Handles } from './handles.ts';
import { HeldReadings } from './held-readings.ts';
import { isContent, type Link, type LinkRole, Links } from './links.ts';
import { MeasurementChain } from './measurement-chain.ts';
import type { Changes, MeasurementReader } from './measurement-reader.ts';
import { code, flag, MeasurementTable } from './measurement-table.ts';
import { slotText } from './point-text.ts';
import { type Forced, type KeptSimulation, type SimulationKeeper, Simulations } from './simulations.ts';
import { bytesAround, usualRoom, writeAscii, writeClosing, writeOpening } from './wire-format.ts';
import { WireSlots } from './wire-slots.ts';

export interface MeasurementsOptions {
  readonly clock: Clock;
  readonly keeper: SimulationKeeper;
}

export interface SimulationRequest {
  /** With its prefix. */
  readonly value: string;
  readonly quality: number | undefined;
  readonly validForS: number | undefined;
  readonly by: string;
}

/** By code: what a value on the wire begins with. */
const letters = Array.from('bqilfds', (letter) => letter.charCodeAt(0));

export class Measurements implements MeasurementReader {
  readonly #clock: Clock;
  readonly #keeper: SimulationKeeper;
  readonly #handles: Handles;
  readonly #table = new MeasurementTable();
  readonly #chain: MeasurementChain;
  readonly #simulations: Simulations;
  readonly #links = new Links();
  readonly #listeners: ((changes: Changes) => void)[] = [];
  readonly #removalListeners: ((handle: number) => void)[] = [];
  /** Simulations of before the start, by name, until their measurement comes. */
  readonly #kept = new Map<string, KeptSimulation>();
  /** Watchdogs that the device drives, by handle. */
  readonly #watchdogs = new Map<number, Link>();
  readonly #troubled = new Set<Link>();
  /** The wire bytes of all of them. */
  readonly wire = new WireSlots('vtq', (handle, bytes, at, room) => this.#writeVtq(handle, bytes, at, room));

  constructor({ clock, keeper }: MeasurementsOptions) {
    this.#clock = clock;
    this.#keeper = keeper;
    this.#handles = new Handles(clock);
    this.#simulations = new Simulations(clock, this.#handles, this.#table);
    this.#chain = new MeasurementChain(this.#table, (changes) => this.#tell(changes));
  }

  get size(): number {
    return this.#handles.size;
  }

  /** What became of the readings so far. */
  get counts() {
    return { ...this.#chain.counts, unfit: this.#chain.unfit };
  }

  get simulated(): number {
    return this.#simulations.size;
  }

  onChanges(listener: (changes: Changes) => void): void {
    this.#listeners.push(listener);
  }

  /** Called while the measurement can still be read, for the last time: bad, configuration error. */
  onRemoval(listener: (handle: number) => void): void {
    this.#removalListeners.push(listener);
  }

  find(name: string): number {
    return this.#handles.find(name);
  }

  nameOf(handle: number): string {
    return this.#handles.nameOf(handle);
  }

  all(): Iterable<number> {
    return this.#handles.all();
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

  valueOf(handle: number): StoredValue {
    return this.#isSimulated(handle) ? this.#simulations.get(handle).value : this.#table.valueOf(handle);
  }

  qualityOf(handle: number): number {
    return this.#isSimulated(handle) ? this.#simulations.get(handle).quality : this.#table.qualityOf(handle);
  }

  timeOf(handle: number): number {
    return this.#isSimulated(handle) ? this.#simulations.get(handle).sinceUs : this.#table.timeOf(handle);
  }

  /** A connector or provider is configured, or configured otherwise. Before the measurements that it brings. */
  putLink(role: LinkRole, name: string, watchdog: string | undefined): void {
    this.#forgetWatchdog(this.#links.find(role, name), watchdog);
    const link = this.#links.define(role, name, watchdog, this.#clock.now());
    this.#assignWatchdog(link);
    this.#driveWatchdog(link);
    this.#troubled.add(link);
    this.#chain.flush();
    this.#settle();
  }

  removeLink(role: LinkRole, name: string): void {
    this.#forgetWatchdog(this.#links.find(role, name), undefined);
    this.#links.remove(role, name);
    this.#chain.flush();
  }

  /** The measurement is configured, or configured otherwise than `before`. */
  put(point: Measurement, before?: Measurement): void {
    const isNew = this.find(point.name) < 0;
    const handle = this.#handles.give(point.name);
    const earlier = isNew ? undefined : this.#links.numbered(this.#table.connectorOf(handle) as number);
    const link = point.connectorName === undefined ? undefined : this.#links.find('connector', point.connectorName);
    this.#table.define(handle, point, point.address === undefined ? 0 : (link?.number ?? 0));
    this.wire.put(handle, slotText(point), usualRoom[point.datatype]);
    const isOther = isNew || before?.datatype !== point.datatype;
    const isElsewhere = isOther || sourceOf(point) !== sourceOf(before);
    if (isOther || before?.connectorName !== point.connectorName) this.#dropSimulation(handle);
    if (isElsewhere) earlier?.held?.forget(handle);
    if (isOther) this.#table.reset(handle);
    else if (isElsewhere) {
      this.#table.setQuality(handle, quality.bad.notConnected);
      this.#table.setTime(handle, this.#clock.now());
    }
    if (isElsewhere) this.#chain.publish(handle);
    const watched = this.#links.watchedBy(point.name);
    if (watched !== undefined) {
      this.#watchdogs.delete(handle);
      this.#assignWatchdog(watched);
      this.#driveWatchdog(watched);
      this.#troubled.add(watched);
    }
    this.#resumeSimulation(handle);
    this.#chain.flush();
    this.#settle();
  }

  remove(name: string): void {
    const handle = this.find(name);
    if (handle < 0) return;
    this.#dropSimulation(handle);
    this.#links.numbered(this.#table.connectorOf(handle) as number)?.held?.forget(handle);
    const watched = this.#watchdogs.get(handle);
    this.#watchdogs.delete(handle);
    this.#table.setQuality(handle, quality.bad.configurationError);
    this.#table.setTime(handle, this.#clock.now());
    this.wire.touch(handle);
    for (const listener of this.#removalListeners) listener(handle);
    this.wire.remove(handle);
    this.#table.remove(handle);
    this.#handles.takeBack(handle);
    if (watched === undefined) return;
    this.#troubled.add(watched);
    this.#settle();
  }

  /** What a connector has read. */
  readings(connector: string, batch: Batch): void {
    const link = this.#links.find('connector', connector);
    if (link === undefined) {
      this.#chain.counts.foreign += batch.count;
      return;
    }
    const nowUs = this.#clock.now();
    const watchdog = link.watchdog === undefined ? -1 : this.find(link.watchdog);
    const passing = link.held === undefined ? batch : link.held.hold(batch, link.number, watchdog);
    this.#chain.apply(passing, link.number, nowUs);
    this.#settle();
  }

  /** The link of a connector or provider came up or went down. */
  setLink(role: LinkRole, name: string, isUp: boolean, timeUs: number): void {
    const link = this.#links.find(role, name);
    if (link === undefined) return;
    const wasUp = link.isUp;
    link.isUp = isUp;
    link.sinceUs = timeUs;
    if (!isUp && wasUp && role === 'connector') {
      link.held?.forgetAll();
      this.#markLost(link, timeUs, -1);
    }
    this.#driveWatchdog(link);
    this.#chain.flush();
    this.#settle();
  }

  /** Why a command must not be written though the link is up: its watchdog says that the device is not there. */
  refusalOf(connector: string): string | undefined {
    const link = this.#links.find('connector', connector);
    return link?.held === undefined ? undefined : `its watchdog ${link.watchdog} says that the device is not there`;
  }

  /** Simulations of before the start; each goes on when its measurement comes. */
  restore(simulations: Iterable<KeptSimulation>): void {
    for (const simulation of simulations) this.#kept.set(simulation.name, simulation);
  }

  /** After the first rendering runs: what was kept of measurements that it does not have is forgotten on disk. */
  forgetStrangers(): void {
    for (const name of this.#kept.keys()) this.#keeper.forgetSimulation(name).catch(() => undefined);
    this.#kept.clear();
  }

  /** Forces a value: on disk first, then published as given. */
  async simulate(name: string, { value, quality: given = quality.good, validForS, by }: SimulationRequest) {
    const sinceUs = this.#clock.now();
    const untilUs = validForS === undefined ? undefined : sinceUs + Math.round(validForS * 1_000_000);
    const kept: KeptSimulation = { name, value, quality: given | quality.simulated, sinceUs, untilUs, by };
    this.#forcedBy(this.#mustFind(name), kept);
    await this.#keeper.keepSimulation(kept);
    const handle = this.find(name);
    if (handle < 0) {
      await this.#keeper.forgetSimulation(name);
      throw unknownMeasurement(name);
    }
    this.#force(handle, this.#forcedBy(handle, kept));
  }

  async stopSimulation(name: string): Promise<void> {
    if (!this.#isSimulated(this.#mustFind(name))) return;
    await this.#keeper.forgetSimulation(name);
    const handle = this.find(name);
    if (handle >= 0) this.#release(handle);
  }

  simulations() {
    return this.#simulations.list();
  }

  close(): void {
    this.#simulations.close();
  }

  #mustFind(name: string): number {
    const handle = this.find(name);
    if (handle < 0) throw unknownMeasurement(name);
    return handle;
  }

  #isSimulated(handle: number): boolean {
    return (this.#table.flagsOf(handle) & flag.simulated) !== 0;
  }

  #forcedBy(handle: number, kept: KeptSimulation): Forced {
    try {
      return { ...kept, value: stored(parsePrefixedAs(this.#table.datatypeOf(handle), kept.value)) };
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      throw new ProblemError('invalid-value', `${error.message}.`, [{ path: 'value', message: error.message }]);
    }
  }

  #force(handle: number, forced: Forced): void {
    const name = this.nameOf(handle);
    this.#simulations.set(handle, forced, () => {
      this.#keeper.forgetSimulation(name).catch(() => undefined); // its time is over on disk, too
      this.#release(handle);
    });
    this.#table.setFlag(handle, flag.simulated, true);
    this.#publishNow(handle);
  }

  /** The newest device value is back. */
  #release(handle: number): void {
    if (this.#endSimulation(handle)) this.#publishNow(handle);
  }

  #endSimulation(handle: number): boolean {
    if (!this.#simulations.end(handle)) return false;
    this.#table.setFlag(handle, flag.simulated, false);
    return true;
  }

  /** The measurement is another one now, or none: on disk as well. */
  #dropSimulation(handle: number): void {
    if (this.#endSimulation(handle)) this.#keeper.forgetSimulation(this.nameOf(handle)).catch(() => undefined);
  }

  #resumeSimulation(handle: number): void {
    const kept = this.#kept.get(this.nameOf(handle));
    if (kept === undefined) return;
    this.#kept.delete(kept.name);
    const isOver = kept.untilUs !== undefined && kept.untilUs <= this.#clock.now();
    const fits = kept.value.startsWith(this.#table.datatypeOf(handle));
    if (isOver || !fits) this.#keeper.forgetSimulation(kept.name).catch(() => undefined);
    else this.#force(handle, this.#forcedBy(handle, kept));
  }

  #publishNow(handle: number): void {
    this.#chain.publish(handle);
    this.#chain.flush();
    this.#settle();
  }

  /** Before anybody hears of it, the bytes are marked; after everybody did, watchdogs take effect. */
  #tell(changes: Changes): void {
    const { handles, count } = changes;
    this.wire.touchAll(changes);
    for (const listener of this.#listeners) listener(changes);
    if (this.#watchdogs.size === 0) return;
    for (let at = 0; at < count; at++) {
      const link = this.#watchdogs.get(handles[at] as number);
      if (link !== undefined) this.#troubled.add(link);
    }
  }

  /** Looks at the watchdogs that changed, until none is left. */
  #settle(): void {
    for (const link of this.#troubled) {
      this.#troubled.delete(link);
      const watchdog = link.watchdog === undefined ? -1 : this.find(link.watchdog);
      const isDriven = watchdog >= 0 && this.#watchdogs.get(watchdog) === link;
      const isGood = !isDriven || isContent(this.numberOf(watchdog), this.qualityOf(watchdog));
      if (isGood && link.held !== undefined) this.#believe(link, link.held);
      else if (!isGood && link.held === undefined && link.role === 'connector') {
        link.held = new HeldReadings(this.#table, this.#linkedTo(link, watchdog), this.#chain.counts);
        this.#markLost(link, this.timeOf(watchdog), watchdog);
      }
      this.#chain.flush();
    }
  }

  #believe(link: Link, held: HeldReadings): void {
    link.held = undefined;
    for (const { handle, quality: before, timeUs } of held.unread()) {
      if (this.#table.qualityOf(handle) === before && this.#table.timeOf(handle) === timeUs) continue;
      this.#table.setQuality(handle, before);
      this.#table.setTime(handle, timeUs);
      this.#publishDevice(handle);
    }
    this.#chain.apply(held.readings(), link.number, this.#clock.now());
  }

  *#linkedTo(link: Link, except: number): Generator<number> {
    for (const handle of this.#handles.all()) {
      if (handle === except || this.#table.connectorOf(handle) !== link.number) continue;
      if ((this.#table.flagsOf(handle) & flag.linked) !== 0) yield handle;
    }
  }

  /** Every measurement of the connector turns bad, in one batch; the values stay. */
  #markLost(link: Link, timeUs: number, except: number): void {
    for (const handle of this.#linkedTo(link, except)) {
      if (this.#table.qualityOf(handle) === quality.bad.communicationFailure) continue;
      this.#table.setQuality(handle, quality.bad.communicationFailure);
      this.#table.setTime(handle, timeUs);
      this.#publishDevice(handle);
    }
  }

  /** A watchdog with an address: the device drives it. */
  #assignWatchdog(link: Link): void {
    const handle = link.watchdog === undefined ? -1 : this.find(link.watchdog);
    if (handle >= 0 && this.#table.connectorOf(handle) !== 0) this.#watchdogs.set(handle, link);
  }

  /** The link has another one from now on. Where the service drove it, nobody does: it says so. */
  #forgetWatchdog(link: Link | undefined, next: string | undefined): void {
    if (link?.watchdog === undefined || this.#links.watchedBy(link.watchdog) !== link) return;
    const handle = this.find(link.watchdog);
    if (handle < 0 || this.#watchdogs.delete(handle) || link.watchdog === next) return;
    this.#table.setQuality(handle, quality.bad.notConnected);
    this.#table.setTime(handle, this.#clock.now());
    this.#publishDevice(handle);
  }

  /** Where the watchdog measurement has no address, the service says whether the link is up. */
  #driveWatchdog(link: Link): void {
    const handle = link.watchdog === undefined ? -1 : this.find(link.watchdog);
    if (handle < 0 || this.#watchdogs.has(handle) || this.#links.watchedBy(this.nameOf(handle)) !== link) return;
    const value = Number(link.isUp ?? false);
    const status = link.isUp === undefined ? quality.bad.notConnected : quality.good;
    if (this.#table.numberOf(handle) === value && this.#table.qualityOf(handle) === status) return;
    this.#table.setValue(handle, value);
    this.#table.setQuality(handle, status);
    this.#table.setTime(handle, link.sinceUs);
    this.#publishDevice(handle);
  }

  #publishDevice(handle: number): void {
    if (!this.#isSimulated(handle)) this.#chain.publish(handle);
  }

  #writeVtq(handle: number, bytes: Buffer, start: number, room: number): number {
    const type = this.#table.types[handle] as number;
    if (type === code.s) return this.#writeText(handle, bytes, start, room);
    const text = formatText(
      this.#table.datatypeOf(handle),
      unstored(this.#table.datatypeOf(handle), this.valueOf(handle)),
    );
    const need = 1 + text.length + bytesAround(this.timeOf(handle));
    if (need > room) return -need;
    const at = writeAscii(bytes, writeOpening(bytes, start, letters[type] as number), text);
    return writeClosing(bytes, at, this.timeOf(handle), this.qualityOf(handle));
  }

  #writeText(handle: number, bytes: Buffer, start: number, room: number): number {
    const text = JSON.stringify(`s${this.textOf(handle)}`);
    const need = Buffer.byteLength(text) + bytesAround(this.timeOf(handle));
    if (need > room) return -need;
    bytes[start] = 0x5b;
    const at = start + 1 + bytes.write(text, start + 1);
    return writeClosing(bytes, at - 1, this.timeOf(handle), this.qualityOf(handle));
  }
}

/** Everything of a measurement that its value depends on. */
function sourceOf(point: Measurement | undefined): string {
  if (point === undefined) return '';
  const { connectorName, address, rawDatatype, rawRangeLo, rawRangeHi, euRangeLo, euRangeHi, properties } = point;
  const mask = (point.stackUmask ?? 0) & 3;
  return JSON.stringify([
    connectorName,
    address,
    rawDatatype,
    rawRangeLo,
    rawRangeHi,
    euRangeLo,
    euRangeHi,
    mask,
    properties,
  ]);
}

function unknownMeasurement(name: string): ProblemError {
  return new ProblemError('unknown-object', `There is no measurement ${JSON.stringify(name.slice(0, 80))}.`);
}
