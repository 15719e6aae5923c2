// The thread of the store: sends what is archived to PostgreSQL, or to what speaks to a store; and seals what is in PostgreSQL.
import type { MessagePort } from 'node:worker_threads';
import { systemClock } from '@telltale/schema';
import type { OutgoingAccess, OutgoingClient } from '../archive/index.ts';
import { Link, messagePort, parentLink } from '../threads/index.ts';
import { LinkedStore } from './linked-store.ts';
import type { ParcelStore } from './parcel-store.ts';
import type { PostgresStore } from './postgres/postgres-store.ts';
import type { Sealing, SealingState } from './postgres/seal/sealing.ts';
import type { OpenStore, Site, StoreClient, StoreThread } from './protocol.ts';
import { Sender, type SenderState } from './sender.ts';

/** Over the bus, heartbeats tell the name. */
type NamingStore = ParcelStore & Partial<Pick<PostgresStore, 'nameSite' | 'close'>>;

interface OpenedStore {
  readonly parcels: NamingStore;
  /** Undefined: whoever has the store does it. */
  readonly sealing?: Sealing;
}

/** SQL is as far behind. */
const sealEveryMs = 5000;

class Sending {
  readonly #store: NamingStore;
  readonly #sender: Sender;
  readonly #site: Site;
  readonly #client: Link<StoreClient>;
  readonly #sealing: Sealing | undefined;
  #isNamed = false;

  constructor(
    store: OpenedStore,
    { site, gatherMs, areEpochsGiven }: OpenStore,
    port: MessagePort,
    client: Link<StoreClient>,
  ) {
    this.#store = store.parcels;
    this.#sealing = store.sealing;
    this.#site = site;
    this.#client = client;
    const archive = new Link<OutgoingAccess, OutgoingClient>(messagePort(port), { more: () => this.#sender.more() });
    const onState = (state: SenderState) => this.#tell(state);
    const sent = { site: site.id, gatherMs, areEpochsGiven };
    this.#sender = new Sender({ ...sent, clock: systemClock, archive, store: this.#store, onState });
    this.#sender.start();
    this.#sealing?.start();
  }

  retry(): void {
    this.#sender.retry();
  }

  async end(): Promise<void> {
    await Promise.all([this.#sender.stop(), this.#sealing?.end()]);
    this.#store.close?.();
  }

  #tell(state: SenderState): void {
    this.#client.notify('state', [state]);
    if (state.epoch === undefined || this.#isNamed || this.#store.nameSite === undefined) return;
    this.#isNamed = true;
    this.#store.nameSite(this.#site.id, this.#site.name).catch(() => {
      this.#isNamed = false;
    });
  }
}

async function storeOf({ address, site, keepUs }: OpenStore, client: Link<StoreClient>): Promise<OpenedStore> {
  if (address === undefined) return { parcels: new LinkedStore(client) };
  const { PostgresStore } = await import('./postgres/postgres-store.ts');
  const { Sealing } = await import('./postgres/seal/sealing.ts');
  const onState = (state: SealingState) => client.notify('sealing', [state]);
  return {
    parcels: new PostgresStore({ address, clock: systemClock, most: 2 }),
    sealing: new Sealing({ address, site: site.id, clock: systemClock, everyMs: sealEveryMs, keepUs, onState }),
  };
}

function main(): void {
  let sending: Sending | undefined;
  const client: Link<StoreClient> = parentLink<StoreClient, StoreThread>({
    open: async (options, port) => {
      sending = new Sending(await storeOf(options, client), options, port, client);
    },
    retry: () => sending?.retry(),
    close: () => sending?.end(),
  });
}

main();
