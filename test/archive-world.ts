// A made-up plant of which every record is known beforehand: what the crash tests write, and what they must find.

import { type Batch, type Datatype, formatPrefixed, systemClock, type Value } from '@telltale/schema';
import { Archive } from '../packages/server/src/archive/index.ts';

export const seriesCount = 200;
/** Some are erased in part now and then, some are written again. */
export const erasedFrom = 190;
export const replacedFrom = 180;
const firstUs = 1_750_000_000_000_000;
export const roundUs = 20_000;

export const nameOf = (series: number) => `s${series}`;
const datatypes: readonly Datatype[] = ['d', 'i', 'd', 'l', 'b', 'd', 'f', 's'];
export const datatypeOf = (series: number) => datatypes[series % datatypes.length] as Datatype;

/** Before the records of a round, and behind those of the one before. */
export const startOf = (round: number) => firstUs + round * roundUs;

/** Half of the series share the time of their scan. */
export function timeOf(series: number, round: number): number {
  const jitter = series % 2 === 0 ? 0 : scramble(series, round) % 1000;
  return startOf(round) + jitter;
}

export function valueAt(series: number, round: number, version = 0): Value {
  const chance = scramble(series + 1000 * version, round);
  switch (datatypeOf(series)) {
    case 'b':
      return (round + version) % 50 < 25;
    case 'i':
      return (round + version) | 0;
    case 'l':
      return BigInt(round) * 3_000_000_000_000n + BigInt(series + version);
    case 'f':
      return Math.fround(chance / 7);
    case 's':
      return `text ${(round + version) % 17} "ü" ${series}`;
    default:
      return series % 3 === 0 ? chance / 9973 + version : Math.round(series * 100 + (round % 500) + version) / 100;
  }
}

function scramble(a: number, b: number): number {
  return Math.imul(Math.imul(a + 1, 0x9e3779b1) ^ Math.imul(b + 1, 0x85ebca6b), 0xc2b2ae35) >>> 8;
}

export const textAt = (series: number, round: number, version = 0) =>
  formatPrefixed(datatypeOf(series), valueAt(series, round, version));

export function addRecord(batch: Batch, source: number, series: number, round: number, version = 0): void {
  batch.value(source, valueAt(series, round, version), 0xc0, timeOf(series, round));
}

/** Small generations, so that much is flushed and merged. */
export function makeArchive(folder: string): Archive {
  return new Archive({
    folder,
    clock: systemClock,
    commitMs: 10,
    maxPendingBytes: 64 << 20,
    retention: { ofSeries: new Map() },
    limits: { records: 20_000, textUnits: 1 << 20 },
    onFailure: (error) => {
      throw error;
    },
    onFault: (reason) => {
      if (reason !== undefined) throw new Error(reason);
    },
    onWarning: (text) => {
      throw new Error(text);
    },
  });
}

export type FoundRecord = readonly [value: string, time: readonly [number, number], quality: number];

/** Everything of a series from a round on. */
export async function readSeries(archive: Archive, series: number, fromRound: number): Promise<FoundRecord[]> {
  const name = nameOf(series);
  const reading = await archive.read({
    kind: 'measurements',
    names: [name],
    known: [name],
    sinceUs: startOf(fromRound),
    untilUs: Number.MAX_SAFE_INTEGER,
    form: 'json',
  });
  const pages: Uint8Array[] = [];
  for await (const page of reading) pages.push(Buffer.from(page));
  return JSON.parse(Buffer.concat(pages).toString())[name];
}

/** The round of a time; a time that is none of the series has a fraction. */
export function roundOf(series: number, [seconds, us]: readonly [number, number]): number {
  const timeUs = seconds * 1_000_000 + us;
  const round = Math.floor((timeUs - firstUs) / roundUs);
  return timeOf(series, round) === timeUs ? round : Number.NaN;
}
