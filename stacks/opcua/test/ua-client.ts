// A client of the tests, in a process of its own.
import { until } from '@telltale/stack-kit/testing';
import type { HistoryAnswer, HistoryOrder } from './client-history.ts';
import type { ManyOrder } from './client-many.ts';
import { OrderedProcess } from './ordered-process.ts';

export interface Read {
  readonly value: unknown;
  readonly type: string;
  readonly status: string;
  readonly timeUs: number | undefined;
}

export interface Who {
  readonly port: number;
  readonly mode?: 'None' | 'Sign' | 'SignAndEncrypt';
  readonly userName?: string;
  readonly password?: string;
  readonly applicationUri?: string;
  readonly renewMs?: number;
  readonly lifetimeMs?: number;
}

export class UaClientProcess extends OrderedProcess {
  static start(): Promise<UaClientProcess> {
    return new UaClientProcess('client-main.ts').ready();
  }

  /** Rejects with the words of the server where it is not let in. */
  async open(who: Who): Promise<UaClientSession> {
    return new UaClientSession(this, (await this.order({ kind: 'open', ...who })) as number);
  }

  /** As soon as the server is there, and lets it in. */
  async openOnceServed(who: Who): Promise<UaClientSession> {
    let session: UaClientSession | undefined;
    await until('the server lets a client in', async () => {
      session = await this.open(who).catch(() => undefined);
      return session !== undefined;
    });
    return session as UaClientSession;
  }
}

export class UaClientSession {
  readonly #process: UaClientProcess;
  readonly #session: number;

  constructor(process: UaClientProcess, session: number) {
    this.#process = process;
    this.#session = session;
  }

  read(node: string): Promise<Read> {
    return this.order({ kind: 'read', node }) as Promise<Read>;
  }

  history(node: string, history: HistoryOrder): Promise<HistoryAnswer> {
    return this.order({ kind: 'history', node, history }) as Promise<HistoryAnswer>;
  }

  /** What is answered for each. */
  many(service: ManyOrder['service'], nodes: readonly string[]): Promise<unknown[]> {
    return this.order({ kind: 'many', many: { service, nodes } }) as Promise<unknown[]>;
  }

  /** Resolves with the status. */
  write(node: string, type: string, value: unknown): Promise<string> {
    return this.order({ kind: 'write', node, type, value }) as Promise<string>;
  }

  async browse(node: string): Promise<{ readonly name: string; readonly nodeId: string }[]> {
    return (await this.order({ kind: 'browse', node })) as { name: string; nodeId: string }[];
  }

  /** What changed of the nodes that it watches, and the events that it heard of. */
  async seen(): Promise<{ readonly values: [unknown, string][]; readonly events: unknown[][] }> {
    return (await this.order({ kind: 'seen' })) as { values: [unknown, string][]; events: unknown[][] };
  }

  order(order: Record<string, unknown>): Promise<unknown> {
    return this.#process.order({ session: this.#session, ...order });
  }

  async close(): Promise<void> {
    await this.order({ kind: 'close' });
  }
}
