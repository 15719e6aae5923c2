// Appends records to the segments of a trail: each commit is on disk, whole, or not there; a head is signed at the start of
// each segment and whenever it is asked for. What an interrupted write left behind the last record is cut off at opening.
import {
  closeSync,
  constants,
  fdatasyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { ControlFile, syncFolder } from '../sqlite/index.ts';
import type { Head, OpenedTrail, TrailOptions } from './protocol.ts';
import { fieldsOf, lineOf, noHash, type Place, readLine } from './record-line.ts';
import { firstLineOf, type Times, timesBefore, widened } from './segment-times.ts';
import { linesOf, type Segment, segmentName, segmentsIn } from './segments.ts';
import { publish, type SigningKey, takeKey } from './signing.ts';

export const trailFolder = 'audit';
export const keyName = 'audit.key';
export const controlName = 'audit.control';

/** What was acknowledged last. */
export interface TrailClaim extends Place {
  /** What was found missing and is not acknowledged yet. */
  readonly missing: readonly string[];
}

interface Current {
  readonly file: number;
  readonly sinceMs: number;
  end: number;
}

const format = 1;
/** Of sentences in a claim. */
const mostMissing = 3;

export class TrailWriter {
  readonly #options: TrailOptions;
  readonly #folder: string;
  readonly #control: ControlFile<TrailClaim>;
  readonly #key: SigningKey;
  #last: Place = { seq: 0, hash: noHash };
  #current: Current | undefined;
  /** Of the newest segment. */
  #times: Times | undefined;
  #missing: readonly string[] = [];
  #isSigned = true;
  /** Records of what was found at opening: they go with the next commit. */
  #untold: string[];
  readonly opened: OpenedTrail;

  /** Throws where the disk refuses. */
  constructor(options: TrailOptions, nowMs: number) {
    this.#options = options;
    this.#folder = join(options.folder, trailFolder);
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#control = new ControlFile(join(this.#folder, controlName));
    this.#key = takeKey(join(options.folder, keyName));
    publish(this.#key, this.#folder);
    const told = this.#find();
    this.opened = { seq: this.#last.seq, missing: this.#missing, told };
    this.#untold = told.map((text) => serviceRecord(nowMs, 'repairTrail', { new: text }));
  }

  /** Throws where the disk refuses; then nothing was written. */
  commit(records: readonly string[], nowMs: number): void {
    const current = this.#writable(nowMs);
    const { end } = current;
    const before = { last: this.#last, times: this.#times, isSigned: this.#isSigned };
    try {
      const lines: string[] = [];
      if (end === 0) {
        this.#times = undefined;
        lines.push(this.#line(this.#head(nowMs, before.times)));
      }
      for (const record of [...this.#untold, ...records]) lines.push(this.#line(record));
      if (lines.length === 0) return;
      this.#write(current, lines);
      this.#claim();
    } catch (error) {
      this.#last = before.last;
      this.#times = before.times;
      this.#takeBack(current, end);
      throw error;
    }
    this.#isSigned = this.#untold.length + records.length === 0;
    this.#untold = [];
  }

  sign(nowMs: number): Head | undefined {
    if (this.#isSigned || this.#current === undefined) return undefined;
    const head = this.#signed(nowMs, (now) => this.#head(now));
    this.#isSigned = true;
    this.#control.sync();
    return head;
  }

  /** Whole segments alone, and never the newest. */
  cut(beforeMs: number, nowMs: number): Head | undefined {
    const segments = segmentsIn(this.#folder);
    const before = new Date(beforeMs).toISOString();
    const isOld = ({ path }: Segment) => {
      const times = timesBefore(path);
      return times !== undefined && times.to < before;
    };
    // The first record of a segment has the times of the one before it.
    const kept = segments.findIndex((_, at) => at > 0 && !isOld(segments[at] as Segment));
    const count = (kept < 0 ? segments.length : kept) - 1;
    const [oldest, firstKept] = [segments[0], segments[count]];
    if (count <= 0 || oldest === undefined || firstKept === undefined) return undefined;
    const through = firstLineOf(firstKept.path)?.previous;
    if (through === undefined) return undefined; // damaged: nothing of it goes
    const cut = this.#signed(nowMs, (now) => this.#cutRecord(now, oldest.first, firstKept.first - 1, through));
    for (const { path } of segments.slice(0, count)) rmSync(path);
    syncFolder(this.#folder);
    return cut;
  }

  acknowledgeMissing(): void {
    const before = this.#missing;
    this.#missing = [];
    try {
      this.#claim();
      this.#control.sync();
    } catch (error) {
      this.#missing = before;
      throw error;
    }
  }

  close(): void {
    if (this.#current !== undefined) closeSync(this.#current.file);
    this.#current = undefined;
    this.#control.sync();
    this.#control.close();
  }

  #signed(nowMs: number, make: (nowMs: number) => string): Head {
    this.#writable(nowMs);
    if (this.#current?.end === 0) this.commit([], nowMs);
    const record = make(nowMs);
    const { line, seq } = lineOf(record, this.#last);
    this.commit([record], nowMs);
    return { seq, line };
  }

  #head(nowMs: number, times?: Times): string {
    const time = new Date(nowMs).toISOString();
    const signature = this.#key.sign('head', [this.#last.seq + 1, time, this.#last.hash]);
    const ofSegment = times === undefined ? {} : { times };
    return serviceRecord(nowMs, 'signHead', { format, ...ofSegment, key: this.#key.fingerprint, signature });
  }

  #cutRecord(nowMs: number, from: number, to: number, through: string): string {
    const time = new Date(nowMs).toISOString();
    const signature = this.#key.sign('cut', [this.#last.seq + 1, time, this.#last.hash, from, to, through]);
    return serviceRecord(nowMs, 'cutTrail', { from, to, through, key: this.#key.fingerprint, signature });
  }

  #line(record: string): string {
    const { line, ...place } = lineOf(record, this.#last);
    this.#last = place;
    const time = /^"time":"([^"]{20,30})"/.exec(record)?.[1];
    if (time !== undefined) this.#times = widened(this.#times, time);
    return line;
  }

  #write(current: Current, lines: readonly string[]): void {
    const { file, end } = current;
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(file, bytes, written, bytes.length - written, end + written);
    }
    fdatasyncSync(file);
    current.end += bytes.length;
  }

  #claim(): void {
    this.#control.claim({ ...this.#last, missing: this.#missing });
  }

  /** The next write begins where this one did, whether or not this succeeds. */
  #takeBack(current: Current, end: number): void {
    current.end = end;
    try {
      ftruncateSync(current.file, end);
    } catch {
      // the next opening does it
    }
  }

  /** The newest segment, or the one after it where it is full, or a day old. */
  #writable(nowMs: number): Current {
    const { segmentBytes, segmentMs } = this.#options;
    const current = this.#current;
    if (current !== undefined) {
      const isYoung = Math.abs(nowMs - current.sinceMs) < segmentMs;
      if (current.end === 0 || (current.end < segmentBytes && isYoung)) return current;
    }
    const first = this.#last.seq + 1;
    const path = join(this.#folder, segmentName(first));
    const file = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
    if (current !== undefined) closeSync(current.file);
    this.#current = { file, sinceMs: nowMs, end: 0 };
    ftruncateSync(file, 0); // of a segment whose first record was never written
    syncFolder(this.#folder);
    return this.#current;
  }

  /** The last record, and what has to be told. */
  #find(): string[] {
    const claim = this.#control.found;
    const told: string[] = [];
    const segments = segmentsIn(this.#folder);
    const newest = this.#findLast(segments);
    if (newest !== undefined) {
      this.#last = newest.last;
      this.#times = newest.times;
    }
    this.#missing = claim?.missing ?? [];
    if (claim !== undefined && claim.seq > this.#last.seq) {
      const text = `${trailFolder} lacks the records ${this.#last.seq + 1} to ${claim.seq}: somebody removed or changed files`;
      this.#missing = [...this.#missing, text].slice(-mostMissing);
      told.push(`The records ${this.#last.seq + 1} to ${claim.seq} are missing.`);
      this.#last = { seq: claim.seq, hash: claim.hash };
    } else if (newest !== undefined) {
      this.#current = this.#resume(newest);
      if (newest.size > newest.end) {
        const bytes = newest.size - newest.end;
        told.push(`${bytes} bytes of a write that was interrupted were cut off behind record ${this.#last.seq}.`);
      }
      if (claim === undefined)
        told.push(`${controlName} was missing: whether the last records are there is not known.`);
    }
    this.#isSigned = this.#last.seq === 0;
    return told;
  }

  /** The newest segment that has a record. Newer ones have none: they are begun again. */
  #findLast(segments: readonly Segment[]): Newest | undefined {
    for (const segment of segments.toReversed()) {
      const found = lastRecordOf(segment);
      if (found !== undefined) return found;
      if (statSync(segment.path).size > 0 && segment.first <= (this.#control.found?.seq ?? 0)) continue; // evidence
      rmSync(segment.path);
    }
    return undefined;
  }

  #resume({ segment, size, end, sinceMs }: Newest): Current {
    const file = openSync(segment.path, constants.O_RDWR | constants.O_NOFOLLOW);
    try {
      if (size > end) {
        ftruncateSync(file, end);
        fdatasyncSync(file);
      }
      return { file, sinceMs, end };
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }
}

interface Newest {
  readonly segment: Segment;
  readonly last: Place;
  readonly times: Times | undefined;
  readonly sinceMs: number;
  readonly size: number;
  /** Of its last record. */
  readonly end: number;
}

function lastRecordOf(segment: Segment): Newest | undefined {
  let newest: Newest | undefined;
  let times: Times | undefined;
  const { size } = statSync(segment.path);
  for (const lines of linesOf(segment.path)) {
    for (const { bytes, at, isWhole } of lines) {
      const last = isWhole ? readLine(bytes) : undefined;
      if (last === undefined) continue;
      const { time } = fieldsOf(bytes) ?? {};
      if (typeof time === 'string') times = widened(times, time);
      const sinceMs = Date.parse(times?.from ?? '') || 0;
      const end = at + bytes.length + 1;
      newest = { segment, last: { seq: last.seq, hash: last.hash }, times, sinceMs, size, end };
    }
  }
  return newest;
}

/** What the trail tells of itself. */
export function serviceRecord(nowMs: number, operation: string, more: object): string {
  const time = new Date(nowMs).toISOString();
  const record = { time, who: 'service', kind: 'service', operation, ...more, result: 'done' };
  return JSON.stringify(record).slice(1, -1);
}
