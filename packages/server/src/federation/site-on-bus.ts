// This server as a site on the bus: how what it archives reaches the store of the centre, what it says of itself, and how it carries
// out what the centre asks for.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BusState } from '@telltale/schema';
import type { CentreCallers } from '../access/index.ts';
import type { Alarms } from '../alarms/index.ts';
import type { HttpServer } from '../api/index.ts';
import type { BeatFacts, BusStore } from '../bus/index.ts';
import type { Commands, Measurements } from '../points/index.ts';
import { type ParcelStore, type SenderState, StoreError, siteIdOf } from '../store/index.ts';
import { CountedObjects } from './counted-objects.ts';
import { type BusSettings, busStateOf, logBus, type OpenedBus, openBus } from './open-bus.ts';

export interface SiteOnBusOptions extends BusSettings {
  /** Of all data of the server. */
  readonly folder: string;
  /** For people. */
  readonly siteName: string;
  readonly version: string;
  /** How far the archive is sent; undefined: that is not known yet. */
  readonly sender: () => SenderState | undefined;
  /** The bus is there again. */
  readonly onUp: () => void;
  /** Published while a centre wants it. */
  readonly live: LiveObjects;
  /** Where what the centre asks for comes in, and as whom. */
  readonly callers: CentreCallers;
  readonly served: () => HttpServer;
}

interface Opened extends OpenedBus {
  readonly store: BusStore;
  readonly start: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface LiveObjects {
  readonly measurements: Measurements;
  readonly commands: Commands;
  readonly alarms: Alarms;
}

const socketName = 'centre.sock';

export class SiteOnBus {
  readonly #options: SiteOnBusOptions;
  /** That of the centre. */
  readonly store: ParcelStore;
  #opened: Opened | undefined;

  constructor(options: SiteOnBusOptions) {
    this.#options = options;
    const open = (): BusStore => {
      if (this.#opened === undefined) throw new StoreError('unreachable', 'the bus is not open');
      return this.#opened.store;
    };
    this.store = {
      get mostBytes() {
        return open().mostBytes;
      },
      newest: async (...args) => open().newest(...args),
      claim: async (...args) => open().claim(...args),
      send: async (...args) => open().send(...args),
    };
  }

  /** For people. */
  get name(): string {
    return this.#options.address;
  }

  get bus(): BusState | undefined {
    return this.#opened && busStateOf(this.#opened, 'site');
  }

  /** Before the first rendering. Rejects with `UnusableBus`, `UnusableSite`, and the system's errors. */
  async open(): Promise<void> {
    const { live, folder, clock, log, siteName: name, version, sender, onUp, callers } = this.#options;
    const site = siteIdOf(folder);
    const run = randomBytes(12).toString('base64url');
    const bus = await openBus(this.#options, site);
    const { library, connection } = bus;
    logBus(connection, log);
    connection.observe(({ isUp }) => isUp && onUp());
    const outcomes = await library.OutcomeLog.open(folder);
    const http = this.#options.served();
    const socketPath = await this.#listen(http);
    const epoch = () => sender()?.epoch ?? null;
    const exchanges = new library.SiteExchanges({
      bus: connection,
      clock,
      site,
      run,
      epoch,
      outcomes,
      handle: (exchange) =>
        library.serveExchange(exchange, {
          socketPath,
          headers: ({ request }) => ({ host: 'localhost', authorization: callers.authorizationOf(request.caller) }),
        }),
    });
    const counted = new CountedObjects(live.measurements, live.alarms);
    const facts = (): BeatFacts => ({
      name,
      epoch: epoch(),
      uplink: uplinkOf(sender()),
      points: counted.nextPoints(),
      alarms: counted.alarms,
    });
    const beats = new library.SiteBeats({ bus: connection, clock, site, run, version, facts });
    const publisher = new library.LivePublisher({ bus: connection, clock, site, ...live });
    const start = async () => {
      exchanges.start();
      publisher.start();
      connection.start();
      beats.start();
    };
    const close = async () => {
      beats.stop();
      await publisher.stop();
      await exchanges.stop();
      await connection.stop();
      http.server.closeAllConnections();
      await http.close();
      rmSync(socketPath, { force: true });
      await outcomes.close();
    };
    this.#opened = { ...bus, store: new library.BusStore({ bus: connection }), start, close };
  }

  /** Does not wait for the bus. */
  async start(): Promise<void> {
    await this.#opened?.start();
  }

  async close(): Promise<void> {
    await this.#opened?.close();
  }

  /** In the data folder, which is closed to others. */
  async #listen(http: HttpServer): Promise<string> {
    const path = join(this.#options.folder, socketName);
    rmSync(path, { force: true });
    http.server.listen(path);
    await once(http.server, 'listening');
    return path;
  }
}

function uplinkOf(sender: SenderState | undefined): BeatFacts['uplink'] {
  if (sender === undefined) return null;
  const { failure, epoch, seq, sentAtUs, sent, waiting, oldestUnsentUs, stored, dropped, discarded } = sender;
  return {
    failure: failure?.slice(0, 1000) ?? null,
    epoch: epoch ?? null,
    seq,
    sentAtUs: sentAtUs === undefined ? null : Math.floor(sentAtUs),
    sent,
    waiting,
    oldestUnsentUs,
    stored,
    dropped,
    discarded,
  };
}
