// The certificates of connectors and providers, over HTTP.
import type { Certificate, CertificateState } from '@telltale/schema';
import { OperationCalls } from './operation-calls.ts';
import type { AskOptions, Transport } from './transport.ts';

export interface OperateCertificateOptions extends AskOptions {
  /** Only for this one, such as `connector/press`; without it, for all that have it. */
  readonly of?: string | undefined;
}

export type CertificateOperation = 'trust' | 'reject' | 'renew' | 'delete';

export class Certificates {
  readonly #calls: OperationCalls;

  constructor(transport: Transport) {
    this.#calls = new OperationCalls(transport);
  }

  list({ state, signal }: AskOptions & { readonly state?: CertificateState | undefined } = {}): Promise<Certificate[]> {
    return this.#calls.json('listCertificates', { state }, { signal });
  }

  /** Who waits for it connects at once. By its thumbprint, as all that follow. */
  trust(thumbprint: string, options?: OperateCertificateOptions): Promise<void> {
    return this.operate(thumbprint, 'trust', options);
  }

  /** Takes the trust back: connections that rest on it are closed. */
  reject(thumbprint: string, options?: OperateCertificateOptions): Promise<void> {
    return this.operate(thumbprint, 'reject', options);
  }

  operate(
    name: string,
    operation: CertificateOperation,
    { of, signal }: OperateCertificateOptions = {},
  ): Promise<void> {
    return this.#calls.send(`${operation}Certificate`, { name, of }, { signal });
  }
}
