// The times of a section: those that are the same for several series once, as differences.
import type { ByteReader } from '../codec/byte-reader.ts';
import type { ByteWriter } from '../codec/byte-writer.ts';
import { eachSeries, type SectionColumns } from './parcel.ts';
import { readNumbers, readPlanes, writeNumbers, writePlanes } from './planes.ts';

/** Times are below it. */
const limitUs = 2 ** 53;

export function writeTimes(out: ByteWriter, { ends, columns: { times } }: SectionColumns): void {
  const lists = new Map<number, TimeList[]>();
  const listOf = new Float64Array(ends.length);
  const terms: number[] = [];
  let [count, baseUs] = [0, Number.POSITIVE_INFINITY];
  eachSeries(ends, (_, from) => {
    baseUs = Math.min(baseUs, times[from] as number);
  });
  eachSeries(ends, (at, from, to) => {
    const hash = (times[from] as number) + 3 * (times[to - 1] as number) + to - from;
    const alike = lists.get(hash) ?? [];
    const known = alike.find((list) => isSame(times, list, from, to));
    listOf[at] = known?.index ?? count;
    if (known !== undefined) return;
    alike.push({ index: count++, from, to });
    lists.set(hash, alike);
    terms.push((times[from] as number) - baseUs);
    for (let i = from + 1; i < to; i++) terms.push((times[i] as number) - (times[i - 1] as number));
  });
  out.varint(count === 0 ? 0 : baseUs);
  writePlanes(out, listOf, ends.length);
  writeNumbers(out, terms, terms.length);
}

interface TimeList {
  readonly index: number;
  /** Where its times are. */
  readonly from: number;
  readonly to: number;
}

function isSame(times: Float64Array, list: TimeList, from: number, to: number): boolean {
  if (list.to - list.from !== to - from) return false;
  for (let at = from; at < to; at++) if (times[at] !== times[list.from + at - from]) return false;
  return true;
}

export function readTimes(reader: ByteReader, { ends, columns: { times } }: SectionColumns): void {
  const baseUs = reader.varint();
  const listOf = new Float64Array(ends.length);
  readPlanes(reader, ends.length, listOf);
  const terms = readNumbers(reader, times.length);
  const lists: TimeList[] = [];
  let read = 0;
  eachSeries(ends, (at, from, to) => {
    const index = listOf[at] as number;
    const known = lists[index];
    if (known !== undefined) {
      if (known.to - known.from !== to - from) throw new RangeError('series with times of another');
      times.copyWithin(from, known.from, known.to);
      return;
    }
    if (index !== lists.length || read + to - from > terms.length) throw new RangeError('times that are not there');
    lists.push({ index, from, to });
    let time = baseUs;
    for (let i = from; i < to; i++) times[i] = time += terms[read++] as number;
    if (!(time < limitUs)) throw new RangeError(`${time} is no time`);
  });
  if (read !== terms.length) throw new RangeError('times of no series');
}
