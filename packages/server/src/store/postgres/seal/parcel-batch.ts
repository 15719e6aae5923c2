// The oldest parcels of a site that are not sealed, decoded, as many as are sealed in one go. What cannot be read is passed over.
import { BadParcel, decodeParcel, type Parcel, unpackedBytes } from '../../../archive/parcel/index.ts';
import { CopyReader } from '../../read/copy-reader.ts';
import type { Connection } from '../connection.ts';
import type { SealedSeries } from './chunk-rows.ts';
import type { SeriesOfEpoch } from './gathered-records.ts';
import type { SeriesCache } from './series-cache.ts';

export interface SealLimits {
  /** Of parcels as they are stored. */
  readonly bytes: number;
  /** Of what these unpack to: texts may be packed into next to nothing. One is taken however long it is. */
  readonly unpackedBytes: number;
  readonly records: number;
}

export interface ParcelKey {
  readonly epoch: number;
  readonly seq: number;
}

export interface ParcelBatch {
  /** In the order in which they came. */
  readonly parcels: readonly Parcel[];
  readonly damaged: readonly (ParcelKey & { readonly reason: string })[];
  /** Of all of these. */
  readonly count: number;
  /** The last one of each epoch; in order. Another node of the site may send in an earlier one meanwhile. */
  readonly lasts: readonly ParcelKey[];
  readonly isMore: boolean;
  readonly seriesOf: SeriesOfEpoch;
}

const mostParcels = 1024;
const mostSections = 2 ** 15;

/** Undefined: there are none. */
export async function nextParcels(
  connection: Connection,
  site: string,
  known: SeriesCache,
  limits: SealLimits,
): Promise<ParcelBatch | undefined> {
  const { rows: waiting } = await connection.query<ParcelKey & { readonly bytes: number }>(
    `select epoch, seq, octet_length(bytes) as bytes from telltale.parcel where site = $1
      order by epoch, seq limit ${mostParcels}`,
    [site],
  );
  let [count, bytes] = [0, 0];
  for (; count < waiting.length && bytes < limits.bytes; count++) bytes += waiting[count]?.bytes ?? 0;
  const upTo = waiting[count - 1];
  if (upTo === undefined) return undefined;
  await connection.query("select set_config('telltale.site', $1, true)", [site]);
  const [copied] = await connection.copyOut(
    `copy (select epoch, seq, bytes from telltale.parcel
      where site = current_setting('telltale.site') and (epoch, seq) <= (${upTo.epoch}, ${upTo.seq})
      order by epoch, seq) to stdout (format binary)`,
  );
  const decoded = decode(new CopyReader(copied as Buffer), limits);
  if (decoded.count === 0) return undefined;
  const declared = await seriesOf(connection, site, known, decoded.parcels);
  const parcels: Parcel[] = [];
  const damaged = [...decoded.damaged];
  for (const parcel of decoded.parcels) {
    const { epoch, seq } = parcel;
    const missing = numbersOf(parcel).find((number) => declared.get(epoch)?.get(number) === undefined);
    if (missing === undefined) parcels.push(parcel);
    else damaged.push({ epoch, seq, reason: `it has records of series ${missing}, which was never declared` });
  }
  return {
    parcels,
    damaged,
    count: decoded.count,
    lasts: decoded.lasts,
    isMore: decoded.count < waiting.length || waiting.length === mostParcels,
    seriesOf: (epoch, number) => declared.get(epoch)?.get(number) as SealedSeries,
  };
}

function decode(rows: CopyReader, limits: SealLimits) {
  const parcels: Parcel[] = [];
  const damaged: (ParcelKey & { readonly reason: string })[] = [];
  const lasts: ParcelKey[] = [];
  let [count, records, sections, unpacked] = [0, 0, 0, 0];
  while (records < limits.records && sections < mostSections && rows.nextRow()) {
    const [epoch, seq] = [rows.int8(), rows.int8()];
    const bytes = rows.field() as DataView;
    unpacked += unpackedBytes(bytes);
    if (count > 0 && unpacked > limits.unpackedBytes) break;
    if (lasts.at(-1)?.epoch === epoch) lasts.pop();
    lasts.push({ epoch, seq });
    count++;
    try {
      const parcel = decodeParcel(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      parcels.push(parcel);
      sections += parcel.sections.length;
      for (const { columns } of parcel.sections) records += columns.count;
    } catch (error) {
      if (!(error instanceof BadParcel)) throw error;
      damaged.push({ epoch, seq, reason: error.message });
    }
  }
  return { parcels, damaged, count, lasts };
}

/** By epoch and number. */
async function seriesOf(connection: Connection, site: string, known: SeriesCache, parcels: readonly Parcel[]) {
  const all = new Map<number, ReadonlyMap<number, SealedSeries>>();
  for (const [epoch, own] of Map.groupBy(parcels, (parcel) => parcel.epoch)) {
    const numbers = new Set(own.flatMap(numbersOf));
    all.set(epoch, await known.of(connection, site, epoch, numbers));
  }
  return all;
}

function numbersOf({ sections, erasures }: Parcel): number[] {
  return [...sections.flatMap(({ series }) => Array.from(series)), ...erasures.map(({ series }) => series)];
}
