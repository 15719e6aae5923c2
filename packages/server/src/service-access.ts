// Who may do what, made from the settings: users and all that they have in a file of its own, the tokens of function modules,
// and how the owner of the data folder gets in.
import type { Clock } from '@telltale/schema';
import type { Logger } from 'pino';
import { Access, AccessDatabase, ModuleTokens, Passwords, siteAt } from './access/index.ts';
import type { HttpServer } from './api/index.ts';
import { OwnerAccess } from './owner-access.ts';
import type { SealKeys } from './secrets/index.ts';
import { logDisk } from './service-condition.ts';
import type { Settings } from './settings.ts';

export interface ServiceAccessOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Logger;
  readonly secretKeys: SealKeys;
  /** Where the service listens. */
  readonly url: () => string;
  readonly onFailure: (error: Error) => void;
}

export class ServiceAccess {
  readonly #options: ServiceAccessOptions;
  readonly store: AccessDatabase;
  /** Of function modules. */
  readonly tokens = new ModuleTokens();
  readonly access: Access;
  readonly #owner: OwnerAccess;

  constructor(options: ServiceAccessOptions) {
    this.#options = options;
    const { settings, clock, log, secretKeys, url, onFailure } = options;
    const publicUrl = () => settings['public-url'] ?? url();
    this.store = new AccessDatabase({
      folder: settings.data,
      onFailure,
      onFault: (reason) => logDisk(log, 'changes of users, roles and tokens', reason),
    });
    this.access = new Access({
      store: this.store,
      tokens: this.tokens,
      passwords: new Passwords(),
      secretKeys,
      site: () => siteAt(publicUrl()),
      clock,
      directories: settings.directories,
      oidcCallback: () => `${publicUrl()}${settings['access-path']}/oidc/callback`,
      log,
    });
    this.#owner = new OwnerAccess({ folder: settings.data, clock, log });
  }

  get first() {
    return this.#owner.first;
  }

  /** Where the owner of the folder asks. */
  serveOwner(http: HttpServer): Promise<void> {
    return this.#owner.open(http);
  }

  /** While there are no users. */
  offerFirst(): void {
    const { settings, url } = this.#options;
    if (this.access.isOpen) this.#owner.offerFirst(`${url()}${settings['access-path']}/setup`);
  }

  /** No owner asks any more. */
  async end(): Promise<void> {
    await this.#owner.close();
  }

  async close(patienceMs: number): Promise<void> {
    this.access.close();
    await this.store.close(patienceMs);
  }
}
