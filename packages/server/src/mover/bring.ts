// Brings records of names from a store into an archive that has none of them.
import { type ArchiveColumns, archiveFlag, type Batch, form, traitsOf } from '@telltale/schema';
import { type Archive, type Kind, simulated } from '../archive/index.ts';
import { columnsOf, type NameSum, type RecordSource, summed } from './name-sums.ts';

/** On their way to the disk at once, about. */
const mostBytes = 8 << 20;
const recordsAtOnce = 1024;
const bytesARecord = 23;

export interface Bringing {
  readonly source: RecordSource;
  readonly archive: Pick<Archive, 'records' | 'stored'>;
  readonly onRecords: (count: number) => void;
}

/** Of each name, in this order: what the source had. It is on disk when the last one has come. */
export async function* bring(
  { source, archive, onRecords }: Bringing,
  kind: Kind,
  names: readonly string[],
): AsyncGenerator<readonly [name: string, sum: NameSum]> {
  let bytes = 0;
  yield* summed(names, async function* (some) {
    for await (const columns of columnsOf(source, kind, some)) {
      const { name, datatype, times } = columns;
      const series = archive.records.refOf({ kind, name, datatype });
      for (let at = 0; at < times.length; at += recordsAtOnce) {
        bytes += addRecords(archive.records.batch, series, columns, at, Math.min(times.length, at + recordsAtOnce));
        archive.records.added();
        if (bytes < mostBytes) continue;
        await archive.stored();
        bytes = 0;
      }
      onRecords(times.length);
      yield columns;
    }
  });
  await archive.stored();
}

/** How many bytes they are, about. */
function addRecords(batch: Batch, series: number, columns: ArchiveColumns, from: number, to: number): number {
  const { datatype, times, values, qualities, flags } = columns;
  const kind = traitsOf(datatype).form;
  let bytes = (to - from) * bytesARecord;
  for (let at = from; at < to; at++) {
    const timeUs = times[at] as number;
    const isSimulated = ((flags?.[at] ?? 0) & archiveFlag.simulated) !== 0;
    const quality = (qualities[at] as number) | (isSimulated ? simulated : 0);
    if (kind === form.long) batch.long(series, values[at] as bigint, quality, timeUs);
    else if (kind === form.text) {
      const text = values[at] as string;
      batch.text(series, text, quality, timeUs);
      bytes += 3 * text.length;
    } else batch.number(series, values[at] as number, quality, timeUs);
  }
  return bytes;
}
