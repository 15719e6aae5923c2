// The secrets of connectors and providers, over HTTP: they are set and deleted, and only their names are read.
import type { ListedSecret } from '@telltale/schema';
import { OperationCalls } from './operation-calls.ts';
import type { AskOptions, Transport } from './transport.ts';

export interface SecretOptions extends AskOptions {
  /** Whose it is; without it, a connector's. */
  readonly of?: 'connector' | 'provider' | undefined;
}

export class Secrets {
  readonly #calls: OperationCalls;

  constructor(transport: Transport) {
    this.#calls = new OperationCalls(transport);
  }

  list({ signal }: AskOptions = {}): Promise<ListedSecret[]> {
    return this.#calls.json('listSecrets', {}, { signal });
  }

  /** For the destination that is configured; whoever uses it starts again. */
  set(name: string, secret: string, value: string, { of = 'connector', signal }: SecretOptions = {}): Promise<void> {
    const operation = of === 'connector' ? 'setConnectorSecret' : 'setProviderSecret';
    return this.#calls.send(operation, { name, secret, value }, { signal });
  }

  delete(name: string, secret: string, { of = 'connector', signal }: SecretOptions = {}): Promise<void> {
    const operation = of === 'connector' ? 'deleteConnectorSecret' : 'deleteProviderSecret';
    return this.#calls.send(operation, { name, secret }, { signal });
  }
}
