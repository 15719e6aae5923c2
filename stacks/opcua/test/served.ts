// A provider of the stack as clients meet it, with a server behind it that does as little as it can.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Batch, type Datatype, quality, type Value } from '@telltale/schema';
import {
  type Provider,
  type ProviderHistory,
  type ProviderOptions,
  Refused,
  type StackAlarm,
  type StackPoint,
  written,
} from '@telltale/stack-kit';
import { freePort, providerOptions } from '@telltale/stack-kit/testing';
import { cleanupOf, suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { createProvider } from '../src/provider.ts';
import stack from '../src/stack.ts';
import { historyOf } from './history-in-memory.ts';

export const point = (id: number, name: string, datatype: Datatype, properties: Record<string, string> = {}) => {
  return { id, name, address: `At.${name}`, datatype, properties, last: undefined };
};

const keys: { folder?: string } = {};
const cleanup = suiteCleanup();

export class Served {
  readonly folder: string;
  readonly written: [string, Value][] = [];
  readonly acknowledged: [string, string][] = [];
  /** Of users of the service, beside those. */
  readonly asUser: string[] = [];
  readonly log: string[] = [];
  readonly port: number;
  readonly provider: Provider;
  /** What the archive is made of; a test replaces it. */
  history: ProviderHistory = historyOf([]);
  /** Of the service; a test replaces it. */
  signIn: ProviderOptions<unknown>['signIn'] = () => Promise.reject(new Refused('nobody is known'));
  readonly #controller = new AbortController();

  static async start(
    t: TestContext,
    measurements: readonly StackPoint[],
    commands: ReturnType<typeof point>[] = [],
    variables: Record<string, string> = {},
  ): Promise<Served> {
    const served = new Served(temporaryFolder(t), await freePort(), variables);
    cleanupOf(t).defer(() => served.stop());
    // A key takes long to make: it is made once.
    if (keys.folder !== undefined) cpSync(keys.folder, served.folder, { recursive: true });
    served.provider.setPoints({ measurements, commands });
    await served.provider.connect(served.#controller.signal);
    if (keys.folder === undefined) {
      keys.folder = temporaryFolder(cleanup);
      cpSync(join(served.folder, 'own'), join(keys.folder, 'own'), { recursive: true });
    }
    return served;
  }

  private constructor(folder: string, port: number, variables: Record<string, string>) {
    this.folder = folder;
    this.port = port;
    const users = { userName: 'joe', password: 'secret', readerName: 'ann', readerPassword: 'look' };
    const read = stack.provider?.readVariables({ port: String(port), unsecured: 'true', ...users, ...variables });
    if (read?.values === undefined) throw new Error(JSON.stringify(read?.faults));
    const log = (message: string) => this.log.push(message);
    this.provider = createProvider(
      providerOptions({
        name: 'site',
        variables: read.values as Parameters<typeof createProvider>[0]['variables'],
        folder: this.folder,
        log: { debug: log, info: log, warn: log, error: log },
        write: async ({ id, name }, value, user) => {
          if (user !== undefined) this.asUser.push(`${user.name} writes ${name}`);
          if (value === 12) return written.denied('the user may not');
          if (value === 13) return written.refused('interlock');
          if (value === 14) return written.unknown('no answer');
          if (value === 15) return written.notSent('the connector is down');
          this.written.push([name, value]);
          this.publish((batch) => batch.value(id, value, quality.good, Date.now() * 1000));
          return written.accepted;
        },
        history: {
          read: (...asked) => this.history.read(...asked),
          aggregate: (...asked) => this.history.aggregate(...asked),
        },
        signIn: (credentials) => this.signIn(credentials),
        acknowledge: async ({ id, name }: StackAlarm, authority, user) => {
          if (user !== undefined) this.asUser.push(`${user.name} acknowledges ${name}`);
          if (name === 'deaf') return written.refused('the device refuses it');
          if (name === 'frail') return written.unknown('no answer');
          this.acknowledged.push([name, authority]);
          this.provider.publishAlarms?.([{ id, isActive: true, isAcknowledged: true, timeUs: 2e15, authority }]);
          return written.accepted;
        },
      }),
    );
  }

  publish(fill: (batch: Batch) => void): void {
    const batch = new Batch();
    fill(batch);
    this.provider.publish(batch);
  }

  async stop(): Promise<void> {
    this.#controller.abort();
    await this.provider.close();
  }
}
