// The audit trail, over HTTP.
import type { AuditRecord } from '@telltale/schema';
import { OperationCalls } from './operation-calls.ts';
import type { AskOptions, Download, Transport } from './transport.ts';

/** What is not set is not looked at. A text that ends with * is a beginning. */
export interface AuditFilter extends AskOptions {
  /** In seconds since 1970; below zero: back from now. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly who?: string | undefined;
  readonly object?: string | undefined;
  readonly operation?: string | undefined;
  /** `done`, or the name of a problem. */
  readonly result?: string | undefined;
  /** The address that the request came from. */
  readonly source?: string | undefined;
}

export interface AuditPage {
  /** The newest first. */
  readonly records: AuditRecord[];
  /** For `before`, where there may be more. */
  readonly next?: number;
}

export class AuditAccess {
  readonly #calls: OperationCalls;

  constructor(transport: Transport) {
    this.#calls = new OperationCalls(transport);
  }

  list({
    signal,
    ...input
  }: AuditFilter & { readonly before?: number; readonly limit?: number } = {}): Promise<AuditPage> {
    return this.#calls.json('listAudit', input, { signal });
  }

  /** The oldest first: lines of JSON as they are on disk, or CSV. */
  export(form: 'json' | 'csv', { signal, ...input }: AuditFilter = {}): Promise<Download> {
    const accept = form === 'csv' ? 'text/csv' : 'application/x-ndjson';
    return this.#calls.download('exportAudit', input, { accept, signal });
  }
}
