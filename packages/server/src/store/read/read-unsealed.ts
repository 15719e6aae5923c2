// Goes over the parcels of some sites that are not sealed, however many there are: those that are decoded already, and the others in
// groups, and takes out of each what is wanted.
import type { CopyReader } from './copy-reader.ts';
import type { DecodedParcels, ParcelKey } from './decoded-parcels.ts';
import { type Interval, parcelBytes } from './span-sql.ts';
import type { Copy } from './store-snapshot.ts';
import { UnsealedRecords } from './unsealed-records.ts';
import type { UnsealedRoom } from './unsealed-room.ts';

/** Of what is asked for at once: a parcel of many records may unpack to a hundred times of it. */
const mostBytesAtOnce = 1 << 20;
const mostAtOnce = 64;

/** As `parcelKeys` gives them. */
export function readParcelKeys(rows: CopyReader): ParcelKey[] {
  const keys: ParcelKey[] = [];
  while (rows.nextRow()) {
    const [site, epoch, seq] = [rows.text(), rows.int8(), rows.int8()];
    keys.push({ site, epoch, seq, receivedUs: rows.int8(), bytes: rows.int4() });
  }
  return keys;
}

/** By site and epoch which number is which series, as `seriesNumbers` gives them. */
export function readSeriesNumbers(rows: CopyReader): Map<string, Map<number, Map<number, number>>> {
  const sites = new Map<string, Map<number, Map<number, number>>>();
  while (rows.nextRow()) {
    const [site, epoch, number, series] = [rows.text(), rows.int8(), rows.int8(), rows.int8()];
    const epochs = sites.get(site) ?? new Map<number, Map<number, number>>();
    const numbers = epochs.get(epoch) ?? new Map<number, number>();
    sites.set(site, epochs.set(epoch, numbers.set(number, series)));
  }
  return sites;
}

/** By site; those that are not in `numbers` have nothing that is wanted. Rejects with a `ProblemError` where there is no room. */
export async function readUnsealed(
  copy: Copy,
  parcels: DecodedParcels,
  keys: readonly ParcelKey[],
  numbers: ReturnType<typeof readSeriesNumbers>,
  { sinceUs, untilUs }: Interval,
  room: UnsealedRoom,
): Promise<Map<string, UnsealedRecords>> {
  const records = new Map<string, UnsealedRecords>();
  for (const [site, epochs] of numbers) {
    const wanted = keys.filter((key) => key.site === site && epochs.has(key.epoch));
    const unsealed = new UnsealedRecords(epochs, sinceUs, untilUs, room);
    records.set(site, unsealed);
    for (let at = 0; at < wanted.length; ) {
      const known = parcels.get(wanted[at] as ParcelKey);
      if (known === undefined) at += await readSome(copy, parcels, wanted.slice(at, at + mostAtOnce), unsealed);
      else {
        unsealed.add(known);
        at++;
      }
    }
  }
  return records;
}

/** Of the first of them, and of those behind it that are not decoded either. Answers how many there were. */
async function readSome(
  copy: Copy,
  parcels: DecodedParcels,
  keys: readonly ParcelKey[],
  into: UnsealedRecords,
): Promise<number> {
  const [{ site, epoch, seq, bytes: first }] = keys as readonly [ParcelKey];
  let count = 1;
  for (let bytes = first; count < keys.length; count++) {
    const key = keys[count] as ParcelKey;
    bytes += key.bytes;
    if (key.epoch !== epoch || bytes > mostBytesAtOnce || parcels.get(key) !== undefined) break;
  }
  const [rows] = await copy(parcelBytes(site, epoch, seq, count));
  for (const key of keys.slice(0, count)) {
    rows.nextRow();
    if (rows.int8() !== key.epoch || rows.int8() !== key.seq) throw new RangeError(`parcel ${key.seq} is not there`);
    into.add(parcels.decode(key, rows.bytes()));
  }
  return count;
}
