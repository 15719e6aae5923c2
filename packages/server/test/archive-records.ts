// Records for tests of the archive's files: as plain lines that can be compared, as batches and as columns.
import type { TestContext } from 'node:test';
import { Batch, type Datatype, datatypes } from '@telltale/schema';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { Columns, type Series } from '../src/archive/records.ts';

export interface SampleRecord {
  readonly series: number;
  readonly timeUs: number;
  readonly value: number | bigint | string;
  readonly quality: number;
}

export function archiveFolder(t: TestContext): string {
  const folder = temporaryFolder(t);
  return folder;
}

/** One series a datatype, numbered from 0 in the order of `datatypes`. */
export const sampleSeries: readonly Series[] = datatypes.map((datatype, number) => ({
  number,
  kind: 'measurements',
  name: datatype === 'd' ? '__proto__' : `point_${datatype}`,
  datatype,
}));

export function lineOf({ series, timeUs, value, quality }: SampleRecord): string {
  const text = Object.is(value, -0) ? '-0' : String(value);
  return `${series} ${timeUs} ${typeof value} ${text} ${quality}`;
}

export function batchOf(records: readonly SampleRecord[]): Batch {
  const batch = new Batch(records.length);
  for (const { series, value, quality, timeUs } of records) batch.value(series, value, quality, timeUs);
  return batch;
}

/** Of one series, in the order given. */
export function columnsOf(records: readonly SampleRecord[]): Columns {
  const columns = new Columns(records.length);
  for (const { timeUs, value, quality } of records) {
    const at = columns.count++;
    columns.times[at] = timeUs;
    if (typeof value === 'bigint') columns.longs[at] = value;
    else if (typeof value === 'number') columns.numbers[at] = value;
    else columns.texts[at] = value;
    columns.qualities[at] = quality;
  }
  return columns;
}

export function recordAt(series: Series, columns: Columns, at: number): SampleRecord {
  const value =
    series.datatype === 's' ? columns.texts[at] : series.datatype === 'l' ? columns.longs[at] : columns.numbers[at];
  return {
    series: series.number,
    timeUs: columns.times[at] as number,
    value: value as number | bigint | string,
    quality: columns.qualities[at] as number,
  };
}

export function anyValue(datatype: Datatype): fc.Arbitrary<number | bigint | string> {
  switch (datatype) {
    case 'b':
      return fc.constantFrom(0, 1);
    case 'q':
      return fc.constantFrom(0, 1, 2, 3);
    case 'i':
      return fc.integer();
    case 'l':
      return fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    case 'f':
      return fc.float({ noNaN: true, noDefaultInfinity: true });
    case 'd':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    default:
      return fc.string({ unit: 'binary', maxLength: 30 });
  }
}

export const anyTime = fc.oneof(
  fc.integer({ min: 1_700_000_000, max: 1_700_000_100 }).map((seconds) => seconds * 1_000_000),
  fc.maxSafeNat(),
);
export const anyQuality = fc.constantFrom(0xc0, 0xc0, 0xc0, 0x18, 0x40, 0x1c0, 0x4d8, 0x508, 0);

/** Of any of the sample series. */
export const anyRecord: fc.Arbitrary<SampleRecord> = fc
  .constantFrom(...sampleSeries)
  .chain(({ number, datatype }) =>
    fc.record({ series: fc.constant(number), timeUs: anyTime, value: anyValue(datatype), quality: anyQuality }),
  );
