// A site with live points and alarms, and a centre that mirrors them.
import { setImmediate as turn } from 'node:timers/promises';
import type { Alarm, Command, Measurement } from '@telltale/schema';
import { Batch } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import type { Alarms } from '../../src/alarms/index.ts';
import { LivePublisher, LiveSite, SiteBeats, Sites } from '../../src/bus/index.ts';
import type { Commands, Measurements } from '../../src/points/index.ts';
import { gathered } from '../gathered.ts';
import { PlainBus } from './plain-bus.ts';
import { type Plant, plantBench } from './plant-bench.ts';

export class LiveWorld implements Plant {
  readonly clock = new ManualClock();
  readonly bus = new PlainBus();
  readonly measurements: Measurements;
  readonly commands: Commands;
  readonly alarms: Alarms;
  readonly sites: Sites;
  readonly mirror: LiveSite;
  beats: SiteBeats | undefined;
  publisher: LivePublisher | undefined;
  #runs = 0;

  constructor() {
    const { clock, bus } = this;
    const plant = plantBench(clock);
    this.measurements = plant.measurements;
    this.commands = plant.commands;
    this.alarms = plant.alarms;
    this.measurements.putLink('connector', 'plc', undefined);
    this.sites = new Sites({ bus, clock });
    this.mirror = new LiveSite({ bus, clock, sites: this.sites, site: 'works' });
    this.publisher = new LivePublisher({ bus, clock, site: 'works', ...this.plant });
    this.sites.start();
    this.mirror.start();
    this.publisher.start();
    this.startSite();
  }

  get plant(): Plant {
    const { measurements, commands, alarms } = this;
    return { measurements, commands, alarms };
  }

  /** It says that it is there. */
  startSite(): void {
    const { bus, clock } = this;
    const facts = () => ({ name: 'Works', epoch: null, uplink: null });
    this.beats = new SiteBeats({ bus, clock, site: 'works', run: `run${++this.#runs}`, version: '1', facts });
    this.beats.start();
  }

  measurement(name: string, more: Partial<Measurement> = {}): void {
    this.measurements.put({ name, datatype: 'd', connectorName: 'plc', address: `a:${name}`, ...more });
  }

  command(name: string, more: Partial<Command> = {}): void {
    this.commands.put({ name, datatype: 'd', ...more });
  }

  alarm(name: string, more: Partial<Alarm> = {}): void {
    this.alarms.put({ name, severity: 1, ...more });
  }

  read(name: string, value: number, status = 0xc0): void {
    const batch = new Batch();
    batch.value(this.measurements.find(name), value, status, this.clock.now());
    this.measurements.readings('plc', batch);
  }

  /** Until a centre has what was configured last. */
  async settle(): Promise<void> {
    await this.advance(2500);
  }

  /** Time passes, and everything that follows from it happens. */
  async advance(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 100) {
      this.clock.advance(Math.min(100, left));
      for (let round = 0; round < 4; round++) await turn();
    }
  }

  async end(): Promise<void> {
    this.beats?.stop();
    await Promise.all([this.publisher?.stop(), this.mirror.stop(), this.sites.stop()]);
    await this.alarms.close();
  }
}

/** What its interface says of all objects. */
export function shownOf({
  measurements,
  commands,
  alarms,
}: Plant): Record<'measurements' | 'commands' | 'alarms', object> {
  const parsed = (bytes: Buffer) => JSON.parse(bytes.toString()) as object;
  return {
    measurements: parsed(gathered(measurements.wire.selection(measurements.all(), undefined))),
    commands: parsed(gathered(commands.wire.selection(commands.all(), undefined))),
    alarms: parsed(gathered(alarms.collection())),
  };
}
