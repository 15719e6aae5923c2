// How the owner of the data folder gets in without being a user: over a socket in the folder, to make the first administrator
// or to recover access; and while there are no users, by a one-time link in a file.
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@telltale/schema';
import type { Logger } from 'pino';
import { FirstAdministrator } from './access/index.ts';
import type { HttpServer } from './api/index.ts';

export interface OwnerAccessOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Logger;
}

const socketName = 'access.sock';
/** Of the address of a socket, by the system. */
const longestPath = 103;

export class OwnerAccess {
  readonly #options: OwnerAccessOptions;
  readonly first: FirstAdministrator;
  #http: HttpServer | undefined;

  constructor(options: OwnerAccessOptions) {
    this.#options = options;
    this.first = new FirstAdministrator(options);
  }

  /** The folder is locked: a socket that is there is of a server that was killed. */
  async open(http: HttpServer): Promise<void> {
    const path = this.#path;
    if (Buffer.byteLength(path) > longestPath) {
      this.#options.log.warn(`${path} is too long for a socket: telltale access does not reach this server`);
      return;
    }
    rmSync(path, { force: true });
    const mask = process.umask(0o177);
    try {
      http.server.listen(path);
    } finally {
      process.umask(mask);
    }
    await once(http.server, 'listening');
    await chmod(path, 0o600);
    this.#http = http;
  }

  /** While there are no users; `setup` is the address of the page. */
  offerFirst(setup: string): void {
    const open =
      'there are no users: every program of this machine may do everything. Make the first administrator with telltale access init';
    try {
      this.#options.log.info(`${open}, or within 15 minutes by the link in ${this.first.begin(setup)}`);
    } catch (error) {
      this.#options.log.info(`${open}; a link for a browser could not be written: ${(error as Error).message}`);
    }
  }

  async close(): Promise<void> {
    this.first.end();
    if (this.#http === undefined) return;
    this.#http.server.closeAllConnections();
    await this.#http.close();
    rmSync(this.#path, { force: true });
  }

  get #path(): string {
    return join(this.#options.folder, socketName);
  }
}
