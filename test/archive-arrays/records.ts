// Records for the archive and its arrays, chosen at random: times of which many are met again, and values of every datatype.
import { type Datatype, formatText, type Value } from '@telltale/schema';
import { flagsOf, simulated } from '../../packages/server/src/archive/records.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { type ArrayRecord, type NamedArrays, oldestPlausibleUs, weekUs } from './named-arrays.ts';
import { secondsOf } from './reads.ts';

export const hourUs = 3_600_000_000;
export const dayUs = 24 * hourUs;
const fatBytes = 60_000;

export class ArrayRecords {
  /** About the time at which the first of them is made. */
  readonly baseUs = Math.floor(Date.now() / 1000) * 1_000_000;
  readonly times = timesAround(this.baseUs);
  readonly #random: SeededRandom;
  #imports = 0;
  #values = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  some(series: NamedArrays, count: number): ArrayRecord[] {
    this.#imports++;
    return Array.from({ length: count }, () => this.#one(series, this.#random.pick(this.times)));
  }

  /** Enough of one day for several chunks with summaries; out of order now and then. */
  dense(series: NamedArrays): ArrayRecord[] {
    this.#imports++;
    const from = this.#random.pick(this.times.filter((time) => time > oldestPlausibleUs && time <= this.baseUs) as [0]);
    const [count, stepUs] = [this.#random.between(1000, 4000), this.#random.pick([1_000_000, 1000, 7])];
    const records = Array.from({ length: count }, (_, at) => this.#one(series, from - at * stepUs));
    return this.#random.chance(0.7) ? records.reverse() : records;
  }

  /** Texts that fill the disk, at the days of the others. */
  fat(): ArrayRecord[] {
    this.#imports++;
    const day = this.#random.between(0, 30);
    return Array.from({ length: 45 }, (): ArrayRecord => {
      const time = this.baseUs - (day + this.#random.between(0, 3)) * dayUs - this.#random.between(0, 40) * 1_000_000;
      const value = `${++this.#values} ${'x'.repeat(fatBytes)}`;
      return { datatype: 's', time, value, quality: 0xc0, came: this.#imports, mayBeGone: false };
    });
  }

  /** With ends at or beside the times of records. */
  interval(): [sinceUs: number, untilUs: number] {
    const ends = [0, 1].map(() => Math.max(0, this.#random.pick(this.times) + this.#random.between(-1, 1)));
    return [Math.min(...ends), Math.max(...ends)];
  }

  /** Of half days, as hours, those that do not end beside one of the times. */
  retentions(days: readonly number[]): [number, ...number[]] {
    const isApart = (hours: number) =>
      this.times.every((time) => Math.abs(this.baseUs - time - hours * hourUs) > hourUs);
    return days.map((day) => 24 * day + 12).filter(isApart) as [number, ...number[]];
  }

  #one({ kind, datatype }: NamedArrays, time: number): ArrayRecord {
    const quality =
      kind === 'commands'
        ? 0xc0
        : this.#random.pick([0xc0, 0xc0, 0xc0, 0x18, 0x44, 0xd8, 0xd8 | simulated, 0x18 | simulated]);
    const value = someValue(datatype, ++this.#values, this.#random);
    return { datatype, time, value, quality, came: this.#imports, mayBeGone: false };
  }
}

/** Before the import, and after each of its records; of a long one, after the last one that was found. */
export function statesOf(
  series: NamedArrays,
  records: readonly ArrayRecord[],
  found: readonly string[],
): NamedArrays[] {
  const there = records.length > 50 ? new Set(found) : undefined;
  const lengths = there
    ? [0, 1 + records.findLastIndex((record) => there.has(series.written(record)))]
    : Array.from({ length: records.length + 1 }, (_, length) => length);
  return lengths.reverse().map((length) => {
    const state = series.copy();
    state.import(records.slice(0, length));
    return state;
  });
}

/** Seconds of some days, the borders of weeks, and those of wrong clocks: few, so that many are met again. */
function timesAround(baseUs: number): [number, ...number[]] {
  const days = [0, 1, 2, 6, 8, 9, 12, 15, 20, 27, 34].flatMap((day) => {
    return [0, 1].map((second) => baseUs - day * dayUs - second * 1_000_000);
  });
  const week = Math.floor(baseUs / weekUs) * weekUs;
  const borders = [0, 1].flatMap((back) => [-1, 0].map((us) => week - back * weekUs + us));
  const wrong = [
    0,
    5,
    oldestPlausibleUs - 1,
    oldestPlausibleUs,
    baseUs + 2 * dayUs,
    baseUs + 1000 * dayUs,
    2 ** 53 - 1,
  ];
  return [baseUs, ...days, ...borders, ...wrong];
}

function someValue(datatype: Datatype, number: number, random: SeededRandom): Value {
  if (datatype === 'b') return random.chance(0.5);
  if (datatype === 'q') return random.between(0, 3);
  if (datatype === 'l') return random.chance(0.5) ? BigInt(number) : 2n ** 62n + BigInt(number);
  if (datatype === 'f') return Math.fround(number / 10);
  if (datatype === 's') return random.pick(['', 'open', `${number} "wide", ä💧\n`, `${number}`]);
  return datatype === 'i' ? number : random.pick([number / 4, number / 7, -number]);
}

export function csvOf(series: NamedArrays, records: readonly ArrayRecord[]): string {
  const isCommand = series.kind === 'commands';
  const rows = records.map(({ time, datatype, value, quality }) => {
    const text = `"${formatText(datatype, value).replaceAll('"', '""')}"`;
    const seconds = time === 0 ? '0' : secondsOf(time);
    return `${seconds},${text}${isCommand ? '' : `,${quality & 0xff},${flagsOf(quality)}`}\n`;
  });
  return `time,value${isCommand ? '' : ',quality,flags'}\n${rows.join('')}`;
}
