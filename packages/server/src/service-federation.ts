// How the service works with others, as its settings want it: alone, with a store, as a site on a bus, or as a centre.
import { hostname } from 'node:os';
import type { BusState, Clock, Degradation } from '@telltale/schema';
import { permissionNames, toTimestamp } from '@telltale/schema';
import type { Logger } from 'pino';
import packageJson from '../package.json' with { type: 'json' };
import { type Access, CentreCallers } from './access/index.ts';
import type { HttpServer } from './api/index.ts';
import type { Archive } from './archive/index.ts';
import { busFilesOf, roleOnBus } from './bus-settings.ts';
import type { Centre, LeadingNode, LiveObjects, SiteOnBus } from './federation/index.ts';
import type { OtherNode, RecordsExchange } from './nodes/index.ts';
import { BusAdmission } from './service-admission.ts';
import { createStore } from './service-archive.ts';
import type { Settings } from './settings.ts';
import type { SiteIdentity } from './standby/index.ts';
import { becomeSite, type SharedStore, siteIdIn, siteIdOf } from './store/index.ts';

export interface FederationOptions {
  readonly settings: Settings;
  /** Undefined where there is no bus. */
  readonly library: typeof import('./federation/index.ts') | undefined;
  /** Undefined where there are no other nodes. */
  readonly exchange: typeof import('./nodes/index.ts') | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly archive: Archive;
  readonly access: Pick<Access, 'onChanged'>;
  readonly live: LiveObjects;
  /** Made where a centre forwards what it is asked of this site. */
  readonly forwarded: (callers: CentreCallers) => HttpServer;
  /** How the service is reached. */
  readonly url: () => string;
  readonly fingerprint: () => string | undefined;
  /** Of this site, the other ones that are there. */
  readonly otherNodes: () => readonly OtherNode[];
}

/** What a centre may do at a site: everything but to say who may do what there. */
const ofCentre = [{ permissions: permissionNames.filter((each) => each !== 'manage-users') }];

/** Epochs of a lease begin above one of these, where there were others before: those of etcd count up from 1, a few a second. */
const epochStep = 10_000_000_000;

const retryMs = 2000;

export class Federation {
  readonly store: SharedStore | undefined;
  readonly centre: Centre | undefined;
  /** Undefined: this server is the only node of its site. */
  readonly records: RecordsExchange | undefined;
  /** Who may connect to the bus. */
  readonly admission: BusAdmission;
  readonly #site: SiteOnBus | undefined;
  readonly #options: FederationOptions;
  /** Of one of several nodes: its name. */
  readonly #node: string | undefined;
  #identity: SiteIdentity | undefined;
  /** As which this node speaks for the site, while it leads. */
  #leading: LeadingNode | undefined;
  /** Why the site could not be opened, and since when. */
  #notOpen: Degradation | undefined;
  #retry: (() => void) | undefined;
  #isClosed = false;
  /** Resolves when the site is known and what speaks for it is open. */
  #opening: Promise<void> = Promise.resolve();

  constructor(options: FederationOptions) {
    const { settings, library, clock, log, archive, access, live, forwarded, url, fingerprint } = options;
    const { bus: address, store, data: folder, lease, site: siteName = hostname() } = settings;
    this.#options = options;
    this.#node = lease === undefined ? undefined : (settings.node ?? hostname());
    const role = roleOnBus(settings);
    const callers = new CentreCallers(ofCentre);
    const bus = address === undefined ? undefined : { address, files: busFilesOf(settings), clock, log };
    if (library !== undefined && bus !== undefined && role === 'centre') {
      this.centre = new library.Centre({ ...bus, store, identities: access, members: () => this.admission.members });
    }
    if (library !== undefined && bus !== undefined && role === 'site') {
      this.#site = new library.SiteOnBus({
        ...bus,
        folder,
        siteName,
        version: packageJson.version,
        sender: () => this.store?.sender,
        onUp: () => this.store?.retry(),
        live,
        callers,
        served: () => forwarded(callers),
      });
    }
    this.admission = new BusAdmission({
      settings,
      clock,
      log,
      url,
      fingerprint,
      sites: () => this.centre?.sites ?? [],
      hasRead: async (version) => (await this.centre?.hasRead(version)) ?? false,
    });
    const areEpochsGiven = this.#node !== undefined;
    this.records = this.#node === undefined ? undefined : exchangeOf(this.#node, options);
    this.store = createStore({ settings, clock, log, archive, areEpochsGiven, overBus: this.#site });
  }

  /** Before the first rendering. Rejects with `UnusableBus`, `UnusableSite`, and the system's errors. */
  async prepare(): Promise<void> {
    const { settings, library } = this.#options;
    const { bus: address, data } = settings;
    if (this.#node === undefined && this.#site !== undefined) await this.#site.open(siteIdOf(data));
    else if (this.#site !== undefined && address !== undefined) await library?.checkBus({ address });
  }

  /** Waits for nobody else. A node of a site opens its part when the nodes have agreed on who that is. */
  async open(): Promise<void> {
    await this.admission.open();
    if (this.#node === undefined) {
      this.#site?.start();
      this.#site?.speak();
      if (this.store !== undefined) this.store.open(siteIdOf(this.#options.settings.data));
    }
    await this.centre?.open();
  }

  /** Undefined: it is on none. */
  get bus(): BusState | undefined {
    return this.centre?.bus ?? this.#site?.bus;
  }

  /** What this node brings where the site has nothing yet. */
  async ownIdentity(): Promise<SiteIdentity> {
    const { settings, archive } = this.#options;
    const last = await archive.lastEpoch();
    const epochsFrom = last === undefined ? 0 : (Math.floor(last / epochStep) + 1) * epochStep;
    return { id: siteIdOf(settings.data), epochsFrom };
  }

  /** The nodes have agreed on who the site is. Once. */
  agree(identity: SiteIdentity): void {
    this.#identity = identity;
    this.records?.agreeOnSite(identity.id);
    this.#opening = this.#openOrRetry(identity.id);
  }

  /** And on how they sign what they ask each other. Once. */
  agreeOnSecret(secret: string): void {
    this.records?.agreeOnSecret(secret);
  }

  /** This node leads: what it records from now on is of this epoch, and it speaks for the site. */
  async lead(epoch: number): Promise<void> {
    await this.#opening;
    if (this.#identity === undefined || this.#node === undefined) return;
    await this.#options.archive.lead(this.#identity.epochsFrom + epoch);
    this.#leading = { node: this.#node, epoch };
    this.#site?.speak(this.#leading);
  }

  /** Another node does. What was recorded here goes on to the store. */
  rest(): void {
    this.#leading = undefined;
    this.#site?.hush(false).catch((err: Error) => this.#options.log.error({ err }, 'the bus: it could not be left'));
  }

  get degraded(): Degradation[] {
    const notOpen = this.#notOpen === undefined ? [] : [this.#notOpen];
    return [...notOpen, ...[this.store, this.records, this.centre].flatMap((part) => part?.degraded ?? [])];
  }

  get warnings(): readonly string[] {
    return [this.store, this.records, this.centre].flatMap((part) => part?.warnings ?? []);
  }

  /** Before the archive. */
  async close(patienceMs: number): Promise<void> {
    this.#isClosed = true;
    this.#retry?.();
    this.admission.close();
    await this.#opening;
    await this.centre?.close(patienceMs);
    await Promise.all([this.store?.close(patienceMs), this.records?.close(patienceMs)]);
    await this.#site?.close(this.#node === undefined);
  }

  /** Where it fails, that is said, and tried again. */
  async #openOrRetry(id: string): Promise<void> {
    const { settings, clock, log } = this.#options;
    try {
      await this.#openAs(id, settings.data);
      this.#notOpen = undefined;
      if (this.#leading !== undefined) this.#site?.speak(this.#leading);
    } catch (error) {
      const text = `Nothing goes to a store or a bus from here, which is tried again: ${(error as Error).message.replace(/\.$/, '')}.`;
      if (text !== this.#notOpen?.text) log.error(error, text);
      this.#notOpen = { since: this.#notOpen?.since ?? toTimestamp(clock.now()), text };
      if (this.#isClosed) return;
      this.#retry = clock.after(retryMs, () => {
        this.#opening = this.#openOrRetry(id);
      });
    }
  }

  async #openAs(id: string, folder: string): Promise<void> {
    if (siteIdIn(folder) !== id) becomeSite(folder, id);
    await this.#site?.open(id);
    this.#site?.start();
    this.store?.open(id);
  }
}

function exchangeOf(name: string, options: FederationOptions): RecordsExchange | undefined {
  const { settings, exchange, clock, log, archive, otherNodes: others } = options;
  if (exchange === undefined) return undefined;
  return new exchange.RecordsExchange({ name, others, archive, gatherMs: settings['store-interval'], clock, log });
}
