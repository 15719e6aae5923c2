// Records of the audit trail, the newest first, a page at a time as they are wanted; one of them by its number; and the export.
// The service records each reading of the trail in it: nothing is read without being asked for.
import type { AuditRecord } from '@telltale/schema';
import { client } from './service.ts';

export type { AuditRecord };

/** Empty: any. A text that ends with * is a beginning. */
export interface AuditChoice {
  readonly who: string;
  readonly operation: string;
  readonly object: string;
  readonly result: string;
  readonly source: string;
  /** Microseconds since 1970. */
  readonly since: number | undefined;
  readonly until: number | undefined;
}

const pageRecords = 200;

export class AuditReader {
  readonly #choice: AuditChoice;
  #before: number | undefined;
  #isDone = false;

  constructor(choice: AuditChoice) {
    this.#choice = choice;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** The next ones back in time. */
  async next(signal: AbortSignal): Promise<AuditRecord[]> {
    const { records, next } = await client.audit.list({
      ...filterOf(this.#choice),
      ...(this.#before !== undefined && { before: this.#before }),
      limit: pageRecords,
      signal,
    });
    this.#before = next;
    this.#isDone = next === undefined;
    return records;
  }
}

/** Undefined where there is none of this number: it may have been removed when its retention ended. */
export async function readAuditRecord(seq: number, signal: AbortSignal): Promise<AuditRecord | undefined> {
  const { records } = await client.audit.list({ before: seq + 1, limit: 1, signal });
  return records.find((record) => record.seq === seq);
}

/** The oldest first; whole, or it throws. */
export async function exportAudit(form: 'json' | 'csv', choice: AuditChoice, signal: AbortSignal): Promise<Blob> {
  const { stream } = await client.audit.export(form, { ...filterOf(choice), signal });
  return new Response(stream).blob();
}

function filterOf({ since, until, ...texts }: AuditChoice) {
  const given = Object.entries(texts).filter(([, text]) => text !== '');
  return {
    ...(Object.fromEntries(given) as Partial<typeof texts>),
    since: since === undefined ? undefined : since / 1e6,
    until: until === undefined ? undefined : until / 1e6,
  };
}
