// What the archive stores: series of records. A series has one kind and one datatype for ever, and a name, which may change; a
// measurement whose datatype is changed goes on in another series.
import { archivedQuality, archiveFlag, type Datatype, maxTextBytes, quality } from '@telltale/schema/values';

export const kinds = ['measurements', 'commands', 'alarms'] as const;
export type Kind = (typeof kinds)[number];

export interface SeriesKey {
  readonly kind: Kind;
  readonly name: string;
  /** An alarm's is `s`: its records are texts. */
  readonly datatype: Datatype;
}

export interface Series extends SeriesKey {
  /** Given once, in the order in which series came, and never to another. */
  readonly number: number;
}

/** All series of an object go on under another name. */
export interface SeriesRename {
  readonly kind: Kind;
  readonly from: string;
  readonly to: string;
}

/** Beside the low byte of its quality: the record replaces older ones at the same time. */
export const replaces = 0x100;
/** Beside the low byte of its quality, in answers alone: no value, in a row of several aggregates. */
export const lacksValue = 0x200;

/** Beside the low byte of its quality: the value was simulated, or an alarm was raised or cleared by such a value. */
export const simulated = 0x400;
/** What is stored of the quality word of a record. */
export const storedBits = 0xff | replaces | simulated;

/** Of the quality of a live value what its record has. */
export function storedQuality(live: number): number {
  return (live & quality.simulated) === 0 ? live & 0xff : archivedQuality(live) | simulated;
}

/** Of the quality of a record its flags, as an answer has them. */
export function flagsOf(quality: number): number {
  return (quality & simulated) === 0 ? 0 : archiveFlag.simulated;
}

/** Which records a read gives; without one, all of them. */
export type SimulatedFilter = 'exclude' | 'only';

/** Of a record with this quality. */
export function isWanted(quality: number, filter: SimulatedFilter): boolean {
  return ((quality & simulated) !== 0) === (filter === 'only');
}

/** Records before this are taken for those of a wrong clock: 2000-01-01. So are those more than a day ahead. */
export const oldestPlausibleUs = 946_684_800_000_000;
export const farthestAheadUs = 86_400_000_000;

/** The longest text of a record: that of an alarm has a person's name and a description in it. */
export const maxRecordTextBytes = 4 * maxTextBytes;

/** Records of one series as columns, so that none costs an object. Where order matters, that of time, then arrival. */
export class Columns {
  count = 0;
  /** Whole microseconds since the epoch. */
  declare times: Float64Array;
  /** Values that are stored as numbers. */
  declare numbers: Float64Array;
  /** Values that are stored as 64-bit integers: the same bytes as `numbers`. */
  declare longs: BigInt64Array;
  /** The low byte, `replaces` and `simulated`; in answers also `lacksValue`. The low byte of commands and alarms is zero. */
  declare qualities: Uint16Array;
  /** Texts, by position; empty otherwise. */
  texts: string[] = [];

  constructor(capacity = 0) {
    this.#lay(capacity);
  }

  get capacity(): number {
    return this.times.length;
  }

  /** Makes room for so many records in all; those that are there stay. */
  reserve(capacity: number): void {
    if (capacity <= this.capacity) return;
    const { times, numbers, qualities } = this;
    this.#lay(Math.max(capacity, 2 * this.capacity));
    this.times.set(times);
    this.numbers.set(numbers);
    this.qualities.set(qualities);
  }

  clear(): void {
    this.count = 0;
    this.texts = [];
  }

  #lay(capacity: number): void {
    this.times = new Float64Array(capacity);
    this.numbers = new Float64Array(capacity);
    this.longs = new BigInt64Array(this.numbers.buffer);
    this.qualities = new Uint16Array(capacity);
  }
}
