// The plant of the trend tests: points without a device, whose history is what a test puts into the archive.
import { TelltaleClient } from '@telltale/client';
import type { MeasurementRecord, Operation } from '@telltale/schema';
import { put } from '../live-plant.ts';

export const good = 192;
export const uncertain = 64;
export const bad = 24;

/** In Vienna, so that there are days of 23 and 25 hours. */
export const trendArgs = ['--time-zone', 'Europe/Vienna'];

export const trendPlant: readonly Operation[] = [
  put('measurements', 'level', {
    datatype: 'd',
    eu: 'm',
    description: 'Level <img src=x onerror=alert(1)>',
    euRangeLo: '0',
    euRangeHi: '10',
  }),
  put('measurements', 'other_level', { datatype: 'd', eu: 'm' }),
  put('measurements', 'flow', { datatype: 'f', eu: 'l/s' }),
  put('measurements', 'running', { datatype: 'b' }),
  put('measurements', 'valve', { datatype: 'q' }),
  put('measurements', 'batch_text', { datatype: 's' }),
  put('measurements', 'counter', { datatype: 'l' }),
  put('measurements', '__proto__', { datatype: 'd', archMode: 'change' }),
  put('measurements', 'live', { datatype: 'd', archMode: 'change' }),
  put('commands', 'setpoint', { datatype: 'd', eu: 'm', archMode: 'change' }),
  put('alarms', 'level_high', {
    severity: 1,
    archMode: 'change',
    trgMeasurement: 'live',
    trgOperator: 'gt',
    trgRefValue: '50',
    description: 'Too high',
  }),
];

export interface At {
  readonly s: number;
  readonly value: string;
  readonly quality?: number;
  readonly flags?: number;
}

export async function configure(url: string): Promise<TelltaleClient> {
  const client = new TelltaleClient({ url });
  await client.configuration.transaction(trendPlant, { render: true });
  return client;
}

export async function fill(client: TelltaleClient, name: string, records: Iterable<At>): Promise<void> {
  const made = function* (): Generator<MeasurementRecord> {
    for (const { s, value, quality = good, flags } of records) {
      const t: [number, number] = [Math.floor(s), Math.round((s % 1) * 1e6)];
      yield flags === undefined ? [value, t, quality] : [value, t, quality, flags];
    }
  };
  await client.archive.backfill('measurements', name, made());
}
