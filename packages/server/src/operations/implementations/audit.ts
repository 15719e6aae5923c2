// Implements reading the audit trail.
import type { Clock } from '@telltale/schema';
import { checkEverywhere } from '../../access/index.ts';
import {
  type AuditTrail,
  csvHeader,
  csvOf,
  type Position,
  type TrailFilter,
  type TrailQuery,
} from '../../audit/index.ts';
import type { PagesReply } from '../replies.ts';
import type { Implementations } from './implementation.ts';

export interface AuditParts {
  readonly trail: Pick<AuditTrail, 'read'>;
  readonly clock: Clock;
}

interface AskedFilter {
  readonly since?: number;
  readonly until?: number;
  readonly who?: string;
  readonly object?: string;
  readonly operation?: string;
  readonly result?: string;
  readonly source?: string;
}

const defaultLimit = 100;
/** Records of an export that are in memory at once. */
const exportLimit = 1000;

export function audit({ trail, clock }: AuditParts) {
  return {
    listAudit: async ({ before, limit = defaultLimit, ...filter }, { signal, caller }) => {
      checkEverywhere(caller, 'read-audit');
      const query = { ...filterOf(filter, clock), before, limit, isNewestFirst: true };
      const { lines, next } = await trail.read(query, undefined, signal());
      const last = lines.at(-1);
      const more =
        next === undefined || last === undefined ? '' : `,"next":${(JSON.parse(last) as { seq: number }).seq}`;
      return `{"records":[${lines.join(',')}]${more}}`;
    },
    exportAudit: (filter, { type, signal, caller }): PagesReply => {
      checkEverywhere(caller, 'read-audit');
      const gone = new AbortController();
      const query = { ...filterOf(filter, clock), limit: exportLimit, isNewestFirst: false };
      const until = AbortSignal.any([signal(), gone.signal]);
      return { pages: pagesOf(trail, query, type === 'text/csv', until), cancel: () => gone.abort() };
    },
  } satisfies Partial<Implementations>;
}

async function* pagesOf(
  trail: AuditParts['trail'],
  query: TrailQuery,
  isCsv: boolean,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  if (isCsv) yield Buffer.from(csvHeader);
  let from: Position | undefined;
  do {
    const page = await trail.read(query, from, signal);
    const { lines } = page;
    if (lines.length > 0) yield Buffer.from(isCsv ? csvOf(lines) : `${lines.join('\n')}\n`);
    from = page.next;
  } while (from !== undefined);
}

function filterOf({ since, until, ...texts }: AskedFilter, clock: Clock): TrailFilter {
  return { ...texts, since: momentOf(since, clock), until: momentOf(until, clock) };
}

/** As the trail has times; less than zero: back from now. */
export function momentOf(seconds: number | undefined, clock: Clock): string | undefined {
  if (seconds === undefined) return undefined;
  const ms = seconds < 0 ? clock.now() / 1000 + seconds * 1000 : seconds * 1000;
  return new Date(Math.max(0, Math.ceil(ms))).toISOString();
}
