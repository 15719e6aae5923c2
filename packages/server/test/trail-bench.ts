// An audit trail for tests: records with a few fields, and what is in the files.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fieldsText } from '../src/audit/audit-entry.ts';
import { segmentsIn } from '../src/audit/segments.ts';
import { TrailWriter, trailFolder } from '../src/audit/trail-writer.ts';

export const startMs = Date.UTC(2030, 0, 1);
export const dayMs = 86_400_000;

export const fieldsOfWrite = (number: number, timeMs = startMs + number, who = 'anna') =>
  fieldsText(
    { who, kind: 'user', operation: 'writeCommand', object: `valve_${number}`, old: 'i1', new: 'i2', result: 'done' },
    timeMs * 1000,
  );

export function openTrail(folder: string, segmentBytes = 1 << 20, nowMs = startMs): TrailWriter {
  return new TrailWriter({ folder, segmentBytes, segmentMs: dayMs }, nowMs);
}

/** Every line of the segments, in order, with its end. */
export function linesIn(folder: string): string[] {
  return segmentsIn(join(folder, trailFolder)).flatMap(({ path }) => readFileSync(path, 'utf8').split(/(?<=\n)/));
}

/** Replaces the content of the only segment. */
export function putLines(folder: string, lines: readonly string[]): void {
  const [segment] = segmentsIn(join(folder, trailFolder));
  writeFileSync(segment?.path ?? '', lines.join(''));
}
