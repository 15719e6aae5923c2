// What is recorded of an operation, as the fields of a record: every text and value in it is bounded.
import { hash } from 'node:crypto';

export interface AuditEntry {
  /** The identity, such as anna or token/report. */
  readonly who: string;
  /** Of the identity. */
  readonly kind: string;
  /** The address that the request came from. */
  readonly source?: string | undefined;
  /** The public id of the session or token. */
  readonly session?: string | undefined;
  readonly operation: string;
  readonly object?: string | undefined;
  /** The id of the site, of what a centre has forwarded. */
  readonly site?: string | undefined;
  readonly area?: string | undefined;
  readonly old?: unknown;
  readonly new?: unknown;
  readonly reason?: string | undefined;
  /** The second person, of what two have signed. */
  readonly approver?: string | undefined;
  /** `done`, or the name of a problem. */
  readonly result: string;
  /** The revision that runs. */
  readonly rendering?: number | undefined;
}

const mostText = 256;
/** Of a value, as JSON. */
const mostValue = 4096;
const shownOfValue = 1024;

/** JSON without the braces around it. */
export function fieldsText(entry: AuditEntry, timeUs: number): string {
  const record = {
    time: new Date(timeUs / 1000).toISOString(),
    who: short(entry.who),
    kind: entry.kind,
    source: short(entry.source),
    session: short(entry.session),
    operation: entry.operation,
    object: short(entry.object),
    site: short(entry.site),
    area: short(entry.area),
    old: boundedValue(entry.old),
    new: boundedValue(entry.new),
    reason: entry.reason?.slice(0, shownOfValue),
    approver: short(entry.approver),
    result: entry.result,
    rendering: entry.rendering,
  };
  return JSON.stringify(record).slice(1, -1);
}

function short(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : text.slice(0, mostText);
}

/** A value that is too long is shown by its beginning, its length and its SHA-256. */
function boundedValue(value: unknown): unknown {
  if (value === undefined || typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'string' && value.length < shownOfValue) return value;
  const json = JSON.stringify(value) ?? 'null';
  if (json.length <= mostValue) return value;
  return { beginning: json.slice(0, shownOfValue), length: json.length, sha256: hash('sha256', json, 'hex') };
}
