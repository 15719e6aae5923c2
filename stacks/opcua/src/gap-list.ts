// What is missing of the points of a connector, until it has been read from the server. Kept in a file, so that a restart forgets none.
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@telltale/schema';
import { type LastRecorded, replaceFile, type StackLog, type StackPoint } from '@telltale/stack-kit';
import type { DataValue } from 'node-opcua-client';

/** What is missing of a node: from a record that the archive has until the link was there. */
export interface Gap {
  readonly startUs: number;
  /** Until here it has been filled. */
  sinceUs: number;
  readonly untilUs: number;
  /** Of the record that says that the link was lost; undefined where there is none, or where it has been filled beyond that. */
  lostUs: number | undefined;
  /** The last value before that: it is still in force after it. */
  inForce: DataValue | undefined;
}

export interface GapListOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly log: StackLog;
  readonly maxHours: number;
}

/** Progress. After a crash, what was read meanwhile is read again, and replaces what is there. */
const storeEveryMs = 5000;
/** Of a point: those of more outages are given up, the oldest first. */
const maxGaps = 100;
/** A file of all points that a connector may have is much smaller. */
const maxBytes = 256 * 1024 * 1024;

export class GapList {
  readonly #options: GapListOptions;
  /** By name, address and datatype; those of a point the oldest first. */
  #gaps = new Map<string, Gap[]>();
  #isLoaded = false;
  #hasFile = false;
  #storedMs = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: GapListOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#gaps.size;
  }

  has(point: StackPoint): boolean {
    return this.#gaps.has(keyOf(point));
  }

  first(point: StackPoint): Gap | undefined {
    return this.#gaps.get(keyOf(point))?.[0];
  }

  /** Of each point what the archive has of it. What is missing since then joins what was missing before. */
  async note(points: readonly StackPoint[], found: readonly (LastRecorded | undefined)[]): Promise<void> {
    const { clock, maxHours } = this.#options;
    if (!this.#isLoaded) await this.#load();
    const nowUs = clock.now();
    const oldestUs = nowUs - maxHours * 3_600_000_000;
    this.keep(points);
    for (const [at, point] of points.entries()) this.#noteOne(keyOf(point), found[at], oldestUs, nowUs);
    await this.store();
  }

  /** Nothing is left to do for others. */
  keep(points: readonly StackPoint[]): void {
    const keys = new Set(points.map(keyOf));
    for (const key of this.#gaps.keys()) if (!keys.has(key)) this.#gaps.delete(key);
  }

  clear(): void {
    this.#gaps.clear();
  }

  /** The first gap of the point is filled. */
  end(point: StackPoint): void {
    const key = keyOf(point);
    const rest = this.#gaps.get(key)?.slice(1) ?? [];
    if (rest.length === 0) this.#gaps.delete(key);
    else this.#gaps.set(key, rest);
  }

  /** Stores the progress, if that was not done of late. */
  async progress(): Promise<void> {
    if (this.#options.clock.monotonicMs() - this.#storedMs >= storeEveryMs) await this.store();
  }

  /** One write at a time. What cannot be stored is warned of. */
  store(): Promise<void> {
    this.#writing = this.#writing
      .then(() => this.#write())
      .catch((error: Error) => {
        const { log } = this.#options;
        log.warn(`history: what is missing cannot be stored, a restart would forget it: ${error.message}`);
      });
    return this.#writing;
  }

  #noteOne(key: string, last: LastRecorded | undefined, oldestUs: number, untilUs: number): void {
    const young = (this.#gaps.get(key) ?? []).filter((gap) => gap.untilUs > oldestUs);
    const { newestUs, soundUs = newestUs } = last ?? {};
    const startUs = Math.max(soundUs ?? untilUs, oldestUs);
    // What the new one covers goes.
    const before = startUs < untilUs ? young.filter((gap) => gap.sinceUs < startUs) : young;
    const lostUs = newestUs !== undefined && newestUs > startUs ? newestUs : undefined;
    const gap = { startUs, sinceUs: startUs, untilUs, lostUs, inForce: undefined };
    const gaps = startUs < untilUs ? [...before, gap] : before;
    if (gaps.length === 0) this.#gaps.delete(key);
    else this.#gaps.set(key, gaps.slice(-maxGaps));
  }

  async #write(): Promise<void> {
    const { folder, clock } = this.#options;
    const path = pathIn(folder);
    if (this.#gaps.size === 0) {
      if (this.#hasFile) await rm(path, { force: true });
      this.#hasFile = false;
      return;
    }
    this.#storedMs = clock.monotonicMs();
    const stored = [...this.#gaps].map(([key, gaps]) => [key, gaps.map(storedGap)]);
    await replaceFile(path, `${JSON.stringify(stored)}\n`);
    this.#hasFile = true;
  }

  async #load(): Promise<void> {
    const { folder, log } = this.#options;
    this.#isLoaded = true;
    try {
      const bytes = await readFile(pathIn(folder));
      this.#hasFile = true;
      this.#gaps = parse(bytes);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      log.warn(`history: what was missing before the restart is not known: ${(error as Error).message}`);
    }
  }
}

function keyOf({ name, address, datatype }: StackPoint): string {
  return `${datatype} ${name} ${address}`;
}

function pathIn(folder: string): string {
  return join(folder, 'history-gaps.json');
}

type StoredGap = readonly [sinceUs: number, untilUs: number, lostUs: number | null];

/** The value that was in force when the link was lost is read again. */
function storedGap({ startUs, sinceUs, untilUs, lostUs }: Gap): StoredGap {
  return lostUs === undefined ? [sinceUs, untilUs, null] : [startUs, untilUs, lostUs];
}

function parse(bytes: Buffer): Map<string, Gap[]> {
  if (bytes.length > maxBytes) throw new Error('the file is too long');
  const stored: unknown = JSON.parse(bytes.toString('utf8'));
  if (!Array.isArray(stored)) throw new Error('the file has no list');
  const gaps = new Map<string, Gap[]>();
  for (const entry of stored as readonly unknown[]) {
    const [key, list] = Array.isArray(entry) ? (entry as readonly unknown[]) : [];
    if (typeof key !== 'string' || !Array.isArray(list)) throw new Error('the file has an entry that is none');
    gaps.set(key, (list as readonly unknown[]).slice(-maxGaps).map(gapOf));
  }
  return gaps;
}

function gapOf(stored: unknown): Gap {
  const [startUs, untilUs, lostUs] = Array.isArray(stored) ? (stored as readonly unknown[]) : [];
  const isTime = (time: unknown): time is number => Number.isSafeInteger(time) && (time as number) >= 0;
  if (!isTime(startUs) || !isTime(untilUs) || !(lostUs === null || isTime(lostUs))) {
    throw new Error('the file has a time that is none');
  }
  return { startUs, sinceUs: startUs, untilUs, lostUs: lostUs ?? undefined, inForce: undefined };
}
