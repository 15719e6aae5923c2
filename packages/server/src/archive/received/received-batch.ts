// The records of a section of a parcel, as the store takes them. What anybody may have sent is checked before anything is taken.
import { Batch, form, traitsOf } from '@telltale/schema/values';
import { BadParcel } from '../parcel/decode-parcel.ts';
import { eachSeries, type Section } from '../parcel/parcel.ts';
import type { ErasedInterval } from '../query/tombstone-filter.ts';
import { TombstoneFilter } from '../query/tombstone-filter.ts';
import { maxRecordTextBytes, type Series } from '../records.ts';

export interface ReceivedBatch {
  readonly batch: Batch;
  /** By point of the batch, the number of the series here. */
  readonly numbers: Uint32Array;
}

/** `seriesOf` answers those of this store; `erasedOf`, what was erased since these records were recorded. Throws `BadParcel`. */
export function receivedBatch(
  { series, ends, columns }: Section,
  seriesOf: (number: number) => Series | undefined,
  erasedOf: (series: Series) => readonly ErasedInterval[],
): ReceivedBatch {
  const batch = new Batch(columns.count);
  const numbers = new Uint32Array(series.length);
  const { times, longs, qualities, texts } = columns;
  eachSeries(ends, (at, from, to) => {
    const number = series[at] as number;
    const own = seriesOf(number);
    if (own === undefined) throw new BadParcel(`it has records of series ${number}, which was never declared`);
    numbers[at] = own.number;
    const { form: held } = traitsOf(own.datatype);
    const erased = new TombstoneFilter(erasedOf(own), 0);
    for (let i = from; i < to; i++) {
      const timeUs = times[i] as number;
      if (!Number.isSafeInteger(timeUs) || timeUs < 0) throw new BadParcel(`${timeUs} is no time of a record`);
      if (erased.covers(timeUs, timeUs)) continue;
      const into = batch.count++;
      if (held === form.text) batch.texts[into] = textOf(texts[i]);
      batch.points[into] = at;
      batch.forms[into] = held;
      batch.times[into] = timeUs;
      // As 64 bits, since a double with the bits of an integer may lose some of them on its way.
      batch.longs[into] = longs[i] as bigint;
      batch.qualities[into] = qualities[i] as number;
    }
  });
  return { batch, numbers };
}

function textOf(text: string | undefined): string {
  if (text === undefined || Buffer.byteLength(text) > maxRecordTextBytes) {
    throw new BadParcel(`a series of texts has ${text === undefined ? 'none' : `one of ${text.length} characters`}`);
  }
  return text;
}
