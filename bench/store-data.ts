// The data set of the archive's benchmarks as a store takes it: by series, as parcels, and as plain rows.
import { form, traitsOf } from '@telltale/schema';
import { Columns, type Series } from '../packages/server/src/archive/index.ts';
import { encodeParcel } from '../packages/server/src/archive/parcel/index.ts';
import { CopyWriter } from '../packages/server/src/store/postgres/seal/copy-writer.ts';
import { noCounters } from '../packages/server/test/store-database.ts';
import type { DataSet } from './archive-data.ts';

/** Records of a parcel, which is what a site sends that has been away. */
const recordsAParcel = 100_000;
const rowsACopy = 1_000_000;

export interface StoreData {
  readonly series: readonly Series[];
  readonly scans: number;
  /** Series by series. */
  readonly columns: Columns;
}

export function storeData({ series, scans, times, values, qualities, records }: DataSet): StoreData {
  const columns = new Columns(records);
  columns.count = records;
  for (const [at, { datatype }] of series.entries()) {
    const isLong = traitsOf(datatype).form === form.long;
    for (let scan = 0; scan < scans; scan++) {
      const [from, to] = [scan * series.length + at, at * scans + scan];
      columns.times[to] = times[from] as number;
      columns.qualities[to] = qualities[from] as number;
      if (isLong) columns.longs[to] = BigInt(values[from] as number);
      else columns.numbers[to] = values[from] as number;
    }
  }
  const all = series.map(({ name, datatype }, number): Series => ({ number, kind: 'measurements', name, datatype }));
  return { series: all, scans, columns };
}

/** In order, from the first of an epoch on. */
export function* parcelsOf(
  { series, scans, columns }: StoreData,
  site: string,
  epoch: number,
  scansAParcel = recordsAParcel / series.length,
): Generator<Buffer> {
  const numbers = Uint32Array.from(series, ({ number }) => number);
  for (let since = 0, seq = 1; since < scans; since += scansAParcel, seq++) {
    const own = Math.min(scansAParcel, scans - since);
    const sent = new Columns(own * series.length);
    sent.count = own * series.length;
    for (const { number } of series) {
      const from = number * scans + since;
      sent.times.set(columns.times.subarray(from, from + own), number * own);
      sent.numbers.set(columns.numbers.subarray(from, from + own), number * own);
      sent.qualities.set(columns.qualities.subarray(from, from + own), number * own);
    }
    const places = { from: since * series.length, to: (since + own) * series.length };
    const ends = Uint32Array.from(series, (_, at) => (at + 1) * own);
    const section = { ...places, isRepeated: false, superseded: 0, series: numbers, ends, columns: sent };
    const head = { site, epoch, seq, madeUs: 1, position: `${seq}`, counters: noCounters };
    const parcel = { ...head, series: seq === 1 ? series : [], erasures: [], sections: [section] };
    yield encodeParcel(parcel, (number) => (series[number] as Series).datatype);
  }
}

/** For COPY, scan by scan, as they come. */
export function* rowsOf({ series, scans, columns }: StoreData): Generator<Uint8Array> {
  const rows = new CopyWriter();
  for (let scan = 0, count = 0; scan < scans; scan++) {
    for (const { number, datatype } of series) {
      const at = number * scans + scan;
      rows.row(4);
      rows.int8(number);
      // Of PostgreSQL, whose times begin at 2000.
      rows.int8((columns.times[at] as number) - 946_684_800_000_000);
      const isLong = traitsOf(datatype).form === form.long;
      rows.float8(isLong ? Number(columns.longs[at]) : (columns.numbers[at] as number));
      rows.int2(columns.qualities[at] as number);
    }
    count += series.length;
    if (count < rowsACopy && scan < scans - 1) continue;
    yield rows.take();
    count = 0;
  }
}
