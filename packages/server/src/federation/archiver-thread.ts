// The thread of a centre that takes parcels of sites from the bus into the store.
import { systemClock } from '@telltale/schema';
import type { Archiver, BusConnection } from '../bus/index.ts';
import { type PostgresStore, postgresStore } from '../store/index.ts';
import { type Link, parentLink } from '../threads/index.ts';
import type { ArchiverClient, ArchiverThread, OpenArchiver } from './archiver-protocol.ts';
import { SiteNames } from './site-names.ts';

/** Sites whose parcels are on their way to the disk at once. */
const most = 8;
const tellMs = 1000;
/** Another centre may have named some; the store may be away. */
const [readNamesMs, readNamesAgainMs] = [60_000, 2000];

class Archiving {
  readonly #store: PostgresStore;
  readonly #bus: BusConnection;
  readonly #archiver: Archiver;
  readonly #client: Link<ArchiverClient>;
  readonly #names: SiteNames;
  #cancel = () => {};
  #cancelReading = () => {};
  #isClosed = false;

  constructor(store: PostgresStore, bus: BusConnection, archiver: Archiver, client: Link<ArchiverClient>) {
    this.#store = store;
    this.#bus = bus;
    this.#archiver = archiver;
    this.#client = client;
    this.#names = new SiteNames((site, name) => store.nameSite(site, name));
    archiver.start();
    bus.start();
    this.#tell();
    void this.#readNames();
  }

  nameSite(site: string, name: string): void {
    this.#names.said(site, name);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    this.#cancelReading();
    await this.#archiver.stop();
    await this.#bus.stop();
    this.#store.close();
  }

  #tell(): void {
    this.#client.notify('state', [{ bus: this.#bus.state, counts: this.#archiver.counts }]);
    this.#cancel = systemClock.after(tellMs, () => this.#tell());
  }

  async #readNames(): Promise<void> {
    const sites = await this.#store.sites().catch(() => undefined);
    if (this.#isClosed) return;
    if (sites !== undefined) this.#client.notify('sites', [sites]);
    const pauseMs = sites === undefined ? readNamesAgainMs : readNamesMs;
    this.#cancelReading = systemClock.after(pauseMs, () => void this.#readNames());
  }
}

async function open({ store: address, bus, name }: OpenArchiver, client: Link<ArchiverClient>): Promise<Archiving> {
  const { Archiver, BusConnection, inboxOf, parseBusAddress } = await import('../bus/index.ts');
  const store = await postgresStore({ address, clock: systemClock, most });
  const onFault = (error: unknown) =>
    void client.notify('fault', [error instanceof Error ? error : new Error(`${error}`)]);
  const connection = new BusConnection({
    address: parseBusAddress(bus.address),
    files: bus.files,
    name: `telltale ${name}`,
    inbox: inboxOf(name),
    clock: systemClock,
    onFault,
  });
  return new Archiving(store, connection, new Archiver({ bus: connection, store, onFault }), client);
}

function main(): void {
  let archiving: Archiving | undefined;
  const client: Link<ArchiverClient> = parentLink<ArchiverClient, ArchiverThread>({
    open: async (options) => {
      archiving = await open(options, client);
    },
    nameSite: (site, name) => archiving?.nameSite(site, name),
    close: () => archiving?.close(),
  });
}

main();
