// The live points and alarms of a site of a test: what is stored of them is stored at once, nowhere.
import { type Clock, systemClock } from '@telltale/schema';
import { Alarms } from '../../src/alarms/index.ts';
import { Commands, Measurements } from '../../src/points/index.ts';
import { PlainDisk } from '../plain-disk.ts';

export interface Plant {
  readonly measurements: Measurements;
  readonly commands: Commands;
  readonly alarms: Alarms;
}

export function plantBench(clock: Clock = systemClock): Plant {
  const disk = new PlainDisk();
  const measurements = new Measurements({ clock, store: disk });
  const commands = new Commands({ clock, store: disk, writeToDevice: async () => undefined });
  const store = { saveAlarm: async () => undefined, deleteAlarm: async () => undefined };
  return { measurements, commands, alarms: new Alarms({ clock, store, measurements }) };
}
