// The sites of a centre, over HTTP.
import type { CentreSite } from '@telltale/schema';
import { OperationCalls } from './operation-calls.ts';
import type { AskOptions, Transport } from './transport.ts';

export class Sites {
  readonly #calls: OperationCalls;

  constructor(transport: Transport) {
    this.#calls = new OperationCalls(transport);
  }

  /** By id; empty where the service is no centre. It has no prototype. */
  list({ signal }: AskOptions = {}): Promise<Record<string, CentreSite>> {
    return this.#calls.collection('listSites', {}, { signal });
  }

  /** By its id; or by its name, where only one site has it. */
  get(site: string, { signal }: AskOptions = {}): Promise<CentreSite> {
    return this.#calls.json('getSite', { site }, { signal });
  }
}
