// What the thread that keeps the audit trail can be asked for.
import type { Position, TrailPage, TrailQuery } from './trail-query.ts';

export interface AuditThread {
  /** First. Creates what is missing, and cuts off an unfinished write. Throws where the disk refuses. */
  open(options: TrailOptions, nowMs: number): OpenedTrail;
  /** Writes records together, each as JSON without the braces. Returns why the disk refused; then nothing was written. */
  commit(records: readonly string[], nowMs: number): string | undefined;
  /** Signs what was written since the last head; undefined where nothing was. Throws where the disk refuses. */
  sign(nowMs: number): Head | undefined;
  /** Removes segments whose records are all older than this, after a signed record of it. Throws where the disk refuses. */
  cut(beforeMs: number, nowMs: number): Head | undefined;
  acknowledgeMissing(): void;
  read(query: TrailQuery, from: Position | undefined): Promise<TrailPage>;
  /** Last. */
  close(nowMs: number): Head | undefined;
}

export interface TrailOptions {
  /** The data folder. */
  readonly folder: string;
  /** A segment that is longer, or older, is followed by another one. */
  readonly segmentBytes: number;
  readonly segmentMs: number;
}

export interface OpenedTrail {
  /** Of the last record; 0 where there is none. */
  readonly seq: number;
  /** What was acknowledged and is not there, a sentence each. */
  readonly missing: readonly string[];
  /** What else is to be told: a sentence each. */
  readonly told: readonly string[];
}

/** A signed record, as a text for other places than this disk. */
export interface Head {
  readonly seq: number;
  /** The line of the record. */
  readonly line: string;
}
