// What is read from a trail: records by time, identity, object, operation and outcome, a page at a time, from the newest or
// from the oldest on. A long search lets commits pass between its steps.
import { setImmediate } from 'node:timers/promises';
import { fieldsOf } from './record-line.ts';
import { timesBefore } from './segment-times.ts';
import { type FoundLine, linesBack, linesOf, type Segment, segmentsIn } from './segments.ts';

/** What is not set is not looked at. Texts are exact; one that ends with * is a beginning. */
export interface TrailFilter {
  /** As ISO 8601 in UTC with milliseconds; half-open. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly who?: string | undefined;
  readonly object?: string | undefined;
  readonly operation?: string | undefined;
  readonly result?: string | undefined;
  readonly source?: string | undefined;
}

/** What was done to one object, by itself or, of a configured one, among others. */
export interface ObjectFilter {
  readonly kind: string;
  readonly name: string;
  /** Of those on the object by itself. */
  readonly operations: readonly string[];
}

export interface TrailQuery extends TrailFilter {
  readonly of?: ObjectFilter | undefined;
  /** The page ends when so many bytes were looked at. */
  readonly mostBytes?: number | undefined;
  readonly isNewestFirst: boolean;
  readonly limit: number;
  /** Newest first: only records with a lower sequence number. */
  readonly before?: number | undefined;
}

/** Where a page ended. */
export interface Position {
  /** The first sequence number of the segment. */
  readonly segment: number;
  /** Behind which, or, newest first, before which it goes on. */
  readonly offset: number;
}

export interface TrailPage {
  /** The records, each as JSON. */
  readonly lines: readonly string[];
  /** Undefined where nothing more follows. */
  readonly next: Position | undefined;
  /** Of a page that ended since enough was looked at: the last record that was. */
  readonly reached?: string | undefined;
}

const texts = ['who', 'object', 'operation', 'result', 'source'] as const;
/** Of a page: together with the records of another step. */
const pageBytes = 1 << 20;

export class TrailReader {
  readonly #folder: string;
  /** By the first sequence number of a segment, the times of its records. */
  readonly #times = new Map<number, { readonly from: string; readonly to: string }>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async page(query: TrailQuery, from: Position | undefined, signal?: AbortSignal): Promise<TrailPage> {
    const lines: string[] = [];
    let bytes = 0;
    let seen = 0;
    for (const { segment, next } of this.#segments(query, from)) {
      const offset = from?.segment === segment.first ? from.offset : undefined;
      for (const found of steps(segment, query, offset)) {
        for (const line of found) {
          seen += line.bytes.length;
          if (!line.isWhole || !fits(line, query)) continue;
          lines.push(line.bytes.toString());
          bytes += line.bytes.length;
          if (lines.length < query.limit && bytes < pageBytes) continue;
          return { lines, next: { segment: segment.first, offset: behind(line, query) } };
        }
        const last = found.at(-1);
        if (last?.isWhole && seen >= (query.mostBytes ?? Number.POSITIVE_INFINITY)) {
          const reached = last.bytes.toString();
          return { lines, next: { segment: segment.first, offset: behind(last, query) }, reached };
        }
        await setImmediate();
        signal?.throwIfAborted();
      }
      if (next === undefined) break;
    }
    return { lines, next: undefined };
  }

  /** Those in which something can be, in order, each with the one after it. */
  #segments(query: TrailQuery, from: Position | undefined): { segment: Segment; next: Segment | undefined }[] {
    const all = segmentsIn(this.#folder);
    const { isNewestFirst, before = Number.POSITIVE_INFINITY } = query;
    const chosen = all.filter((segment, at) => {
      if (from !== undefined && (isNewestFirst ? segment.first > from.segment : segment.first < from.segment))
        return false;
      return segment.first < before && this.#mayHave(segment, all[at + 1], query);
    });
    if (isNewestFirst) chosen.reverse();
    return chosen.map((segment, at) => ({ segment, next: chosen[at + 1] }));
  }

  #mayHave({ first }: Segment, following: Segment | undefined, { since, until }: TrailFilter): boolean {
    if (following === undefined || (since === undefined && until === undefined)) return true;
    const times = this.#times.get(first) ?? timesBefore(following.path);
    if (times === undefined) return true;
    this.#times.set(first, times);
    return (since === undefined || times.to >= since) && (until === undefined || times.from < until);
  }
}

function steps({ path }: Segment, { isNewestFirst }: TrailQuery, offset: number | undefined): Generator<FoundLine[]> {
  return isNewestFirst ? linesBack(path, offset) : linesOf(path, offset);
}

function behind({ at, bytes }: FoundLine, { isNewestFirst }: TrailQuery): number {
  return isNewestFirst ? at : at + bytes.length + 1;
}

function fits({ bytes }: FoundLine, query: TrailQuery): boolean {
  // Before it is parsed: most are of something else.
  if (query.of !== undefined && !bytes.includes(query.of.name)) return false;
  const fields = fieldsOf(bytes);
  if (fields === undefined) return false;
  const { seq, time } = fields;
  if (query.before !== undefined && !((seq as number) < query.before)) return false;
  if (query.since !== undefined && !((time as string) >= query.since)) return false;
  if (query.until !== undefined && !((time as string) < query.until)) return false;
  if (query.of !== undefined && !isOf(query.of, fields)) return false;
  return texts.every((name) => query[name] === undefined || isMeant(query[name], fields[name]));
}

function isOf({ kind, name, operations }: ObjectFilter, fields: Record<string, unknown>): boolean {
  if (fields.object === name && operations.includes(fields.operation as string)) return true;
  if ((fields.new as { dryRun?: unknown } | undefined)?.dryRun === true) return false;
  return [fields.old, fields.new].some((side) => {
    const { objects } = (side ?? {}) as { objects?: unknown };
    return typeof objects === 'object' && objects !== null && Object.hasOwn(objects, `${kind}/${name}`);
  });
}

function isMeant(wanted: string, value: unknown): boolean {
  if (typeof value !== 'string') return false;
  return wanted.endsWith('*') ? value.startsWith(wanted.slice(0, -1)) : value === wanted;
}
