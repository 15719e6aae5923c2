// Records of the pens of a trend, read in tiles: stretches of time in powers of two, about as fine as the screen. Panning back and
// forth reads nothing twice; while a tile is on its way, coarser or finer ones stand for it. Memory is bounded.
import { readTraces } from './history.ts';
import type { PointKind } from './live-value.ts';
import { emptyTrace, type Piece, type Trace } from './trace.ts';

export interface TilePen {
  readonly kind: PointKind;
  readonly name: string;
}

export interface Wanted {
  readonly pens: readonly TilePen[];
  readonly from: number;
  readonly until: number;
  /** Of the plot. */
  readonly width: number;
  readonly now: number;
}

interface Tile {
  readonly from: number;
  readonly until: number;
  /** The time of the service when it was read: of what comes later it knows nothing. */
  readonly readAt: number;
  readonly trace: Trace;
  used: number;
}

interface Reading {
  readonly end: AbortController;
  readonly keys: readonly string[];
}

/** Tiles of several pens, read together. */
interface Missing {
  readonly kind: PointKind;
  readonly level: number;
  readonly index: number;
  readonly now: number;
  readonly names: string[];
}

export interface TilesOptions {
  readonly onChange: () => void;
}

const maxPoints = 4000;
/** A step of a thinned trace has up to four of these. */
const stepsATile = maxPoints / 4;
/** All tiles together: 17 bytes each. */
const mostRecords = 1_000_000;
/** Of requests at once; the service takes four long ones of a connection. */
const mostReadings = 4;
const secondUs = 1e6;
/** Records may come late, or be erased: what is older than this is read again. */
const freshUs = 600 * secondUs;
/** So long after its end a tile is still expected to get records. */
const settledUs = 10 * secondUs;
const retryUs = 3 * secondUs;
const lowestLevel = -10;
const highestLevel = 32;

const spanOf = (level: number) => secondUs * 2 ** level;

export class TraceTiles {
  readonly #options: TilesOptions;
  readonly #tiles = new Map<string, Tile>();
  readonly #readings = new Set<Reading>();
  readonly #pending = new Set<string>();
  /** Waiting for their turn. */
  #missing: Missing[] = [];
  #records = 0;
  #turn = 0;
  #failedAt = 0;
  #error: unknown;

  constructor(options: TilesOptions) {
    this.#options = options;
  }

  /** Why the last request failed; undefined once one has worked. */
  get error(): unknown {
    return this.#error;
  }

  get isLoading(): boolean {
    return this.#readings.size > 0 || this.#missing.length > 0;
  }

  get records(): number {
    return this.#records;
  }

  /** Reads what is missing of the windows, and ends requests for what is wanted no longer. */
  want(windows: readonly Wanted[]): void {
    this.#turn++;
    const wanted = new Set<string>();
    const missing: Missing[] = [];
    for (const window of windows) this.#findMissing(window, wanted, missing);
    for (const reading of this.#readings) if (!reading.keys.some((key) => wanted.has(key))) this.#abort(reading);
    this.#missing = missing.filter(({ now }) => now - this.#failedAt >= retryUs);
    this.#readNext();
  }

  #readNext(): void {
    while (this.#readings.size < mostReadings) {
      const next = this.#missing.shift();
      if (next === undefined) return;
      void this.#read(next);
    }
  }

  #findMissing({ pens, from, until, width, now }: Wanted, wanted: Set<string>, missing: Missing[]): void {
    const level = levelOf(until - from, width);
    const span = spanOf(level);
    for (let index = Math.floor(from / span); index * span < Math.min(until, now); index++) {
      for (const pen of pens) {
        const key = keyOf(pen, level, index);
        wanted.add(key);
        const tile = this.#tiles.get(key);
        if (tile !== undefined) tile.used = this.#turn;
        if (this.#pending.has(key) || (tile !== undefined && isFresh(tile, now, until - from))) continue;
        const found = missing.find((each) => each.kind === pen.kind && each.level === level && each.index === index);
        if (found === undefined) missing.push({ kind: pen.kind, level, index, now, names: [pen.name] });
        else if (!found.names.includes(pen.name)) found.names.push(pen.name);
      }
    }
  }

  /** What is known of a stretch, in time order: of the level wanted, else of others. Nothing of what is not known yet. */
  pieces(pen: TilePen, from: number, until: number, width: number): Piece[] {
    const found: Piece[] = [];
    this.#collect(found, pen, from, until, levelOf(until - from, width), 0);
    return found;
  }

  /** What was read is of before: it stays until it has been read again. */
  invalidate(): void {
    for (const [key, tile] of this.#tiles) this.#tiles.set(key, { ...tile, readAt: 0 });
  }

  close(): void {
    this.#missing = [];
    for (const reading of this.#readings) this.#abort(reading);
    this.#tiles.clear();
    this.#records = 0;
  }

  #collect(found: Piece[], pen: TilePen, from: number, until: number, level: number, depth: number): void {
    const span = spanOf(level);
    for (let index = Math.floor(from / span); index * span < until; index++) {
      const start = Math.max(from, index * span);
      const end = Math.min(until, (index + 1) * span);
      const tile = this.#tiles.get(keyOf(pen, level, index));
      if (tile !== undefined) pushPart(found, tile, start, end);
      else if (depth === 0 && !this.#coarser(found, pen, start, end, level)) this.#finer(found, pen, start, end, level);
      else if (depth > 0 && depth < 3) this.#finer(found, pen, start, end, level, depth);
    }
  }

  #coarser(found: Piece[], pen: TilePen, from: number, until: number, level: number): boolean {
    for (let above = level + 1; above <= Math.min(level + 12, highestLevel); above++) {
      const tile = this.#tiles.get(keyOf(pen, above, Math.floor(from / spanOf(above))));
      if (tile === undefined) continue;
      pushPart(found, tile, from, until);
      return true;
    }
    return false;
  }

  #finer(found: Piece[], pen: TilePen, from: number, until: number, level: number, depth = 0): void {
    if (level > lowestLevel) this.#collect(found, pen, from, until, level - 1, depth + 1);
  }

  async #read({ kind, names, level, index, now }: Missing): Promise<void> {
    const span = spanOf(level);
    const from = Math.max(0, index * span);
    const until = Math.min(now, (index + 1) * span);
    const keys = names.map((name) => keyOf({ kind, name }, level, index));
    const reading: Reading = { end: new AbortController(), keys };
    this.#readings.add(reading);
    for (const key of keys) this.#pending.add(key);
    try {
      const interval = { kind, names, from: Math.ceil(from), until: Math.ceil(until) };
      const traces = await readTraces(interval, maxPoints, reading.end.signal);
      if (reading.end.signal.aborted) return;
      for (const [at, name] of names.entries()) {
        this.#keep(keys[at] ?? '', {
          from,
          until,
          readAt: now,
          trace: traces.get(name) ?? emptyTrace,
          used: this.#turn,
        });
      }
      this.#error = undefined;
    } catch (error) {
      if (reading.end.signal.aborted) return;
      this.#failedAt = now;
      this.#missing = [];
      this.#error = error;
    } finally {
      this.#forget(reading);
    }
    this.#readNext();
    this.#options.onChange();
  }

  #keep(key: string, tile: Tile): void {
    this.#records += tile.trace.times.length - (this.#tiles.get(key)?.trace.times.length ?? 0);
    this.#tiles.set(key, tile);
    if (this.#records <= mostRecords) return;
    for (const [old, { trace }] of [...this.#tiles].sort(([, one], [, other]) => one.used - other.used)) {
      if (this.#records <= mostRecords / 2) break;
      this.#tiles.delete(old);
      this.#records -= trace.times.length;
    }
  }

  #abort(reading: Reading): void {
    reading.end.abort();
    this.#forget(reading);
  }

  #forget(reading: Reading): void {
    this.#readings.delete(reading);
    for (const key of reading.keys) this.#pending.delete(key);
  }
}

function pushPart(found: Piece[], { trace, until: known }: Tile, from: number, until: number): void {
  if (known > from) found.push({ trace, from, until: Math.min(until, known), isOpen: known < until });
}

function keyOf({ kind, name }: TilePen, level: number, index: number): string {
  return `${kind} ${name} ${level} ${index}`;
}

/** Such that there is a step of a thinned trace for each pixel. */
function levelOf(spanUs: number, width: number): number {
  const wanted = (spanUs / secondUs) * (stepsATile / Math.max(width, 100));
  return Math.max(lowestLevel, Math.min(highestLevel, Math.floor(Math.log2(Math.max(wanted, 1e-9)))));
}

/** A tile that still grows is read again now and then; a live tail goes on from there. */
function isFresh({ until, readAt }: Tile, now: number, windowUs: number): boolean {
  const isSettled = readAt >= until + settledUs;
  return now - readAt < (isSettled ? freshUs : Math.min(Math.max(windowUs / 200, 5 * secondUs), freshUs));
}
