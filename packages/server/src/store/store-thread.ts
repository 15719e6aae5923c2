// The thread of the store: sends what is archived to PostgreSQL.
import type { MessagePort } from 'node:worker_threads';
import { systemClock } from '@telltale/schema';
import type { OutgoingAccess, OutgoingClient } from '../archive/index.ts';
import { Link, messagePort, parentLink } from '../threads/index.ts';
import type { PostgresStore } from './postgres/postgres-store.ts';
import type { OpenStore, Site, StoreClient, StoreThread } from './protocol.ts';
import { Sender, type SenderState } from './sender.ts';

class Sending {
  readonly #store: PostgresStore;
  readonly #sender: Sender;
  readonly #site: Site;
  readonly #client: Link<StoreClient>;
  #isNamed = false;

  constructor(store: PostgresStore, { site, gatherMs }: OpenStore, port: MessagePort, client: Link<StoreClient>) {
    this.#store = store;
    this.#site = site;
    this.#client = client;
    const archive = new Link<OutgoingAccess, OutgoingClient>(messagePort(port), { more: () => this.#sender.more() });
    const onState = (state: SenderState) => this.#tell(state);
    this.#sender = new Sender({ site: site.id, clock: systemClock, archive, store, gatherMs, onState });
    this.#sender.start();
  }

  async end(): Promise<void> {
    await this.#sender.stop();
    this.#store.close();
  }

  #tell(state: SenderState): void {
    this.#client.notify('state', [state]);
    if (state.epoch === undefined || this.#isNamed) return;
    this.#isNamed = true;
    this.#store.nameSite(this.#site.id, this.#site.name).catch(() => {
      this.#isNamed = false;
    });
  }
}

function main(): void {
  let sending: Sending | undefined;
  const client: Link<StoreClient> = parentLink<StoreClient, StoreThread>({
    open: async (options, port) => {
      // Nothing of it is loaded without a store.
      const { PostgresStore } = await import('./postgres/postgres-store.ts');
      const store = new PostgresStore({ address: options.address, clock: systemClock, most: 2 });
      sending = new Sending(store, options, port, client);
    },
    close: () => sending?.end(),
  });
}

main();
