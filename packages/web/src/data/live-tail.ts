// What has happened to points since somebody looks: every value as it comes, so that a trend goes on from where the archive was
// read. What is shown as one figure is left to live-store.ts.
import type { Vt, Vtq } from '@telltale/schema';
import { archiveFlag, fromTimestamp, parsePrefixed, quality, stored } from '@telltale/schema/values';
import type { PointKind } from './live-value.ts';
import { channel } from './service.ts';
import type { Trace } from './trace.ts';

export interface TailOptions {
  readonly kind: PointKind;
  readonly names: readonly string[];
  /** There are new records. */
  readonly onChange: () => void;
  /** The connection was lost and is back: what happened in between is in the archive alone. */
  readonly onResume: () => void;
}

/** Of one point; the older half goes when there are more. */
const most = 8192;

interface Tail {
  datatype: Trace['datatype'];
  count: number;
  times: Float64Array;
  values: Float64Array;
  qualities: Uint8Array;
  flags: Uint8Array;
  /** Of texts and 64-bit integers. */
  texts: string[] | undefined;
}

export class LiveTail {
  readonly #options: TailOptions;
  readonly #tails = new Map<string, Tail>();
  readonly #end = new AbortController();

  constructor(options: TailOptions) {
    this.#options = options;
    void this.#follow();
  }

  /** Undefined before the first value. It is valid until the next change. */
  trace(name: string): Trace | undefined {
    const tail = this.#tails.get(name);
    if (tail === undefined) return undefined;
    const { datatype, count, times, values, qualities, flags, texts } = tail;
    return {
      datatype,
      times: times.subarray(0, count),
      values: values.subarray(0, count),
      qualities: qualities.subarray(0, count),
      flags: flags.subarray(0, count),
      exact: texts,
    };
  }

  close(): void {
    this.#end.abort();
  }

  async #follow(): Promise<void> {
    const { kind, names, onChange, onResume } = this.#options;
    const options = { signal: this.#end.signal };
    const watch =
      kind === 'measurements' ? channel.watchMeasurements(names, options) : channel.watchCommands(names, options);
    try {
      for await (const { updates, resumed } of watch) {
        if (resumed) {
          this.#tails.clear();
          onResume();
        }
        for (const update of updates) if (update.removed !== true) this.#add(update.name, update);
        if (updates.length > 0) onChange();
      }
    } catch {
      // The archive is read again from time to time.
    }
  }

  #add(name: string, update: { readonly vtq: Vtq } | { readonly vt: Vt }): void {
    const [prefixed, t, q] = 'vtq' in update ? update.vtq : ([...update.vt, quality.good] as const);
    const us = fromTimestamp(t);
    if (us === 0) return;
    const { datatype, value } = parsePrefixed(prefixed);
    const number = stored(value);
    let tail = this.#tails.get(name);
    if (tail === undefined || tail.datatype !== datatype) {
      tail = newTail(datatype, typeof number !== 'number');
      this.#tails.set(name, tail);
    }
    // A device may say when its value was read: what is older than the last one is the archive's.
    const last = tail.count - 1;
    if (last >= 0 && us < (tail.times[last] ?? 0)) return;
    const at = last >= 0 && us === tail.times[last] ? last : tail.count;
    if (at === tail.times.length) {
      dropHalf(tail);
      this.#add(name, update);
      return;
    }
    tail.times[at] = us;
    tail.values[at] = typeof number === 'string' ? Number.NaN : Number(number);
    tail.qualities[at] = q & 0xff;
    tail.flags[at] = (q & quality.simulated) === 0 ? 0 : archiveFlag.simulated;
    if (tail.texts !== undefined) tail.texts[at] = String(number);
    tail.count = at + 1;
  }
}

function newTail(datatype: Trace['datatype'], hasTexts: boolean): Tail {
  return {
    datatype,
    count: 0,
    times: new Float64Array(most),
    values: new Float64Array(most),
    qualities: new Uint8Array(most),
    flags: new Uint8Array(most),
    texts: hasTexts ? [] : undefined,
  };
}

function dropHalf(tail: Tail): void {
  const half = tail.count >>> 1;
  for (const column of [tail.times, tail.values, tail.qualities, tail.flags]) column.copyWithin(0, half, tail.count);
  tail.texts?.splice(0, half);
  tail.count -= half;
}
