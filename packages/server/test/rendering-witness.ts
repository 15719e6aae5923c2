// Sees what becomes of renderings wherever it can be seen: in reads, by listeners and watches, at the archive, at the
// panels of the providers and at the devices; and holds all of it against the model.
import { formatPrefixed, isBad, quality, systemClock, unstored, type Value } from '@telltale/schema';
import type { ChannelClient } from '../src/api/channel/channel-client.ts';
import { MeasurementWatches } from '../src/api/channel/measurement-watches.ts';
import { Slices } from '../src/runtime/index.ts';
import type { LineDevice } from './line-device.ts';
import { PanelWitness } from './panel-witness.ts';
import { RenderingModel, rounded, type Seen } from './rendering-model.ts';
import { liveIn, markOf, names, type Plant } from './rendering-plant.ts';
import type { RuntimeBench } from './runtime-bench.ts';

export class RenderingWitness {
  readonly model: RenderingModel;
  readonly panels: readonly PanelWitness[];
  /** Gathered, since who is told of something must not throw. */
  readonly faults: string[] = [];
  /** By name of the object, every state that was reported, and `gone`. */
  readonly reported = new Map<string, string[]>();
  readonly #bench: RuntimeBench;
  readonly #devices: readonly LineDevice[];
  readonly #watches: MeasurementWatches;
  readonly #watched = new Map<string, string[]>();
  /** Names and times of records, up to where they were looked at, and the rendering that ran then. */
  readonly #records = new Set<string>();
  #recordsRead = 0;
  #recordsVersion = 0;
  /** The rendering that ran when all had settled the last time. */
  #settled = 0;

  constructor(bench: RuntimeBench, devices: readonly LineDevice[]) {
    const { measurements, commands, alarms } = bench;
    this.#bench = bench;
    this.#devices = devices;
    this.model = new RenderingModel((name) => measurements.find(name) >= 0);
    this.panels = [0, 1].map(
      (at) => new PanelWitness(at, this.model, this.reported, (fault) => this.faults.push(fault)),
    );
    measurements.onChanges(({ handles, count }) => {
      for (let at = 0; at < count; at++) this.#onMeasurement(handles[at] as number);
    });
    measurements.onRemoval((handle) => this.#report(measurements.nameOf(handle), 'gone'));
    commands.onChange((handle) => this.#onCommand(handle));
    commands.onRemoval((handle) => this.#report(commands.nameOf(handle), 'gone'));
    alarms.onChange((handle, isRemoved) => this.#onAlarm(handle, isRemoved));
    this.#watches = new MeasurementWatches(measurements, systemClock, new Slices());
    this.#watches.watchAll(watcher((message) => this.#onWatched(message)));
  }

  /** Everything that can be read at this moment. */
  look(): void {
    const version = this.#version();
    const plant = this.model.plants[version] as Plant;
    for (const name of names) {
      this.#lookAtMeasurement(plant, version, name);
      this.#lookAtAlarm(plant, version, name);
      const command = this.#commandOf(name);
      if ((command !== undefined) !== (liveIn(plant, name)?.hasCommand === true))
        this.faults.push(`${name}_set: ${command}`);
      if (command !== undefined) this.#note(this.model.commandFault(name, command, [version]));
    }
    for (const [at, connector] of plant.connectors.entries()) {
      const isIdle = connector?.watchdog === 'idle';
      if (isIdle && !isBad(this.#bench.qualityOf(`w${at}`))) this.faults.push(`w${at} is nobody's and good`);
    }
    this.#readRecords(version);
    this.check();
  }

  /** Throws what was found. */
  check(): void {
    const [first] = this.faults;
    if (first !== undefined) throw new Error(`in rendering ${this.model.version}: ${first}`);
  }

  /** What is not yet as it has to be in the end, when nothing more is asked; undefined: nothing. */
  unsettled(): string | undefined {
    const version = this.#version();
    const plant = this.model.plants[version] as Plant;
    const { disk, measurements, commands } = this.#bench;
    for (const name of names) {
      if (liveIn(plant, name) === undefined) continue;
      const { quality: status } = this.#seen(name);
      if ((status & ~quality.simulated) !== quality.good) return `${name} has quality ${status}`;
    }
    for (const [at, connector] of plant.connectors.entries()) {
      const isDriven = connector?.watchdog === 'service' || connector?.watchdog === 'device';
      if (isDriven && !this.#bench.isGood(`w${at}`, true)) return `w${at} is ${this.#bench.valueOf(`w${at}`)}`;
    }
    const simulated = measurements.simulations().map(({ name, value }) => `${name} ${value}`);
    const onDisk = Array.from(disk.simulations.values(), ({ name, value }) => `${name} ${value}`).sort();
    if (simulated.join() !== onDisk.join()) return `${simulated} are simulated, on disk ${onDisk}`;
    for (const { name, value } of disk.commands.values()) {
      const shown = commands.find(name) < 0 ? 'none' : this.#commandOf(name.slice(0, 2));
      if (shown !== value) return `${name} is ${shown}, on disk ${value}`;
    }
    for (const panel of this.panels) {
      const unsettled = panel.unsettled(plant, version, (alarm) => this.#alarmState(alarm));
      if (unsettled !== undefined) return unsettled;
    }
    return undefined;
  }

  /** When all has settled: what devices were sent and stacks were told, and that watches missed nothing. */
  settle(): void {
    this.#watches.flush();
    for (const name of [...names, markOf(this.model.version)]) {
      const [reported, watched] = [this.reported.get(name) ?? [], this.#watched.get(name) ?? []];
      if (reported.join() !== watched.join()) this.faults.push(`${name} was told ${reported}, and watched ${watched}`);
    }
    const sent = new Map<string, number>();
    for (const [at, device] of this.#devices.entries()) {
      for (const [write, count] of device.writes) {
        const [address, raw] = write.split('=') as [string, string];
        sent.set(`${at} ${address} ${rounded(Number(raw))}`, count);
        this.#note(this.model.sentFault(at, address, Number(raw)));
        if (count > 1) this.faults.push(`device ${at} was sent ${write} ${count} times`);
      }
      for (const last of device.lasts) {
        const [address, raw] = last.split('=') as [string, string];
        if (this.model.mayBeLast(at, address, Number(raw), this.#settled)) continue;
        this.faults.push(`the stack of device ${at} was told that ${last} was written last`);
      }
      device.lasts.clear();
    }
    for (const asked of this.model.accepted()) {
      if (asked.through === undefined && !sent.has(this.model.sentOf(asked, asked.from) as string)) {
        this.faults.push(`${asked.name} was written ${asked.value}, and no device has got it`);
      }
    }
    this.#settled = this.model.version;
    this.check();
  }

  #version(): number {
    const versions = this.model.present();
    if (versions.length > 1 && this.model.version > 0)
      this.faults.push(`no rendering runs after ${this.model.version}`);
    return versions[0] as number;
  }

  #lookAtMeasurement(plant: Plant, version: number, name: string): void {
    const { measurements } = this.#bench;
    const handle = measurements.find(name);
    const definition = liveIn(plant, name);
    if (handle >= 0 !== (definition !== undefined)) this.faults.push(`${name} is ${handle < 0 ? 'not ' : ''}there`);
    if (handle < 0 || definition === undefined) return;
    const read = JSON.parse(measurements.wire.object(handle).toString());
    const seen = this.#seen(name);
    if (read.vtq[0] !== seen.value || read.vtq[2] !== seen.quality) this.faults.push(`${name} is read as ${read.vtq}`);
    if (read.description !== definition.description) this.faults.push(`${name} is described as ${read.description}`);
    this.#note(this.model.faultOf(name, seen, [version]));
    this.#note(this.model.simulationFault(name, seen, version));
  }

  #lookAtAlarm(plant: Plant, version: number, name: string): void {
    const { alarms } = this.#bench;
    const handle = alarms.find(`${name}_high`);
    if (handle >= 0 !== (plant.points[name]?.hasAlarm === true)) this.faults.push(`${name}_high has handle ${handle}`);
    if (handle < 0 || liveIn(plant, name) === undefined) return;
    const { description = '' } = alarms.alarmOf(handle);
    this.#note(this.model.alarmFault(name, alarms.stateOf(handle).state, this.#seen(name), description, [version]));
  }

  #onMeasurement(handle: number): void {
    const { measurements } = this.#bench;
    const name = measurements.nameOf(handle);
    const seen = this.#seen(name);
    this.#report(name, `${seen.value} ${seen.quality} ${measurements.timeOf(handle)}`);
    if (names.includes(name)) this.#note(this.model.faultOf(name, seen, this.model.present()));
  }

  #onCommand(handle: number): void {
    const { commands } = this.#bench;
    const name = commands.nameOf(handle).slice(0, 2);
    const value = this.#commandOf(name) as string;
    const timeUs = commands.timeOf(handle);
    // Panels are not told that a value is good which nobody has written.
    const status = timeUs === 0 ? quality.bad.notConnected : quality.good;
    this.#report(`${name}_set`, `${value} ${status} ${timeUs}`);
    this.#note(this.model.commandFault(name, value, this.model.present()));
  }

  #onAlarm(handle: number, isRemoved: boolean): void {
    const { alarms } = this.#bench;
    const { name, state, timeUs, authority } = alarms.stateOf(handle);
    this.#report(name, isRemoved ? 'gone' : `${state} ${timeUs}`);
    if (isRemoved || !authority.startsWith('trigger')) return;
    const { description = '' } = alarms.alarmOf(handle);
    const measurement = name.slice(0, 2);
    this.#note(this.model.alarmFault(measurement, state, this.#seen(measurement), description, this.model.present()));
  }

  #onWatched(message: string): void {
    for (const { name, vtq, removed } of JSON.parse(message).updates) {
      const [value, [s, us], status] = vtq;
      const watched = this.#watched.get(name) ?? [];
      this.#watched.set(name, watched);
      watched.push(removed === true ? 'gone' : `${value} ${status} ${s * 1e6 + us}`);
    }
  }

  /** Each record is of an object that is archived, with a value that it has. */
  #readRecords(version: number): void {
    const { records, sources } = this.#bench;
    const versions = this.model.plants.keys().filter((each) => each >= this.#recordsVersion && each <= version);
    const window = [...versions];
    for (; this.#recordsRead < records.count; this.#recordsRead++) {
      const at = this.#recordsRead;
      const { kind, name, datatype } = sources[records.points[at] as number] as (typeof sources)[number];
      const timeUs = records.times[at] as number;
      this.#records.add(`${name} ${timeUs}`);
      if (kind !== 'measurements') continue;
      const value = formatPrefixed(datatype, records.valueAt(at) as Value);
      const status = (records.qualities[at] as number) & 0xff; // without the bits of the record itself
      const faults = window.map((each) => {
        const archived = this.model.archivedIn(each, name, datatype);
        if (archived === undefined) return `is not archived in ${each}`;
        if (archived !== 'changes' && !this.#records.has(`${archived} ${timeUs}`))
          return `follows ${archived} in ${each}`;
        const asDevice = this.model.faultOf(name, { value, quality: status }, [each]);
        return asDevice && this.model.faultOf(name, { value, quality: status | quality.simulated }, [each]);
      });
      if (!faults.includes(undefined))
        this.faults.push(`a record of ${name} is ${value} ${status}: ${faults.join('; ')}`);
    }
    this.#recordsVersion = version;
  }

  #seen(name: string): Seen {
    const { measurements } = this.#bench;
    const handle = measurements.find(name);
    const datatype = measurements.datatypeOf(handle);
    const value = formatPrefixed(datatype, unstored(datatype, measurements.valueOf(handle)));
    return { value, quality: measurements.qualityOf(handle) };
  }

  /** Undefined where there is none. */
  #commandOf(name: string): string | undefined {
    const { commands } = this.#bench;
    const handle = commands.find(`${name}_set`);
    if (handle < 0) return undefined;
    const datatype = commands.datatypeOf(handle);
    return formatPrefixed(datatype, unstored(datatype, commands.valueOf(handle)));
  }

  #alarmState(name: string): string {
    const { state, timeUs } = this.#bench.alarms.stateOf(this.#bench.alarms.find(name));
    return `${state} ${timeUs}`;
  }

  #report(name: string, text: string): void {
    const reported = this.reported.get(name) ?? [];
    this.reported.set(name, reported);
    reported.push(text);
  }

  #note(fault: string | undefined): void {
    if (fault !== undefined) this.faults.push(fault);
  }
}

/** A client of the channel that takes everything at once. */
function watcher(take: (message: string) => void): ChannelClient {
  const sendUpdates = (message: Buffer) => {
    take(message.toString());
    return true;
  };
  return {
    isOpen: true,
    send: (messages: readonly Buffer[]) => messages.forEach(sendUpdates),
    sendUpdates,
  } as unknown as ChannelClient;
}
