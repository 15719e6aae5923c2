// The values of all points at one moment, as numbers, to sort and filter by: the present ones, or those of the moment shown.
// They do not follow: whoever sorts by them reads them again.
import { fromTimestamp, isPrefixedText } from '@telltale/schema/values';
import { valuesAt } from './history.ts';
import type { PointList } from './point-list.ts';
import { client } from './service.ts';

export interface Snapshot {
  /** Microseconds since 1970, by the clock of the service; of now: when it was read. */
  readonly at: number;
  /** Texts are numbered in their order, after all numbers; NaN: there is none. */
  readonly values: Float64Array;
  readonly times: Float64Array;
  /** NaN of commands, which have none. */
  readonly qualities: Float64Array;
}

export async function readSnapshot(
  list: PointList,
  { at, now, signal }: { readonly at: number | undefined; readonly now: number; readonly signal: AbortSignal },
): Promise<Snapshot> {
  const texts = new Map<number, string>();
  const found: Snapshot = {
    at: at ?? now,
    values: new Float64Array(list.length).fill(Number.NaN),
    times: new Float64Array(list.length).fill(Number.NaN),
    qualities: new Float64Array(list.length).fill(Number.NaN),
  };
  const put = (id: number, value: string, t: number, quality: number) => {
    if (isPrefixedText(value)) texts.set(id, value.slice(1));
    else found.values[id] = Number(value.slice(1));
    found.times[id] = t;
    found.qualities[id] = quality;
  };
  if (at === undefined) await readPresent(list, put, signal);
  else await readPast(list, at, put, signal);
  const sorted = [...new Set(texts.values())].sort();
  const numbers = new Map(sorted.map((text, rank) => [text, Number.MAX_VALUE * (0.5 + rank / (2 * sorted.length))]));
  for (const [id, text] of texts) found.values[id] = numbers.get(text) ?? Number.NaN;
  return found;
}

type Put = (id: number, value: string, t: number, quality: number) => void;

async function readPresent(list: PointList, put: Put, signal: AbortSignal): Promise<void> {
  const measurements = await client.measurements.list({ fields: ['vtq'], signal });
  for (let id = 0; id < list.measurements; id++) {
    const vtq = measurements[list.nameAt(id)]?.vtq;
    if (vtq !== undefined) put(id, vtq[0], fromTimestamp(vtq[1]), vtq[2]);
  }
  const commands = await client.commands.list({ fields: ['vt'], signal });
  for (let id = list.measurements; id < list.length; id++) {
    const vt = commands[list.nameAt(id)]?.vt;
    if (vt !== undefined) put(id, vt[0], fromTimestamp(vt[1]), Number.NaN);
  }
}

async function readPast(list: PointList, at: number, put: Put, signal: AbortSignal): Promise<void> {
  const measurements = await valuesAt('measurements', undefined, at, signal);
  const commands = await valuesAt('commands', undefined, at, signal);
  for (let id = 0; id < list.length; id++) {
    const found = (id < list.measurements ? measurements : commands).get(list.nameAt(id));
    if (found !== undefined) put(id, found.value, found.t, found.quality ?? Number.NaN);
  }
}
