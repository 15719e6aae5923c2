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
import type { BeatFacts, BusStore, LivePublisher, OutcomeLog, SiteBeats, SiteExchanges } from '../bus/index.ts';
import type { Commands, Measurements } from '../points/index.ts';
import { type ParcelStore, type SenderState, StoreError } from '../store/index.ts';
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

/** A node that acts for the site, of several. */
export interface LeadingNode {
  readonly node: string;
  readonly epoch: number;
}

interface Opened extends OpenedBus {
  readonly site: string;
  readonly store: BusStore;
  readonly http: HttpServer;
  readonly socketPath: string;
  readonly outcomes: OutcomeLog;
  readonly publisher: LivePublisher;
  readonly counted: CountedObjects;
}

/** Who speaks for the site: another one after each start, and each time that this node leads. */
interface Voice {
  readonly exchanges: SiteExchanges;
  readonly beats: SiteBeats;
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
  #voice: Voice | undefined;

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

  /** As which site. Rejects with `UnusableBus`, and the system's errors: then it is as before, and can be tried again. */
  async open(site: string): Promise<void> {
    if (this.#opened !== undefined) return;
    const { live, folder, clock, log, onUp } = this.#options;
    await using opening = new AsyncDisposableStack();
    const bus = await openBus(this.#options, site);
    const { library, connection } = bus;
    opening.defer(() => connection.stop());
    const outcomes = await library.OutcomeLog.open(folder);
    opening.defer(() => outcomes.close());
    const http = this.#options.served();
    const socketPath = await this.#listen(http);
    logBus(connection, log);
    connection.observe(({ isUp }) => isUp && onUp());
    const publisher = new library.LivePublisher({ bus: connection, clock, site, ...live });
    const store = new library.BusStore({ bus: connection });
    const counted = new CountedObjects(live.measurements, live.alarms);
    opening.move();
    this.#opened = { ...bus, site, store, http, socketPath, outcomes, publisher, counted };
  }

  /** Does not wait for the bus. */
  start(): void {
    this.#opened?.connection.start();
  }

  /** From now on this server says how the site is, and carries out what the centre asks for; of several nodes, the one that leads. */
  speak(leading?: LeadingNode): void {
    if (this.#opened === undefined || this.#voice !== undefined) return;
    const { clock, siteName: name, version, sender, callers } = this.#options;
    const { library, connection: bus, site, outcomes, socketPath, publisher, counted } = this.#opened;
    const run = randomBytes(12).toString('base64url');
    const epoch = () => leading?.epoch ?? sender()?.epoch ?? null;
    const exchanges = new library.SiteExchanges({
      bus,
      clock,
      site,
      run,
      epoch,
      outcomes,
      since: leading && new Date(clock.now() / 1000).toISOString(),
      handle: (exchange) =>
        library.serveExchange(exchange, {
          socketPath,
          headers: ({ request }) => ({ host: 'localhost', authorization: callers.authorizationOf(request.caller) }),
        }),
    });
    const node = leading?.node ?? null;
    const facts = (): BeatFacts => ({
      name,
      node,
      epoch: epoch(),
      uplink: uplinkOf(sender()),
      points: counted.nextPoints(),
      alarms: counted.alarms,
    });
    const beats = new library.SiteBeats({ bus, clock, site, run, version, facts });
    this.#voice = { exchanges, beats };
    exchanges.start();
    publisher.start();
    beats.start();
  }

  /** `isEnd`: no other node goes on. Resolves when nothing is under way here. */
  async hush(isEnd: boolean): Promise<void> {
    const { exchanges, beats } = this.#voice ?? {};
    this.#voice = undefined;
    beats?.stop(isEnd);
    await this.#opened?.publisher.stop();
    await exchanges?.stop();
  }

  async close(isEnd: boolean): Promise<void> {
    await this.hush(isEnd);
    const { connection, http, socketPath, outcomes } = this.#opened ?? {};
    await connection?.stop();
    http?.server.closeAllConnections();
    await http?.close();
    if (socketPath !== undefined) rmSync(socketPath, { force: true });
    await outcomes?.close();
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
