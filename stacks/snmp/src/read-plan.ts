// Few requests for many objects of one agent: GET with many objects, and GETBULK for rows that stand side by side.
import { coalesce, type PollRequest, type StackPoint } from '@telltale/stack-kit';
import type { Address } from './address.ts';
import { parentOf } from './oid.ts';
import { asked, encodeVarbinds, type Varbind } from './pdu.ts';

export interface PlannedObject {
  readonly point: StackPoint;
  readonly address: Address;
}

export interface ReadRequest extends PollRequest {
  readonly agent: string;
  readonly objects: readonly PlannedObject[];
  /** Of GETBULK; undefined: a GET of the objects. */
  readonly bulk: BulkRange | undefined;
  readonly varbinds: Buffer;
  /** What came last for each object, for `explain`. */
  answers: readonly (Varbind | undefined)[];
  /** Why there was no answer the last time; undefined where there was one. */
  failure: string | undefined;
  endedUs: number;
}

export interface BulkRange {
  readonly columns: readonly string[];
  readonly repetitions: number;
}

export interface PlanLimits {
  readonly maxVarbinds: number;
  readonly bulk: boolean;
}

/** A column with fewer rows side by side is read by GET: nothing is won. */
const minRows = 4;
/** Unrequested rows in a gap that are read along. */
const maxGap = 2;

interface Row extends PlannedObject {
  readonly start: number;
  readonly length: 1;
}

/** All of one agent. */
export function planReads(agent: string, objects: readonly PlannedObject[], limits: PlanLimits): ReadRequest[] {
  const { maxVarbinds } = limits;
  const requests: ReadRequest[] = [];
  const singles: PlannedObject[] = [];
  const ranges = new Map<string, { columns: string[]; start: number; rows: number; objects: PlannedObject[] }>();
  for (const [column, rows] of columnsOf(objects)) {
    const runs = limits.bulk ? coalesce(rows, { maxLength: maxVarbinds, maxGap }) : [];
    if (!limits.bulk) singles.push(...rows);
    for (const { start, length, spans } of runs) {
      if (new Set(spans.map((row) => row.start)).size < minRows) {
        singles.push(...spans);
        continue;
      }
      // Columns of the same rows go together, as many as one answer holds.
      let part = 0;
      const fits = (other: { columns: string[] } | undefined) =>
        other === undefined || (other.columns.length + 1) * length <= maxVarbinds;
      while (!fits(ranges.get(`${start} ${length} ${part}`))) part++;
      const key = `${start} ${length} ${part}`;
      const range = ranges.get(key) ?? { columns: [], start, rows: length, objects: [] };
      range.columns.push(column);
      range.objects.push(...spans);
      ranges.set(key, range);
    }
  }
  for (const { columns, start, rows, objects: inRange } of ranges.values()) {
    // GETBULK answers what follows: the number before the first row, or the column itself.
    const before = columns.map((column) => asked(start === 0 ? column : `${column}.${start - 1}`));
    requests.push(request(agent, inRange, encodeVarbinds(before), { columns, repetitions: rows }));
  }
  for (let at = 0; at < singles.length; at += maxVarbinds) {
    requests.push(getRequest(agent, singles.slice(at, at + maxVarbinds)));
  }
  return requests;
}

export function getRequest(agent: string, objects: readonly PlannedObject[]): ReadRequest {
  return request(agent, objects, encodeVarbinds(objects.map(({ address }) => asked(address.oid))), undefined);
}

function request(
  agent: string,
  objects: readonly PlannedObject[],
  varbinds: Buffer,
  bulk: BulkRange | undefined,
): ReadRequest {
  return {
    points: objects.map(({ point }) => point),
    agent,
    objects,
    bulk,
    varbinds,
    answers: [],
    failure: undefined,
    endedUs: 0,
  };
}

/** By what stands before the last number, in the order of the points. */
function columnsOf(objects: readonly PlannedObject[]): Map<string, Row[]> {
  const columns = new Map<string, Row[]>();
  for (const object of objects) {
    const { oid } = object.address;
    const column = parentOf(oid);
    const rows = columns.get(column) ?? [];
    rows.push({ ...object, start: Number(oid.slice(column.length + 1)), length: 1 });
    columns.set(column, rows);
  }
  return columns;
}
