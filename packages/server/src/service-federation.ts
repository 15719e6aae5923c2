// How the service works with others, as its settings want it: alone, with a store, as a site on a bus, or as a centre.
import { hostname } from 'node:os';
import type { BusState, Clock, Degradation } from '@telltale/schema';
import { permissionNames } from '@telltale/schema';
import type { Logger } from 'pino';
import packageJson from '../package.json' with { type: 'json' };
import { type Access, CentreCallers } from './access/index.ts';
import type { HttpServer } from './api/index.ts';
import type { Archive } from './archive/index.ts';
import { busFilesOf, roleOnBus } from './bus-settings.ts';
import { Centre, type LiveObjects, SiteOnBus } from './federation/index.ts';
import { BusAdmission } from './service-admission.ts';
import { createStore } from './service-archive.ts';
import type { Settings } from './settings.ts';
import type { SharedStore } from './store/index.ts';

export interface FederationOptions {
  readonly settings: Settings;
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
}

/** What a centre may do at a site: everything but to say who may do what there. */
const ofCentre = [{ permissions: permissionNames.filter((each) => each !== 'manage-users') }];

export class Federation {
  readonly store: SharedStore | undefined;
  readonly centre: Centre | undefined;
  /** Who may connect to the bus. */
  readonly admission: BusAdmission;
  readonly #site: SiteOnBus | undefined;

  constructor({ settings, clock, log, archive, access, live, forwarded, url, fingerprint }: FederationOptions) {
    const { bus: address, store, data: folder, site: siteName = hostname() } = settings;
    const role = roleOnBus(settings);
    const callers = new CentreCallers(ofCentre);
    const bus = address === undefined ? undefined : { address, files: busFilesOf(settings), clock, log };
    if (bus !== undefined && role === 'centre') this.centre = new Centre({ ...bus, store, identities: access });
    if (bus !== undefined && role === 'site') {
      this.#site = new SiteOnBus({
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
    this.store = createStore({ settings, clock, log, archive, overBus: this.#site });
  }

  /** Before the first rendering: it hears of every point. */
  async prepare(): Promise<void> {
    await this.#site?.open();
  }

  /** Waits for nobody else. */
  async open(): Promise<void> {
    await this.#site?.start();
    this.store?.open();
    await this.admission.open();
    await this.centre?.open();
  }

  /** Undefined: it is on none. */
  get bus(): BusState | undefined {
    return this.centre?.bus ?? this.#site?.bus;
  }

  get degraded(): Degradation[] {
    return [...(this.store?.degraded ?? []), ...(this.centre?.degraded ?? [])];
  }

  get warnings(): readonly string[] {
    return this.store?.warnings ?? [];
  }

  /** Before the archive. */
  async close(patienceMs: number): Promise<void> {
    this.admission.close();
    await this.centre?.close(patienceMs);
    await this.store?.close(patienceMs);
    await this.#site?.close();
  }
}
