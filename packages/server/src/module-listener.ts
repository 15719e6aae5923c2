// Where function modules reach a service that speaks TLS: on loopback, without it, and with their tokens alone. A program cannot
// verify a certificate that the service has made itself, or that is for a name by which others know it.
import type { AddressInfo } from 'node:net';
import type { HttpServer } from './api/index.ts';

export class ModuleListener {
  readonly #http: HttpServer;
  #isOpen = false;

  constructor(http: HttpServer) {
    this.#http = http;
  }

  /** At a port that is free. */
  async open(): Promise<void> {
    await this.#http.listen({ host: '127.0.0.1', port: 0 });
    this.#isOpen = true;
  }

  /** Undefined where it does not listen: the service speaks no TLS. */
  get url(): string | undefined {
    return this.#isOpen ? `http://127.0.0.1:${(this.#http.server.address() as AddressInfo).port}` : undefined;
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#http.server.closeAllConnections();
    await this.#http.close();
  }
}

interface ModulePaths {
  readonly 'data-path': string;
  readonly 'channel-path': string;
}

/** What a function module is told of where the service is. */
export function moduleUrls(url: string, settings: ModulePaths) {
  return {
    base: `${url}${settings['data-path']}`,
    channel: `${url.replace('http', 'ws')}${settings['channel-path']}`,
  };
}
