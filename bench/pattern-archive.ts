// The archive of a simulated site, as its sender sees it: what was scanned by now, as a function of the number of the scan. Keeps nothing.
import { form, traitsOf } from '@telltale/schema';
import type { OutgoingAccess, OutgoingClient, Series } from '../packages/server/src/archive/index.ts';
import { nothingDiscarded } from '../packages/server/src/archive/outgoing/outgoing-piece.ts';
import { firstPosition, readPosition } from '../packages/server/src/archive/outgoing/position.ts';
import type { OutgoingPiece, Position } from '../packages/server/src/archive/parcel/index.ts';
import { placeOf, recordsBefore } from '../packages/server/src/archive/parcel/parcel.ts';
import { type Handlers, Link, type Port } from '../packages/server/src/threads/index.ts';
import { makeData } from './archive-data.ts';

/** So many are made; then they come again backwards, so that nothing jumps. */
const madeScans = 64;
const generation = 1;

/** What all sites have of their points. */
export class Pattern {
  readonly series: readonly Series[];
  readonly #data;
  /** As an archive has them: doubles, or the bits of 64-bit integers. */
  readonly #bits: Float64Array<ArrayBuffer>;

  constructor(points: number) {
    this.#data = makeData(points, madeScans, 'shared');
    this.series = this.#data.series.map(
      ({ name, datatype }, number): Series => ({ number, kind: 'measurements', name, datatype }),
    );
    const { values } = this.#data;
    this.#bits = Float64Array.from(values);
    const longs = new BigInt64Array(this.#bits.buffer);
    for (let at = 0; at < values.length; at++) {
      const { datatype } = this.series[at % points] as Series;
      if (traitsOf(datatype).form === form.long) longs[at] = BigInt(values[at] as number);
    }
  }

  get points(): number {
    return this.series.length;
  }

  valuesOf(scan: number): Float64Array<ArrayBuffer> {
    return this.#bits.subarray(...this.#rangeOf(scan));
  }

  qualitiesOf(scan: number): Uint8Array {
    return this.#data.qualities.subarray(...this.#rangeOf(scan));
  }

  #rangeOf(scan: number): [number, number] {
    const turn = scan % (2 * madeScans - 2);
    const at = turn < madeScans ? turn : 2 * madeScans - 2 - turn;
    return [at * this.points, (at + 1) * this.points];
  }
}

export interface PatternArchiveOptions {
  readonly pattern: Pattern;
  /** Of the first scan, by the time of day. */
  readonly startMs: number;
  readonly periodMs: number;
  /** After so many there is none. */
  readonly scansAtMost: number;
}

export class PatternArchive {
  readonly #options: PatternArchiveOptions;
  #epoch: number | undefined;
  /** What the sender holds of it. */
  readonly link: Link<OutgoingAccess, OutgoingClient>;

  constructor(options: PatternArchiveOptions, onMore: () => void) {
    this.#options = options;
    const [here, there] = portPair();
    const handlers: Handlers<OutgoingAccess> = {
      open: () => ({ epoch: this.#epoch, nextEpoch: undefined, series: this.#options.pattern.series }),
      resume: (text) => readPosition(text),
      begin: (epoch, _isKnown, reached = '') => {
        this.#epoch = epoch;
        // The store has ended the epoch before there: nothing comes again.
        return { ...(readPosition(reached) ?? firstPosition(1, 0)), declared: 0 };
      },
      beginNext: (_epoch, reached) => reached,
      next: (position, most) => this.#next(position, most),
      counts: () => countsOf(0, 0, 0),
      sent: () => undefined,
      damage: () => undefined,
    };
    new Link<OutgoingClient, OutgoingAccess>(there, handlers);
    this.link = new Link<OutgoingAccess, OutgoingClient>(here, { more: onMore });
  }

  /** By now. */
  get scans(): number {
    const { startMs, periodMs, scansAtMost } = this.#options;
    return Math.min(scansAtMost, Math.max(0, Math.ceil((Date.now() - startMs) / periodMs)));
  }

  #next(position: Position, most: number): OutgoingPiece {
    const { pattern, startMs, periodMs } = this.#options;
    const { points } = pattern;
    const [first, scans] = [recordsBefore(position.live) / points, this.scans];
    const taken = Math.min(scans - first, Math.max(1, Math.floor(most / points)));
    const to = placeOf(generation, (first + taken) * points);
    const left = scans - first - taken;
    return {
      ...countsOf(scans * points, left * points, left === 0 ? 0 : (startMs + (first + taken) * periodMs) * 1000),
      position: { ...position, live: to, declared: points },
      series: position.declared === 0 ? pattern.series : [],
      renamed: [],
      erasures: [],
      live: taken === 0 ? [] : [this.#records(first, taken)],
      block: undefined,
      nextEpoch: undefined,
    };
  }

  #records(first: number, scans: number): OutgoingPiece['live'][number] {
    const { pattern, startMs, periodMs } = this.#options;
    const { points } = pattern;
    const count = scans * points;
    const series = new Uint32Array(count);
    const times = new Float64Array(count);
    const numbers = new Float64Array(count);
    const qualities = new Uint16Array(count);
    for (let scan = 0; scan < scans; scan++) {
      const at = scan * points;
      for (let point = 0; point < points; point++) series[at + point] = point;
      times.fill((startMs + (first + scan) * periodMs) * 1000, at, at + points);
      // Copied by their bits: those of an integer may be a NaN.
      new BigInt64Array(numbers.buffer).set(bitsOf(pattern.valuesOf(first + scan)), at);
      qualities.set(pattern.qualitiesOf(first + scan), at);
    }
    const [from, to] = [placeOf(generation, first * points), placeOf(generation, (first + scans) * points)];
    return { from, to, series, times, numbers, qualities, texts: [], isErased: undefined };
  }
}

/** That are the same where the numbers are, integers of 64 bits included. */
export function bitsOf(numbers: Float64Array<ArrayBuffer>): BigInt64Array {
  return new BigInt64Array(numbers.buffer, numbers.byteOffset, numbers.length);
}

function countsOf(stored: number, waiting: number, oldestUnsentUs: number) {
  return { stored, waiting, oldestUnsentUs, dropped: 0, discarded: nothingDiscarded };
}

/** In one thread; each message arrives in a turn of its own. */
function portPair(): [Port, Port] {
  const receivers: ((message: unknown) => void)[] = [];
  const port = (own: number, other: number): Port => ({
    post: (message) => queueMicrotask(() => receivers[other]?.(message)),
    onMessage: (receive) => {
      receivers[own] = receive;
    },
  });
  return [port(0, 1), port(1, 0)];
}
