// The plant of the flow benchmark: its points, their alarms, and what its connector reads in each scan. Of twenty points
// fourteen are scaled integers, two singles, two booleans, one a whole number and one a text.
import { type Alarm, Batch, type BatchMessage, type Measurement, systemClock } from '@telltale/schema';
import { randomSource } from './archive-data.ts';
import { measurement, plantSize } from './plant.ts';

/** Which points a scan changes: a tenth of them, the others staying as they are or within their deadband; or all. */
export type Mix = 'few' | 'all';
/** How a scan reads the points: in the order in which they were configured, or in none. */
export type Order = 'scan' | 'none';

/** What a scan passes through. */
export interface Flow {
  /** What became of all readings so far. */
  readonly outcome: Outcome;
  put(point: Measurement, alarm: Alarm | undefined): void;
  /** One more client watches these points. */
  watch(numbers: readonly number[]): void;
  apply(message: BatchMessage): void;
  /** At the end of a scan: what was gathered goes out. */
  flush(): void;
}

export interface Outcome {
  readonly changed: number;
  readonly records: number;
  readonly transitions: number;
  /** To watchers. */
  readonly updates: number;
}

/** As a connector publishes them. */
const readingsABatch = 1000;
const scanUs = 1_000_000;
/** Of the first scan: in the past, so that no record is ahead of the clock. */
const startUs = systemClock.now() - 24 * 3600 * scanUs;
const good = 0xc0;
const states = ['running', 'stopped', 'in maintenance', 'fault 17'];
/** In a mix of few, each point changes once in so many scans. */
const scansAChange = 10;
/** Raw values between two of these of a scaled point are within its deadband. */
const jitter = 10;
/** Raw values: the least, what is between the least and the most of the points, and what a change moves one by. */
const lowest = 5000;
const spread = 10_000;
const step = 2000;

const inNoOrder = shuffled(plantSize);

export function flowPoint(index: number): Measurement {
  const point = measurement(index);
  const place = index % 20;
  if (place < 14) return point;
  const { name, address, description, connectorName, archMode, archPeriod, properties } = point;
  const plain = { name, address, description, connectorName, archMode, archPeriod, properties } as Measurement;
  if (place < 16) return { ...plain, datatype: 'f', deadband: '0.5', archValueDeadband: '1' };
  if (place < 18) return { ...plain, datatype: 'b' };
  return { ...plain, datatype: place === 18 ? 'i' : 's' };
}

/** A quarter of the points have one; one change in a thousand raises or clears one. */
export function flowAlarm(index: number): Alarm | undefined {
  if (index % 20 >= 14 || index % 3 !== 0) return undefined;
  const { name, euRangeHi } = measurement(index);
  const limit = (Number(euRangeHi) * (lowest + spread + 3 * step - 100)) / 27_648;
  return {
    name,
    severity: 500,
    archMode: 'change',
    trgMeasurement: name,
    trgOperator: 'gt',
    trgRefValue: String(limit),
    trgHysteresis: String(limit / 1000),
  };
}

/** The batches of one scan, as they cross from the thread of the connector. Points are known by their position. */
export function scanOf(number: number, mix: Mix, order: Order): BatchMessage[] {
  const messages: BatchMessage[] = [];
  const batch = new Batch(readingsABatch);
  for (let at = 0; at < plantSize; at++) {
    read(batch, order === 'scan' ? at : (inNoOrder[at] as number), number, mix);
    if (batch.count === readingsABatch) messages.push(batch.take());
  }
  return messages;
}

function read(batch: Batch, index: number, scan: number, mix: Mix): void {
  const timeUs = startUs + scan * scanUs;
  const hash = Math.imul(index, 0x9e3779b1) >>> 8;
  const changes = mix === 'all' ? scan : Math.floor((scan + (hash % scansAChange)) / scansAChange);
  const place = index % 20;
  if (place === 19) batch.text(index, states[changes % states.length] as string, good, timeUs);
  else if (place === 16 || place === 17) batch.number(index, changes % 2, good, timeUs);
  else {
    const noise = place !== 18 && hash % 3 === 0 && scan % 2 === 0 ? jitter : 0;
    const raw = lowest + (hash % spread) + (changes % 4) * step + noise;
    batch.number(index, place < 14 || place === 18 ? raw : raw / 128, good, timeUs);
  }
}

function shuffled(count: number): Uint32Array {
  const random = randomSource(1);
  const items = Uint32Array.from({ length: count }, (_, index) => index);
  for (let at = count - 1; at > 0; at--) {
    const other = random() % (at + 1);
    [items[at], items[other]] = [items[other] as number, items[at] as number];
  }
  return items;
}
